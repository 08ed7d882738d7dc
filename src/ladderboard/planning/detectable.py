"""Gains that a board can recognise, and with what probability."""

import math
from dataclasses import dataclass

import numpy as np

from ladderboard.core.records import Evaluation, State, Yardstick
from ladderboard.guard.warnings import estimate_entry_power
from ladderboard.inference.power import GOOD_POWER, distance_to_best, entry_power, smallest_visible_improvement
from ladderboard.mechanisms.base import Mechanism
from ladderboard.planning.public_split import ALPHA

ATTEMPTS = (1, 10, 100)
CURVE_POINTS = 25


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
    0.0141
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


@dataclass(frozen=True)
class Sight:
    """The detectable gain at an attempt: the least over the baseline with 80 % power, in score units.

    ``curve`` has the probabilities of other improvements, as pairs; it is empty where the metric has no best score.
    """

    attempt: int
    improvement: float | None
    curve: tuple[tuple[float, float], ...]


def list_sights(mechanism: Mechanism, baseline: Evaluation) -> tuple[Sight, ...]:
    """What an entry test sees at several attempts; without one, what a test at 5 % on all items would see."""
    test = mechanism.entry_test()
    if test is None:
        return (_sight(baseline.yardstick, attempt=1, share=1.0, alpha=ALPHA),)
    if estimate_entry_power(mechanism, baseline, improvement=1.0) == 0:
        return tuple(Sight(attempt, None, ()) for attempt in ATTEMPTS)
    return tuple(
        _sight(baseline.yardstick, attempt=attempt, share=test.share, alpha=test.alpha) for attempt in ATTEMPTS
    )


def _sight(yardstick: Yardstick, *, attempt: int, share: float, alpha: float) -> Sight:
    level = alpha / attempt
    found = smallest_visible_improvement(yardstick, gate_share=share, alpha=level)
    reach = distance_to_best(yardstick)
    if found is None or not reach:
        return Sight(attempt, found, ())
    parts = np.linspace(0, min(1.0, 2 * found / reach), CURVE_POINTS)[1:]
    powers = [entry_power(yardstick, gate_share=share, alpha=level, improvement=part) for part in parts.tolist()]
    return Sight(attempt, found, tuple((part * reach, power or 0.0) for part, power in zip(parts, powers, strict=True)))
