"""Pearson, Spearman, Kendall and Lin: SciPy's values, hand-worked cases, numerical traps, exact null errors."""

import itertools
import math
import tracemalloc

import numpy as np
import pytest
from scipy import stats

from ladderboard.core.records import FloatArray
from ladderboard.core.scales import FISHER_Z
from ladderboard.metrics import METRICS
from ladderboard.metrics._kernels.moments import standardise
from ladderboard.metrics._kernels.weights import BLOCK_CELLS
from ladderboard.metrics.answer_key import AnswerKey
from tests.metrics.regression_cases import CORRELATIONS, ORACLES

every_correlation = pytest.mark.parametrize("name", CORRELATIONS)
SCIPY = {
    "pearson": lambda y, p: stats.pearsonr(y, p).statistic,
    "spearman": lambda y, p: stats.spearmanr(y, p).statistic,
    "kendall": lambda y, p: stats.kendalltau(y, p, variant="b").statistic,
}


@pytest.mark.parametrize("name", SCIPY)
@pytest.mark.parametrize("values", [3, 30, 10**9], ids=["few values", "some ties", "hardly any ties"])
@pytest.mark.parametrize("items", [5, 16, 17, 500])
def test_the_score_is_scipys(name: str, values: int, items: int) -> None:
    rng = np.random.default_rng([values, items])
    labels = np.append(rng.integers(0, values, items - 2), [0, 1]).astype(float)
    predictions = np.append(rng.integers(0, values, items - 2), [1, 0]).astype(float)
    expected = SCIPY[name](labels, predictions)
    assert METRICS[name].score(labels, predictions) == pytest.approx(expected, abs=1e-12)


def test_lins_concordance_worked_by_hand() -> None:
    # y = 1, 2, 3, 6: mean 3, var (4 + 1 + 0 + 9)/4 = 3.5. p = 2, 2, 4, 4: mean 3, var 1. cov = (2 + 1 + 0 + 3)/4 = 1.5.
    assert METRICS["ccc"].score([1, 2, 3, 6], [2, 2, 4, 4]) == pytest.approx(2 * 1.5 / (3.5 + 1))
    # The same predictions 2 too high: (mean difference)² = 4 joins the denominator.
    assert METRICS["ccc"].score([1, 2, 3, 6], [4, 4, 6, 6]) == pytest.approx(3 / 8.5)
    # Pearson does not see the shift.
    assert METRICS["pearson"].score([1, 2, 3, 6], [4, 4, 6, 6]) == pytest.approx(1.5 / math.sqrt(3.5))


def test_lins_concordance_is_one_only_on_the_line() -> None:
    y = np.array([1.0, 2.0, 4.0])
    assert METRICS["ccc"].score(y, y) == 1.0
    assert METRICS["ccc"].score(y, -y + 2 * y.mean()) == -1.0
    assert METRICS["ccc"].score(y, 2 * y) < 1


@every_correlation
def test_directions_bounds_and_scale(name: str) -> None:
    metric = METRICS[name]
    assert (metric.lower_is_better, metric.bounds, metric.scale) == (False, (-1.0, 1.0), FISHER_Z)


@pytest.mark.parametrize(
    ("name", "expected"),
    [*((name, 1 / math.sqrt(5)) for name in ("pearson", "spearman", "ccc")), ("kendall", math.sqrt(34 / 270))],
)
def test_the_null_standard_error_is_exact_over_all_permutations_of_six_labels(name: str, expected: float) -> None:
    labels = np.array([0.3, 1.0, 1.7, 2.9, 3.1, 7.0])
    scores = [METRICS[name].score(labels, order) for order in itertools.permutations(labels)]
    assert METRICS[name].null_standard_error(labels) == pytest.approx(expected)
    assert np.std(scores) == pytest.approx(expected)
    assert np.mean(scores) == pytest.approx(0, abs=1e-12)


@pytest.mark.claim
def test_the_influence_of_spearman_counts_the_ranks_that_an_item_shifts() -> None:
    y, p = correlated(1000, 0.813, seed=5)  # a Spearman correlation of .80
    metric = METRICS["spearman"]
    error = metric.contributions(y, p).std(ddof=1) / math.sqrt(1000)
    scores = metric.bayesian_replicates(y, p, replicates=20_000, rng=np.random.default_rng(5))
    # The sd of 20,000 replicates is off by 0.5 % (one sd): 2 % is four of those, a false alarm in 15,000.
    assert error == pytest.approx(scores.std(), rel=0.02)
    a, b = standardise(stats.rankdata(y), None), standardise(stats.rankdata(p), None)
    assert a is not None
    assert b is not None
    pearsons = a * b - np.mean(a * b) / 2 * (a * a + b * b)
    assert pearsons.std(ddof=1) / math.sqrt(1000) < 0.96 * scores.std()


@every_correlation
def test_a_huge_offset_changes_nothing(name: str) -> None:
    # Multiples of 2⁻¹⁰ are exact beside 1e12, so that the correlation is the same number with and without the offset.
    y, p = (np.round(v * 1024) / 1024 for v in correlated(300, 0.6, seed=1))
    metric, weights = METRICS[name], np.random.default_rng(1).exponential(size=(20, 300))
    offset = 2.0**40
    for compute in (metric.score, metric.contributions):
        assert compute(y + offset, p + offset) == pytest.approx(compute(y, p), abs=1e-9)
    near, far = metric.replicates(y, p, weights), metric.replicates(y + offset, p + offset, weights)
    assert far == pytest.approx(near, abs=1e-9)


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall"])
def test_predictions_that_differ_in_the_last_digit_only_are_predictions(name: str) -> None:
    labels = np.array([1.0, 2.0, 3.0, 4.0])
    predictions = np.nextafter(0.1, 1) * np.ones(4)
    predictions[0] = 0.1
    expected = SCIPY[name](labels, [0, 1, 1, 1])
    assert METRICS[name].score(labels, predictions) == pytest.approx(expected, abs=1e-12)


@every_correlation
@pytest.mark.parametrize("factor", [1e-100, 1e90])
def test_sizes_near_the_ends_of_the_number_range_neither_overflow_nor_vanish(name: str, factor: float) -> None:
    y, p = correlated(50, 0.6, seed=2)
    metric, weights = METRICS[name], np.random.default_rng(2).exponential(size=(4, 50))
    assert metric.score(y * factor, p * factor) == pytest.approx(metric.score(y, p), abs=1e-12)
    far = metric.replicates(y * factor, p * factor, weights)
    assert far == pytest.approx(metric.replicates(y, p, weights), abs=1e-12)


@pytest.mark.parametrize("name", ["pearson", "ccc"])
def test_a_resample_without_the_one_giant_prediction_is_scored_without_it(name: str) -> None:
    y, p = correlated(60, 0.6, seed=3)
    p[17] = 1e90
    counts = np.ones((2, 60))
    counts[1, 17] = 0
    without = METRICS[name].replicates(y, p, counts)[1]
    assert without == pytest.approx(ORACLES[name](np.delete(y, 17), np.delete(p, 17), np.ones(59)), abs=1e-9)


@pytest.mark.parametrize("name", ["pearson", "ccc"])
def test_weights_that_leave_no_digits_to_the_bulk_arithmetic_are_scored_one_by_one(name: str) -> None:
    # Nearly all weight on two neighbours far from the median: the variance is a difference of nearly equal numbers.
    y = np.array([0.0, 1.0, 2.0, 1e9, 1e9 + 1, 1e9 + 3])
    p = np.array([0.0, 1.0, 2.0, 1e9, 1e9 + 1, 1e9 + 2])
    weights = np.array([[0, 0, 0, 1.0, 2.0, 3.0]])
    expected = ORACLES[name](y[3:] - 1e9, p[3:] - 1e9, weights[0, 3:])
    assert METRICS[name].replicates(y, p, weights)[0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall"])
def test_two_items_correlate_perfectly(name: str) -> None:
    assert METRICS[name].score([1.0, 2.0], [0.1, 0.3]) == pytest.approx(1.0)
    assert METRICS[name].score([1.0, 2.0], [0.3, 0.1]) == pytest.approx(-1.0)
    assert METRICS[name].contributions([1.0, 2.0], [0.1, 0.3]) == pytest.approx([1.0, 1.0])


@every_correlation
def test_an_answer_key_compares_with_the_value_zero(name: str) -> None:
    y, p = correlated(40, 0.6, seed=4)
    key = AnswerKey(y, METRICS[name])
    assert key.baseline.score == 0.0
    assert key.evaluate(key.read(p)).score == pytest.approx(ORACLES[name](y, p, np.ones(40)), abs=1e-12)


@every_correlation
def test_memory_does_not_grow_with_the_number_of_replicates(name: str) -> None:
    y, p = correlated(10_000, 0.6, seed=6)
    block = BLOCK_CELLS // 10_000
    # Two blocks live at once: one is drawn while the one before is still at hand.
    few, many = (peak_memory(name, y, p, replicates=blocks * block) for blocks in (2, 5))
    assert many < 1.1 * few < 80e6


def peak_memory(name: str, y: FloatArray, p: FloatArray, *, replicates: int) -> int:
    tracemalloc.start()
    METRICS[name].bayesian_replicates(y, p, replicates=replicates, rng=np.random.default_rng(6))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def correlated(items: int, correlation: float, *, seed: int) -> tuple[FloatArray, FloatArray]:
    """Normal labels and predictions."""
    a, b = np.random.default_rng(seed).normal(size=(2, items))
    return a, correlation * a + math.sqrt(1 - correlation**2) * b
