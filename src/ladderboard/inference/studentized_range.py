"""The distribution of the range of independent normal numbers: how far apart equal teams may look."""

from functools import cache

import numpy as np

REACH, POINTS = 9.0, 2001
"""The integral's ends in standard deviations, and its nodes; the integrand is smooth, so that the sum is exact."""


def range_probability(width: float, size: int) -> float:
    """P(max − min > width) of ``size`` independent standard normal numbers.

    >>> round(range_probability(2.7718, 2), 4)  # √2·1.96
    0.05
    """
    from scipy.special import ndtr

    x = np.linspace(-REACH, REACH, POINTS)
    density = np.exp(-x * x / 2) / np.sqrt(2 * np.pi)
    # The smallest is at x, and all others within the width above it.
    inside = ndtr(-x) - ndtr(-x - width)
    all_above = ndtr(-x)
    miss = size * density * (all_above ** (size - 1) - inside ** (size - 1))
    return float(miss.sum() * (x[1] - x[0]))


@cache
def range_quantile(alpha: float, size: int) -> float:
    """The width that the range of ``size`` independent standard normal numbers exceeds with probability α (Tukey).

    >>> [round(range_quantile(0.05, size), 2) for size in (2, 8, 50)]
    [2.77, 4.29, 5.65]
    """
    low, high = 0.0, 2 * REACH
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (middle, high) if range_probability(middle, size) > alpha else (low, middle)
    return high
