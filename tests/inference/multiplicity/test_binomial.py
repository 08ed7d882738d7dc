"""Single binomial probabilities against fifty digits, and against SciPy."""

import numpy as np
import pytest
from scipy import stats

from ladderboard.inference.multiplicity.binomial import (
    failures_cdf,
    failures_log_survival,
    failures_pmf,
    failures_survival,
)
from tests.inference.multiplicity.exact import exact_pmf_and_cdf, relative_error

CASES = [
    (10, 0.3, [1, 2, 5, 9, 10]),
    (3000, 0.9, [1, 2, 20, 150, 236, 300, 400]),
    (100_000, 0.99, [700, 900, 1000, 1100]),
    (1_000_000, 0.9, [97_000, 98_500, 99_900, 100_500]),
]


@pytest.mark.parametrize(("n", "accuracy", "failures"), CASES)
def test_probabilities_are_right_to_eleven_digits_even_at_a_million_items(
    n: int, accuracy: float, failures: list[int]
) -> None:
    for z, (pmf, cdf) in exact_pmf_and_cdf(failures, n, accuracy).items():
        assert relative_error(float(failures_pmf(z, n, accuracy)), pmf) < 1e-11
        assert relative_error(float(failures_cdf(z, n, accuracy)), cdf) < 1e-11
        if cdf < 1:
            assert relative_error(float(failures_survival(z, n, accuracy)), 1 - cdf) < 1e-11
            log_survival = (1 - cdf).ln() if cdf > 1e-25 else -cdf  # fifty digits do not hold 1 − 1e-135
            assert relative_error(float(failures_log_survival(z, n, accuracy)), log_survival) < 1e-11


@pytest.mark.parametrize("n", [1, 2, 7, 40])
@pytest.mark.parametrize("accuracy", [0.0, 2.0**-30, 0.25, 0.5, 0.875, 1 - 2.0**-30, 1.0])
def test_small_cases_agree_with_scipy_over_the_whole_support(n: int, accuracy: float) -> None:
    z = np.arange(-1, n + 2)
    peer = stats.binom(n, 1 - accuracy)
    np.testing.assert_allclose(failures_pmf(z, n, accuracy), peer.pmf(z), rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(failures_cdf(z, n, accuracy), peer.cdf(z), rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(failures_survival(z, n, accuracy), peer.sf(z), rtol=1e-12, atol=1e-300)


def test_failures_and_accuracies_broadcast() -> None:
    table = failures_pmf(np.arange(21)[:, None], 20, np.array([0.3, 0.6, 0.9]))
    assert table.shape == (21, 3)
    np.testing.assert_allclose(table.sum(axis=0), 1.0, rtol=1e-13)
