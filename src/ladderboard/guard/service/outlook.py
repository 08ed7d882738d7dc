"""The plan of a guard in use: the gain that the next attempts need, from public facts alone."""

from dataclasses import replace
from typing import Any

from ladderboard.core.records import State
from ladderboard.guard.file import GuardFile
from ladderboard.guard.gains import find_gains
from ladderboard.guard.holdout import Holdout

AHEAD = (0, 10, 100, 1000)


def plan_attempts(holdout: Holdout, guard: GuardFile) -> dict[str, Any]:
    """Tell the true gains over the score shown that are shown and proven with 80 % power: now, and after failures.

    A gain is None where it cannot be said; ``reason`` then says why, if there is one.
    """
    state = guard.progress()[0]
    return {
        "metric": holdout.metric.name,
        "lower_is_better": holdout.metric.lower_is_better,
        "board_value": state.released,
        "gains": [_plan_attempt(holdout, guard, replace(state, attempts=state.attempts + ahead)) for ahead in AHEAD],
    }


def _plan_attempt(holdout: Holdout, guard: GuardFile, state: State) -> dict[str, Any]:
    gains = find_gains(guard, holdout.mechanism, state)
    told = {"shown_gain": _round(gains.shown), "proven_gain": _round(gains.proven), "reason": gains.reason}
    return {"attempt": state.attempts + 1, **told}


def _round(gain: float | None) -> float | None:
    return None if gain is None else float(f"{gain:.3g}")
