"""The probabilistic c-index: worked by hand, its limits for little and much noise, and the exact null distribution."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import kendalltau, norm

from ladderboard.core.errors import ParameterError
from ladderboard.metrics.probabilistic_c_index import ProbabilisticConcordanceIndex
from tests.contracts.metric_cases import case_for, noisy_concordance


def metric(noise_sd: float = 1.0) -> ProbabilisticConcordanceIndex:
    return ProbabilisticConcordanceIndex(noise_sd=noise_sd)


def test_a_pair_scores_the_probability_that_the_true_values_are_in_the_predicted_order() -> None:
    difference = 3.0
    probability = norm.cdf(difference / math.sqrt(2 * 0.5**2))  # both labels carry noise of sd ½
    assert metric(0.5).score([0, difference], [1, 2]) == pytest.approx(probability, abs=1e-15)
    assert metric(0.5).score([0, difference], [2, 1]) == pytest.approx(1 - probability, abs=1e-15)
    assert metric(0.5).score([0, difference], [1, 1]) == 0.5


def test_the_dream7_form_is_had_by_the_noise_over_root_two() -> None:
    assert metric(2.0 / math.sqrt(2)).score([0, 3], [1, 2]) == pytest.approx(norm.cdf(3 / 2.0), abs=1e-15)


def test_without_noise_it_is_kendalls_concordance_and_with_all_noise_one_half() -> None:
    case = case_for(metric())
    y, p = case.labels, np.random.default_rng(1).permutation(400) + 100 * case.labels
    assert metric(1e-9).score(y, p) == pytest.approx((kendalltau(y, p).statistic + 1) / 2, abs=1e-12)
    assert metric(1e9).score(y, p) == pytest.approx(0.5, abs=1e-8)


def test_the_null_standard_error_is_that_of_all_orders() -> None:
    y = np.array([0.0, 0.3, 1.1, 2.0, 2.0])
    scores = [metric().compute_score(y, np.array(order, dtype=float)) for order in itertools.permutations(range(5))]
    assert metric().compute_null_standard_error(y) == pytest.approx(np.std(scores), abs=1e-12)


def test_results_do_not_depend_on_the_size_of_the_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    case, weights = case_for(metric(), items=90), np.random.default_rng(2).exponential(size=(4, 90))
    monkeypatch.setattr("ladderboard.metrics.probabilistic_c_index.BLOCK_CELLS", 700)  # seven rows
    scores = metric(0.7).replicates(case.labels, case.predictions, weights)
    expected = [noisy_concordance(case.labels, case.predictions, row, 0.7) for row in weights]
    np.testing.assert_allclose(scores, expected, atol=1e-12)
    contributions = metric(0.7).contributions(case.labels, case.predictions, weight=weights[0])
    assert contributions.mean() == pytest.approx(expected[0], abs=1e-12)


@pytest.mark.parametrize("noise_sd", [0.0, -1.0, math.inf, math.nan])
def test_the_noise_is_a_positive_number(noise_sd: float) -> None:
    with pytest.raises(ParameterError, match="noise_sd"):
        metric(noise_sd)
