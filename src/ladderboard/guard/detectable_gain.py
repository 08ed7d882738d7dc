"""The detectable gain of a guard: what its next attempt would recognise, from public facts alone."""

import json
import math

from ladderboard.core.records import State, Yardstick
from ladderboard.core.scales import IDENTITY
from ladderboard.guard.file import GuardFile
from ladderboard.inference.power import GOOD_POWER, distance_to_best, smallest_visible_improvement
from ladderboard.mechanisms.base import Mechanism


def find_detectable_gain(guard: GuardFile, mechanism: Mechanism, state: State) -> float | None:
    """Find the gain that the attempt after that state would recognise with 80 % power; needs no labels."""
    if guard.settings.public_facts is None:
        return None
    return estimate_recognised_gain(mechanism, facts_from_json(guard.settings.public_facts), state)


def facts_to_json(yardstick: Yardstick) -> str:
    """Convert what `estimate_recognised_gain` needs of a yardstick to JSON, no more precisely than it is public.

    The baseline's score is the one that is shown, and the null standard error has three digits: the guard's file says
    nothing about labels that a release does not say.
    """
    public = {
        "metric": yardstick.metric,
        "units": yardstick.units,
        "lower_is_better": yardstick.lower_is_better,
        "bounds": yardstick.bounds,
        "paired_test": yardstick.paired_test,
        "baseline_score": yardstick.published_baseline(0.5),
        "null_standard_error": float(f"{yardstick.null_standard_error:.3g}"),
    }
    return json.dumps(public)


def facts_from_json(text: str) -> Yardstick:
    """The inverse of `facts_to_json`; its scale, which no gain depends on, is lost."""
    public = json.loads(text)
    return Yardstick(**{**public, "bounds": tuple(public["bounds"]), "scale": IDENTITY})


def estimate_recognised_gain(mechanism: Mechanism, yardstick: Yardstick, state: State) -> float | None:
    """The smallest true gain that the next attempt has accepted with 80 % power, in score units.

    It follows from public facts alone: the size of the test set, the mechanism, and what the team was told.
    Without a released standard error it is that of the score shown where the losses are 0 or 1, else that of a score
    without skill. A gain is taken to be as noisy as that score itself, as it is where the losses of two files have a
    correlation of one half; files that agree more are told apart more easily.

    None where every score is shown or none is, and where not even the best possible score would be recognised.

    >>> from ladderboard.mechanisms import MECHANISMS
    >>> from ladderboard.metrics import find_metric
    >>> from ladderboard.metrics.answer_key import AnswerKey
    >>> yardstick = AnswerKey([0, 1] * 1000, find_metric("accuracy")).yardstick
    >>> round(estimate_recognised_gain(MECHANISMS["witness_ladder"](), yardstick, State(9, 2, released=0.86)), 4)
    0.0162
    """
    if state.released is None:
        return None
    test = mechanism.entry_test()
    if test is not None and state.accepts == 0:
        level = test.alpha / (state.attempts + 1)
        return smallest_visible_improvement(yardstick, gate_share=test.share, alpha=level)
    error = _standard_error(yardstick, state.released) if state.standard_error is None else state.standard_error
    hurdle = mechanism.hurdle(state, yardstick, error)
    if hurdle is None:
        return None
    from scipy.special import ndtri

    own = error / math.sqrt(hurdle.share)
    needed = max(hurdle.fixed, hurdle.errors * own) + float(ndtri(GOOD_POWER)) * math.hypot(own, hurdle.noise)
    reach = distance_to_best(yardstick, state.released)
    return needed if reach is None or needed <= reach else None


def _standard_error(yardstick: Yardstick, score: float) -> float:
    """The standard error of a score shown, from public facts alone."""
    if yardstick.paired_test != "mcnemar":
        return yardstick.null_standard_error
    return max(math.sqrt(score * (1 - score) / yardstick.units), yardstick.smallest_standard_error)
