"""The precision of a released score: its standard error on a coarse grid, and the interval that follows from it.

Nothing here looks at more than the contributions of one accepted submission. The standard error is released with the
score, so it lies on a grid of few steps, which the leakage meter counts.
"""

import math
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ladderboard.core.records import FloatArray, Yardstick

RATIO = 1.25
"""Released standard errors are powers of this, rounded up."""
LARGEST = 1e4
"""No standard error beyond so many null standard errors is released: there is no interval worth the name."""
SMALLEST_SUPPORT = 1.5
"""Below this effective number of items a single one carries the score, and no interval can be right."""
SMALL, LARGE = 1e-30, 1e30
"""Within these, sums of fourth powers are safe numbers."""
Z = 1.959964
NO_INTERVAL = "no interval: so few items decide this score that none would be right"


def standard_error_steps() -> int:
    """W: how many values a released standard error can take, "none" included.

    >>> standard_error_steps()
    54
    """
    return math.ceil(math.log(10 * LARGEST) / math.log(RATIO)) + 2


def effective_support(values: "FloatArray") -> float:
    """(Σv²)²/Σv⁴: the number of items that carry the values; n where all are alike, 1 for a single one."""
    largest = max(float(values.max()), -float(values.min()))
    if largest == 0:
        return 0.0
    if not SMALL < largest < LARGE:
        values = values / largest  # so that fourth powers neither overflow nor vanish
    squares = np.square(values)
    return float(squares.sum() ** 2 / (squares @ squares))


def follows_from_value(yardstick: "Yardstick") -> bool:
    """Whether the released value itself says its standard error: √(v(1 − v)/n) for a share of right answers."""
    return yardstick.paired_test == "mcnemar"


def released_standard_error(value: float, contributions: "FloatArray", yardstick: "Yardstick") -> float | None:
    """The standard error to release with ``value``; None where no interval made from it would be right.

    For a share of right answers √(v(1 − v)/n), which tells nothing new. Else sd/√n times t₀.₉₇₅(ν)/z₀.₉₇₅ with ν half
    the effective support of the centred contributions (at least 1), or one less than the groups of a jackknife. The
    fewer items carry the score, the less their spread says of it: with Student's quantile the interval covers also for
    skewed and heavy-tailed losses, where hiding the interval would leave the samples without a large loss, the too
    optimistic ones. In both cases at least SE_min, and rounded up to a power of 1.25. See
    docs/decisions/intervals-from-the-entrys-own-spread.md.
    """
    if follows_from_value(yardstick):
        own = math.sqrt(value * (1 - value) / yardstick.units)
        return round_up(max(own, yardstick.smallest_standard_error))
    centred = contributions - contributions.mean()
    spread = math.sqrt(float(centred @ centred) / (len(centred) - 1))
    own = spread / math.sqrt(len(centred))
    if own <= yardstick.smallest_standard_error:
        return round_up(yardstick.smallest_standard_error)
    if yardstick.jackknife_groups is None:
        support = effective_support(centred)
        if support < SMALLEST_SUPPORT:
            return None
        freedom = round(support / 2, 1)
    else:
        freedom = min(yardstick.jackknife_groups, len(centred)) - 1.0
    error = max(own * _student_ratio(freedom), yardstick.smallest_standard_error)
    return round_up(error) if error <= LARGEST * yardstick.null_standard_error else None


def round_up(error: float) -> float:
    """The least power of 1.25 that is no smaller.

    >>> round_up(1.0), round_up(0.01)
    (1.0, 0.01153)
    """
    exponent = math.ceil(math.log(error) / math.log(RATIO) - 1e-9)
    return float(f"{RATIO**exponent:.4g}")


def make_interval(
    value: float, standard_error: float | None, yardstick: "Yardstick", *, share: float = 1.0, z: float = Z
) -> tuple[float, float] | None:
    """``value`` ± z·SE·√(1/share), carried to the metric's scale by the delta method; it contains ``value``.

    On a log scale the end on the worse side lies exactly so far away, the other one mirrors it (`scales.LOG`).

    ``share`` is the part of the units the value rests on: all of them, or the witnesses. A share of right and wrong
    answers needs no standard error (Wilson's interval); other metrics have no interval without one. Within one
    standard error of a bound, where the scale has no slope, the centre is moved inside and the bound belongs to the
    interval.
    """
    if follows_from_value(yardstick):
        return _wilson(value, yardstick.units * share, z)
    if standard_error is None:
        return None
    error = standard_error / math.sqrt(share)
    low, high = yardstick.bounds
    room = min(error, (high - low) / 4)
    inside = min(max(value, low + room), high - room)
    grid = yardstick.grid(1.0)
    steps = yardstick.scale.arm(z * error * yardstick.scale.slope(inside)) / grid.step
    lower = low if inside > value else min(grid.shift(inside, -steps), value)
    upper = high if inside < value else max(grid.shift(inside, steps), value)
    return lower, upper


@cache
def _student_ratio(degrees_of_freedom: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(max(1.0, degrees_of_freedom), 0.975)) / Z


def _wilson(proportion: float, n: float, z: float) -> tuple[float, float]:
    centre = (proportion + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(proportion * (1 - proportion) / n + z * z / (4 * n * n))
    decimals = math.ceil(math.log10(n)) + 1
    return round(max(0.0, centre - half), decimals), round(min(1.0, centre + half), decimals)
