"""The failures of one classifier, X ~ B(n, 1 − p): probabilities exact to about 1e-12, relative, deep into the tails.

`scipy.special.bdtr` is off by 1e-9 at n = 10⁶ and differences of it lose more; hence the incomplete beta function (from
Boost) with the accuracy p itself as argument, and Loader's saddle-point form for single probabilities.

All functions take arrays of failures z (whole numbers) and accuracies p that broadcast against each other.
"""

import numpy as np
import numpy.typing as npt

from ladderboard.core.records import FloatArray


def failures_cdf(z: npt.ArrayLike, n: int, p: npt.ArrayLike) -> FloatArray:
    """P_z = P(X ≤ z).

    >>> failures_cdf([235, 236, 300], 3000, 0.9).round(8).tolist()
    [2.506e-05, 3.307e-05, 0.51537006]
    """
    from scipy.special import betainc

    z, p = np.asarray(z, dtype=np.float64), np.asarray(p, dtype=np.float64)
    inside = np.clip(z, 0, n - 1)
    return np.where(z < 0, 0.0, np.where(z >= n, 1.0, betainc(n - inside, inside + 1, p)))


def failures_survival(z: npt.ArrayLike, n: int, p: npt.ArrayLike) -> FloatArray:
    """P(X > z), with the same relative accuracy in its own tail."""
    from scipy.special import betaincc

    z, p = np.asarray(z, dtype=np.float64), np.asarray(p, dtype=np.float64)
    inside = np.clip(z, 0, n - 1)
    return np.where(z < 0, 1.0, np.where(z >= n, 0.0, betaincc(n - inside, inside + 1, p)))


def failures_log_survival(z: npt.ArrayLike, n: int, p: npt.ArrayLike) -> FloatArray:
    """log P(X > z), accurate where the probability is close to 1 as well as where it is close to 0."""
    z, p = np.broadcast_arrays(np.asarray(z, dtype=np.float64), np.asarray(p, dtype=np.float64))
    below = failures_cdf(z, n, p)
    found = np.asarray(np.log1p(-np.minimum(below, 0.5)))
    late = below >= 0.5
    with np.errstate(divide="ignore"):
        found[late] = np.log(failures_survival(z[late], n, p[late]))
    return found


def failures_pmf(z: npt.ArrayLike, n: int, p: npt.ArrayLike) -> FloatArray:
    """P(X = z), by the saddle-point expansion of C. Loader (2000), which cancels nothing.

    >>> failures_pmf([0, 1, 2], 2, 0.75).round(12).tolist()
    [0.5625, 0.375, 0.0625]
    """
    z, p = np.broadcast_arrays(np.asarray(z, dtype=np.float64), np.asarray(p, dtype=np.float64))
    x = np.clip(z, 1, max(n - 1, 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        exponent = _stirling_error(np.array(float(n))) - _stirling_error(x) - _stirling_error(n - x)
        exponent = exponent - _deviance(x, n * (1 - p)) - _deviance(n - x, n * p)
        middle = np.exp(exponent) * np.sqrt(n / (2 * np.pi * x * (n - x)))
    middle = np.where((p <= 0) | (p >= 1) | (z < 1) | (z > n - 1), 0.0, middle)
    return middle + np.where(z == 0, _power(p, n), 0.0) + np.where(z == n, _power(1 - p, n), 0.0)


def _power(base: FloatArray, n: int) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.asarray(np.exp(n * np.log(base)))


def _stirling_error(k: FloatArray) -> FloatArray:
    """log k! − log(√(2πk)·(k/e)^k) for k ≥ 1."""
    from scipy.special import gammaln

    k = np.maximum(k, 1.0)
    small = gammaln(np.minimum(k, 16.0) + 1) - 0.5 * np.log(2 * np.pi * np.minimum(k, 16.0))
    small = small - np.minimum(k, 16.0) * (np.log(np.minimum(k, 16.0)) - 1)
    s = 1 / (k * k)
    series = (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s / 1188)))) / k
    return np.where(k <= 15, small, series)


def _deviance(x: FloatArray, mean: FloatArray) -> FloatArray:
    """x·log(x/mean) + mean − x ≥ 0, by a series where x is near the mean and the terms would cancel."""
    v = (x - mean) / (x + mean)
    near = np.abs(v) < 0.1
    w = np.where(near, v, 0.0)
    # x·log(x/mean) = 2x·atanh(v), and atanh(v) − v = v³(1/3 + v²/5 + …): eight terms reach 1e-19 at |v| = .1.
    square = w * w
    tail = np.full_like(w, 1 / 17)
    for odd in (15, 13, 11, 9, 7, 5, 3):
        tail = 1 / odd + square * tail
    series = (x - mean) * w + 2 * x * square * w * tail
    return np.where(near, series, x * np.log(x / mean) + mean - x)
