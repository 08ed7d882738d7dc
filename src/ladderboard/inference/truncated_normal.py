"""The truncated normal distribution, exact far out in the tails."""

import math


def truncated_cdf(x: float, low: float, high: float) -> float:
    """P(Z ≤ x | low ≤ Z ≤ high) of a standard normal Z, for low ≤ x ≤ high and low < high.

    >>> round(truncated_cdf(0.0, -1.0, 1.0), 12)
    0.5
    >>> round(truncated_cdf(40.01, 40.0, math.inf), 4)  # 1 − exp(−.4) or so: both tails are below 1e-300
    0.3299
    """
    return math.exp(min(0.0, log_mass(low, x) - log_mass(low, high)))


def log_mass(low: float, high: float) -> float:
    """log P(low ≤ Z ≤ high); −inf where the interval is empty.

    >>> round(math.exp(log_mass(-1.96, 1.96)), 4)
    0.95
    """
    from scipy.special import log_ndtr

    if not low < high:
        return -math.inf
    if low > 0:  # the lower tail is the one that keeps its digits
        low, high = -high, -low
    outer, inner = float(log_ndtr(high)), float(log_ndtr(low))
    shrink = -math.expm1(inner - outer)
    return outer + math.log(shrink) if shrink > 0 else -math.inf
