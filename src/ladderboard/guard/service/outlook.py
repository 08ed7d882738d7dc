"""The plan of a guard in use: the gain that the next attempts need, from public facts alone."""

from dataclasses import replace
from typing import Any

from ladderboard.core.records import State
from ladderboard.guard.detectable_gain import find_detectable_gain
from ladderboard.guard.file import GuardFile
from ladderboard.guard.holdout import Holdout

AHEAD = (0, 10, 100, 1000)


def plan_attempts(holdout: Holdout, guard: GuardFile) -> dict[str, Any]:
    """Tell the true gain over the score shown that is accepted with 80 % power: now, and after attempts that fail.

    ``gain`` is None where no gain would be recognised, or every score is shown.
    """
    state = guard.progress()[0]
    return {
        "metric": holdout.metric.name,
        "lower_is_better": holdout.metric.lower_is_better,
        "board_value": state.released,
        "gains": [_plan_attempt(holdout, guard, replace(state, attempts=state.attempts + ahead)) for ahead in AHEAD],
    }


def _plan_attempt(holdout: Holdout, guard: GuardFile, state: State) -> dict[str, Any]:
    gain = find_detectable_gain(guard, holdout.mechanism, state)
    return {"attempt": state.attempts + 1, "gain": None if gain is None else float(f"{gain:.3g}")}
