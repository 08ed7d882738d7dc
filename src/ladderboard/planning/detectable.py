"""Gains that a board can show and prove, and with what probability."""

from dataclasses import dataclass, replace

import numpy as np

from ladderboard.core.records import Evaluation, State, Yardstick
from ladderboard.guard.gains import estimate_gains
from ladderboard.guard.warnings import estimate_entry_power
from ladderboard.inference.power import distance_to_best, entry_power, smallest_visible_improvement
from ladderboard.mechanisms.base import Mechanism
from ladderboard.planning.public_split import ALPHA

ATTEMPTS = (1, 10, 100)
CURVE_POINTS = 25


@dataclass(frozen=True)
class DetectableGain:
    """The detectable gain at an attempt: the least over the baseline that is shown with 80 % power, in score units.

    ``curve`` has the probabilities of other improvements, as pairs; it is empty where the metric has no best score.
    ``proven`` is the least for the word "improved"; None where it cannot be said, or the mechanism proves nothing.
    """

    attempt: int
    improvement: float | None
    curve: tuple[tuple[float, float], ...]
    proven: float | None = None


def list_detectable_gains(mechanism: Mechanism, baseline: Evaluation) -> tuple[DetectableGain, ...]:
    """What an entry test sees at several attempts; without one, what a test at 5 % on all items would see."""
    test = mechanism.entry_test()
    if test is None:
        return (_find_gain(baseline.yardstick, attempt=1, share=1.0, alpha=ALPHA),)
    if estimate_entry_power(mechanism, baseline, improvement=1.0) == 0:
        return tuple(DetectableGain(attempt, None, ()) for attempt in ATTEMPTS)
    gains = (
        _find_gain(baseline.yardstick, attempt=attempt, share=test.share, alpha=test.alpha) for attempt in ATTEMPTS
    )
    return tuple(replace(gain, proven=_find_proven(mechanism, baseline.yardstick, gain.attempt)) for gain in gains)


def _find_proven(mechanism: Mechanism, yardstick: Yardstick, attempt: int) -> float | None:
    state = State(attempts=attempt - 1, released=yardstick.baseline_score)
    return estimate_gains(mechanism, replace(yardstick, spread_is_open=False), state).proven


def _find_gain(yardstick: Yardstick, *, attempt: int, share: float, alpha: float) -> DetectableGain:
    level = alpha / attempt
    found = smallest_visible_improvement(yardstick, gate_share=share, alpha=level)
    reach = distance_to_best(yardstick)
    if found is None or not reach:
        return DetectableGain(attempt, found, ())
    parts = np.linspace(0, min(1.0, 2 * found / reach), CURVE_POINTS)[1:]
    powers = [entry_power(yardstick, gate_share=share, alpha=level, improvement=part) for part in parts.tolist()]
    return DetectableGain(
        attempt, found, tuple((part * reach, power or 0.0) for part, power in zip(parts, powers, strict=True))
    )
