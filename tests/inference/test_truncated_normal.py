import math

import pytest
from scipy.stats import norm, truncnorm

from ladderboard.inference.truncated_normal import log_mass, truncated_cdf


@pytest.mark.parametrize(("low", "high"), [(-1, 2), (-math.inf, 0.5), (3, math.inf), (-math.inf, math.inf), (1, 1.001)])
def test_the_distribution_is_scipys(low: float, high: float) -> None:
    for share in (0.0, 0.1, 0.5, 0.99, 1.0):
        x = float(truncnorm.ppf(share, low, high))
        if math.isfinite(x):
            assert truncated_cdf(x, low, high) == pytest.approx(share, abs=1e-9)


@pytest.mark.parametrize("low", [10.0, 40.0, 1e4])
def test_far_out_the_tail_is_exponential(low: float) -> None:
    # P(Z > low + x/low | Z > low) → exp(−x); the next term of the expansion is smaller than 2/low².
    for x in (0.01, 1.0, 3.0):
        assert truncated_cdf(low + x / low, low, math.inf) == pytest.approx(-math.expm1(-x), rel=1e-6 + 8 / low**2)
        assert truncated_cdf(-low - x / low, -math.inf, -low) == pytest.approx(math.exp(-x), rel=1e-6 + 8 / low**2)


def test_a_short_interval_is_uniform() -> None:
    assert truncated_cdf(2.0 + 3e-7, 2.0, 2.0 + 1e-6) == pytest.approx(0.3, rel=1e-5)


@pytest.mark.parametrize(("low", "high"), [(-3, 3), (-30, -29), (29, 30), (-math.inf, -38), (0, math.inf)])
def test_the_log_mass_is_symmetric_and_right(low: float, high: float) -> None:
    assert log_mass(low, high) == log_mass(-high, -low)
    upper, lower = (-low, -high) if low > 0 else (high, low)
    assert math.exp(log_mass(low, high)) == pytest.approx(norm.cdf(upper) - norm.cdf(lower), rel=1e-9)


def test_an_empty_interval_has_no_mass() -> None:
    assert log_mass(1, 1) == log_mass(2, 1) == -math.inf
    assert truncated_cdf(1.0, 1.0, 2.0) == 0
    assert truncated_cdf(2.0, 1.0, 2.0) == 1
