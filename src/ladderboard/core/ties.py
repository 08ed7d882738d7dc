"""Comparisons in which rounding errors of floating point decide nothing.

Means of losses that are equal on paper may differ in their last bits, by the order of a sum or by a division. Where
less than `ROUNDING` of the numbers compared lies between them they are tied, and the rule says what becomes of a tie.
Real differences are far larger: two shares of n items differ by 1/n at least, and a share of repaired items differs
from its paired standard error by more than n^(−3/2)/2 where it does at all.
"""

import math

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

ROUNDING = 1e-12
"""As a share of the numbers compared: thousands of rounding errors, and billions of times less than an effect."""


def is_lower(value: float, than: float, *, by: float = 0.0) -> bool:
    """Whether value < than − by; a tie is none.

    >>> 12 / 100 < 0.14 - 0.02, is_lower(12 / 100, 0.14, by=0.02)
    (True, False)
    """
    return value < than if math.isinf(than) else than - by - value > _slack(value, than, by)


def is_at_most(value: float, limit: float, *, by: float = 0.0) -> bool:
    """Whether value ≤ limit − by; a tie is.

    >>> 0.1 + 0.2 <= 0.3, is_at_most(0.1 + 0.2, 0.3)
    (False, True)
    """
    return limit - by - value >= -_slack(value, limit, by)


def subtract(one: FloatArray, other: FloatArray) -> FloatArray:
    """one − other, exactly zero where less than `ROUNDING` of the two, or of their mean size, lies between them."""
    difference = one - other
    size = np.abs(one)
    size += np.abs(other)
    size += size.mean()
    size *= ROUNDING
    difference[np.abs(difference) <= size] = 0.0
    return difference


def round_half(value: float) -> int:
    """The nearest whole number, the even one of two: also where a rounding error has moved a half off its place.

    >>> 1.15 / 0.1, round(1.15 / 0.1), round_half(1.15 / 0.1)
    (11.499999999999998, 11, 12)
    """
    halves = round(2 * value)
    return round(halves / 2) if abs(2 * value - halves) <= 2 * ROUNDING * max(1.0, abs(value)) else round(value)


def _slack(*numbers: float) -> float:
    return ROUNDING * sum(map(abs, numbers))
