"""What every registered metric promises: scores, contributions, replicates, baselines and null standard errors."""

import math
from collections.abc import Iterable

import numpy as np
import pytest

from ladderboard.core.records import FloatArray
from ladderboard.metrics import METRICS
from ladderboard.metrics._kernels.weights import weight_blocks
from ladderboard.metrics.base import Metric
from ladderboard.metrics.column_inputs import NumberColumns
from ladderboard.metrics.inputs import Array, Numbers, Scores, Survival
from tests.contracts.metric_cases import ITEMS, PEERS, WITHOUT_PEER, Case, case_for

EXACT = 1e-9
REPLICATES = 2000
COSTLY = 50
"""The relative cost from which answers are compared one by one."""
STRETCHED = {"auc": 0.03, "mean_columnwise_auc": 0.1}
"""Contributions that are more than derivatives: DeLong's have √(n_c/(n_c − 1)) for a class of n_c items."""


def for_each(metrics: Iterable[Metric]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("metric", list(metrics), ids=lambda metric: metric.name)


all_metrics = for_each(METRICS.values())


@pytest.fixture
def case(metric: Metric) -> Case:
    return case_for(metric)


def item_weights(seed: int, items: int = ITEMS) -> FloatArray:
    return np.random.default_rng(seed).uniform(0.2, 3.0, items)


def weight_table(metric: Metric, rows: int, seed: int = 5) -> FloatArray:
    rng = np.random.default_rng(seed)
    bayesian = metric.takes_real_weights
    return np.concatenate(list(weight_blocks(rng, replicates=rows, units=ITEMS, bayesian=bayesian)))


# -- scores --------------------------------------------------------------------------------------------------


def test_the_registry_lists_each_metric_under_its_own_name() -> None:
    assert all(name == metric.name for name, metric in METRICS.items())


def test_every_metric_has_an_independent_peer_or_a_stated_reason() -> None:
    assert set(METRICS) <= set(PEERS) | set(WITHOUT_PEER)
    assert set(PEERS) | set(WITHOUT_PEER) <= set(METRICS)
    assert all(WITHOUT_PEER.values())


@for_each(METRICS[name] for name in PEERS)
@pytest.mark.parametrize("seed", range(3))
def test_the_score_is_that_of_an_independent_implementation(metric: Metric, seed: int) -> None:
    case = case_for(metric, seed=seed, items=97)
    expected = PEERS[metric.name].score(case.labels, case.predictions, np.ones(97))
    assert metric.score(case.labels, case.predictions) == pytest.approx(expected, abs=EXACT)


@for_each(METRICS[name] for name in PEERS)
def test_the_weighted_score_is_that_of_an_independent_implementation(metric: Metric) -> None:
    case, peer = case_for(metric, items=97), PEERS[metric.name]
    counts = np.random.default_rng(1).integers(1, 4, 97).astype(float)
    weight = counts if peer.weights == "counts" else item_weights(1, 97)
    expected = peer.score(case.labels, case.predictions, weight)
    assert metric.score(case.labels, case.predictions, weight=weight) == pytest.approx(expected, abs=EXACT)


@all_metrics
def test_the_order_of_the_items_does_not_matter(metric: Metric, case: Case) -> None:
    order = np.random.default_rng(2).permutation(ITEMS)
    shuffled = case.take(order)
    score = metric.score(case.labels, case.predictions)
    assert metric.score(shuffled.labels, shuffled.predictions) == pytest.approx(score, abs=EXACT)
    contributions = metric.contributions(case.labels, case.predictions)
    moved = metric.contributions(shuffled.labels, shuffled.predictions)
    np.testing.assert_allclose(moved, contributions[order], atol=EXACT)


@all_metrics
def test_equal_weights_change_nothing(metric: Metric, case: Case) -> None:
    weight = np.full(ITEMS, 0.7)
    plain, weighted = (metric.contributions(case.labels, case.predictions, weight=w) for w in (None, weight))
    np.testing.assert_allclose(weighted, plain, atol=EXACT)


# -- contributions -------------------------------------------------------------------------------------------


@all_metrics
@pytest.mark.parametrize("weight", [None, item_weights(3)], ids=["plain", "weighted"])
def test_the_mean_of_the_contributions_is_the_score(metric: Metric, case: Case, weight: FloatArray | None) -> None:
    contributions = metric.contributions(case.labels, case.predictions, weight=weight)
    assert contributions.shape == (ITEMS,)
    score = metric.score(case.labels, case.predictions, weight=weight)
    assert contributions.mean() == pytest.approx(score, abs=EXACT)


@all_metrics
def test_a_contribution_is_the_derivative_of_the_score_by_the_items_weight(metric: Metric) -> None:
    case, weight, step = case_for(metric, items=100), item_weights(4, 100), 1e-4
    influence = metric.contributions(case.labels, case.predictions, weight=weight)
    influence -= metric.score(case.labels, case.predictions, weight=weight)
    for item in range(0, 100, 9):
        up, down = (weight * np.where(np.arange(100) == item, 1 + change, 1.0) for change in (step, -step))
        change = metric.score(case.labels, case.predictions, weight=up)
        change -= metric.score(case.labels, case.predictions, weight=down)
        derivative = pytest.approx(100 * change / (2 * step), rel=STRETCHED.get(metric.name, 1e-6), abs=1e-6)
        assert influence[item] == derivative


@all_metrics
@pytest.mark.parametrize("weight", [None, item_weights(3)], ids=["plain", "weighted"])
def test_their_spread_over_the_root_of_n_is_the_bootstraps_standard_error(
    metric: Metric, case: Case, weight: FloatArray | None
) -> None:
    """Within 10 %: the bootstrap's own error is 1.6 % (2,000 replicates), the rest is of the next order in 1/√400."""
    contributions = metric.contributions(case.labels, case.predictions, weight=weight)
    rows = weight_table(metric, REPLICATES) * (1.0 if weight is None else weight)
    bootstrap = metric.replicates(case.labels, case.predictions, rows).std(ddof=1)
    assert contributions.std(ddof=1) / math.sqrt(ITEMS) == pytest.approx(bootstrap, rel=0.10)


# -- replicates ----------------------------------------------------------------------------------------------


@all_metrics
def test_replicates_under_equal_weights_are_the_score(metric: Metric, case: Case) -> None:
    scores = metric.replicates(case.labels, case.predictions, np.ones((3, ITEMS)))
    np.testing.assert_allclose(scores, metric.score(case.labels, case.predictions), atol=EXACT)


@all_metrics
def test_each_replicate_is_the_score_under_its_row_of_weights(metric: Metric, case: Case) -> None:
    rows = weight_table(metric, 20) + (0.0 if metric.takes_real_weights else 1.0)
    expected = [metric.score(case.labels, case.predictions, weight=row) for row in rows]
    np.testing.assert_allclose(metric.replicates(case.labels, case.predictions, rows), expected, atol=EXACT)


@all_metrics
def test_the_scale_of_a_row_of_weights_does_not_matter(metric: Metric, case: Case) -> None:
    rows = weight_table(metric, 5)
    factors = np.array([[1.0], [2.0], [5.0], [16.0], [1000.0]])
    expected = metric.replicates(case.labels, case.predictions, rows)
    np.testing.assert_allclose(metric.replicates(case.labels, case.predictions, rows * factors), expected, atol=EXACT)


@all_metrics
def test_a_weight_of_zero_leaves_the_item_out(metric: Metric, case: Case) -> None:
    kept = np.arange(ITEMS) % 3 > 0
    part = case.take(kept)
    scores = metric.replicates(case.labels, case.predictions, kept[None, :].astype(float))
    assert scores[0] == pytest.approx(metric.score(part.labels, part.predictions), abs=EXACT)


@all_metrics
def test_bayesian_replicates_are_seeded_and_centred_on_the_score(metric: Metric, case: Case) -> None:
    def draw(replicates: int) -> Array:
        rng = np.random.default_rng(9)
        return metric.bayesian_replicates(case.labels, case.predictions, replicates=replicates, rng=rng)

    scores = draw(500)
    np.testing.assert_array_equal(scores, draw(500))
    # Bias and Monte Carlo error together: half a standard error is eleven standard errors of the mean of 500.
    assert abs(scores.mean() - metric.score(case.labels, case.predictions)) < 0.5 * scores.std()


# -- baseline and null standard error ------------------------------------------------------------------------


def shuffled_scores(metric: Metric, case: Case, draws: int) -> FloatArray:
    """Scores without skill: the predictions are given to the wrong items."""
    rng = np.random.default_rng(7)
    return np.array([metric.score(case.labels, rng.permutation(case.predictions)) for _ in range(draws)])


@all_metrics
def test_the_baseline_lies_within_the_bounds_and_is_the_score_of_its_predictions(metric: Metric, case: Case) -> None:
    baseline = metric.baseline(case.labels)
    assert metric.bounds[0] <= baseline.score <= metric.bounds[1]
    if baseline.predictions is not None:
        assert (baseline.predictions == baseline.predictions[0]).all(), "a baseline looks at no item"
        given = in_the_users_words(metric, case, baseline.predictions)
        assert metric.score(case.labels, given) == pytest.approx(baseline.score, abs=EXACT)


def in_the_users_words(metric: Metric, case: Case, predictions: Array) -> Array:
    """Codes as classes; numbers and tables of probabilities as they are."""
    classes = metric.kind.read_labels(case.labels).classes
    is_codes = bool(classes) and predictions.dtype.kind in "iu"
    return np.asarray(classes)[predictions] if is_codes else predictions


@for_each(metric for metric in METRICS.values() if metric.baseline(case_for(metric).labels).predictions is None)
def test_a_null_value_is_what_predictions_without_skill_score_on_average(metric: Metric, case: Case) -> None:
    baseline = metric.baseline(case.labels)
    scores = shuffled_scores(metric, case, 300)
    # Four standard errors of the mean: one false alarm in 16,000 seeds.
    assert abs(scores.mean() - baseline.score) < 4 * scores.std() / math.sqrt(300)


@all_metrics
def test_predictions_with_skill_beat_those_without(metric: Metric, case: Case) -> None:
    sign = -1 if metric.lower_is_better else 1
    score = metric.score(case.labels, case.predictions)
    assert (sign * shuffled_scores(metric, case, 20) < sign * score).all()


@all_metrics
@pytest.mark.parametrize("items", [60, ITEMS])
def test_the_null_standard_error_is_within_a_factor_of_two_of_shuffled_predictions(metric: Metric, items: int) -> None:
    """Or what the metric says it is at least, where shuffled texts agree with nothing."""
    case = case_for(metric, items=items)
    null = metric.null_standard_error(case.labels)
    assert null > 0
    # With 40 draws the standard deviation is known within a ninth.
    found = shuffled_scores(metric, case, 40 if metric.relative_cost >= COSTLY else 200).std(ddof=1)
    least = getattr(metric, "least_spread", 0.0) / math.sqrt(items)
    assert 0.5 * found < null < max(2 * found, 1.001 * least)


@for_each(metric for metric in METRICS.values() if not isinstance(metric.kind, Survival))
def test_perfect_predictions_reach_the_better_bound_or_come_near(metric: Metric, case: Case) -> None:
    """The labels themselves as predictions; rows (time, event) are none."""
    target = metric.kind.read_labels(case.labels)
    perfect = metric.compute_score(target.values, metric.labels_as_predictions(target.values))
    sign = -1 if metric.lower_is_better else 1
    assert metric.bounds[0] <= perfect <= metric.bounds[1]
    assert sign * perfect > sign * metric.score(case.labels, case.predictions)


@for_each(metric for metric in METRICS.values() if not isinstance(metric.kind, Survival))
def test_rounding_carries_no_replicate_out_of_the_bounds(metric: Metric, case: Case) -> None:
    target = metric.kind.read_labels(case.labels)
    perfect = metric.labels_as_predictions(target.values)
    worst = perfect.max() - perfect if isinstance(metric.kind, Scores | Numbers | NumberColumns) else perfect[::-1]
    for predictions in (perfect, worst):
        scores = metric.replicates_in_blocks(target.values, predictions, weight_table(metric, 200))
        assert metric.bounds[0] <= scores.min()
        assert scores.max() <= metric.bounds[1]
        score = metric.compute_score(target.values, predictions, item_weights(3))
        assert metric.bounds[0] <= score <= metric.bounds[1]


# -- concentration -------------------------------------------------------------------------------------------


@for_each(metric for metric in METRICS.values() if metric.name in ("error_rate", "brier", "auc", "balanced_accuracy"))
@pytest.mark.parametrize("weight", [None, item_weights(6, 60)], ids=["plain", "weighted"])
def test_no_item_moves_the_score_by_more_than_its_leverage(metric: Metric, weight: FloatArray | None) -> None:
    case = case_for(metric, items=60)
    target = metric.kind.read_labels(case.labels)
    leverages = metric.compute_leverages(target.values, weight)
    assert leverages is not None
    score, width = metric.score(case.labels, case.predictions, weight=weight), metric.bounds[1] - metric.bounds[0]
    moves = np.zeros(60)
    for item in range(60):
        for other in case.predictions[:20]:
            changed = case.predictions.copy()
            changed[item] = other
            moves[item] = max(moves[item], abs(metric.score(case.labels, changed, weight=weight) - score))
    assert np.all(moves <= leverages * width + EXACT)
    assert np.any(moves > leverages * width / 3)


def test_nothing_is_claimed_to_be_proven_of_ratios_and_correlations() -> None:
    labels = {"f1": [0, 1] * 5, "mcc": [0, 1] * 5, "pearson": range(10), "kendall": range(10), "rmse": range(10)}
    for name, given in labels.items():
        assert METRICS[name].compute_leverages(METRICS[name].kind.read_labels(list(given)).values) is None


@for_each(metric for metric in METRICS.values() if metric.decides_by is not None)
def test_the_metric_that_decides_orders_predictions_as_the_metric_does(metric: Metric) -> None:
    case, rng = case_for(metric), np.random.default_rng(3)
    files = [case.predictions * rng.uniform(0.5, 2.0, len(case.labels)) for _ in range(30)]
    assert metric.decides_by is not None
    scores, deciding = ([one.score(case.labels, p) for p in files] for one in (metric, metric.decides_by))
    assert np.argsort(scores).tolist() == np.argsort(deciding).tolist()
