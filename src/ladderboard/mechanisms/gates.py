"""Computations shared by the papers' gates: the paired step, Student's threshold, and rounding to one item."""

import math
from functools import cache

from ladderboard.core.errors import ParameterError
from ladderboard.core.records import Evaluation, State, Yardstick
from ladderboard.core.ties import is_lower, subtract
from ladderboard.mechanisms.base import clip_to_bounds, round_to


def beats_release(state: State, candidate: Evaluation, incumbent: Evaluation, *, threshold: float) -> bool:
    """R_S(f_t) < R_{t-1} − c·sd(d)/√n with c = ``threshold``; before the first release everything passes (R_0 = ∞)."""
    if state.released is None:
        return True
    step = threshold * paired_standard_error(incumbent, candidate)
    return is_lower(candidate.loss, candidate.yardstick.loss(state.released), by=step)


def paired_standard_error(incumbent: Evaluation, candidate: Evaluation) -> float:
    """sd(d)/√n with d = l_best − l_t: small where the two submissions err on the same items."""
    d = subtract(incumbent.losses, candidate.losses)
    d -= d.mean()
    # np.std in a third of its time; no dot product, whose last bit depends on the number of threads.
    return math.sqrt(float((d * d).sum()) / ((len(d) - 1) * len(d)))


@cache
def student_threshold(alpha: float, units: int) -> float:
    """c = t⁻¹_{n−1}(1 − α): how many paired standard errors a gain must exceed.

    >>> [round(student_threshold(alpha, 209), 3) + 0.0 for alpha in (0.01, 0.15, 0.5)]
    [2.344, 1.039, 0.0]
    """
    from scipy.special import stdtrit

    return float(stdtrit(units - 1, 1 - alpha))


def check_alpha(alpha: float) -> None:
    """Refuse a level beyond 1/2: its threshold is negative and would let worse submissions pass."""
    if not 0 < alpha <= 0.5:
        raise ParameterError(f"alpha is {alpha}; it must be above 0 and at most 0.5, or worse submissions would pass")


def round_to_one_item(score: float, yardstick: Yardstick) -> float:
    """[s]_{1/n}: the papers' rounding. It changes nothing for 0/1 losses, and depends on the unit of others."""
    return clip_to_bounds(round_to(score, 1 / yardstick.units), yardstick)
