"""What holds for every regression and correlation metric alike: oracle values, influence, replicates, refusals."""

import math

import numpy as np
import pytest

from ladderboard.core.errors import LabelsError, PredictionsError, UndefinedMetricError
from ladderboard.core.records import FloatArray
from ladderboard.metrics import METRICS
from ladderboard.metrics._kernels.weights import weight_blocks
from ladderboard.metrics.answer_key import AnswerKey
from tests.metrics.regression_cases import CORRELATIONS, ORACLES, Problem, problem

every_metric = pytest.mark.parametrize("name", ORACLES)
every_correlation = pytest.mark.parametrize("name", CORRELATIONS)
with_and_without_ties = pytest.mark.parametrize("ties", [False, True], ids=["distinct", "ties"])
REPLICATES = 2000


@every_metric
@with_and_without_ties
@pytest.mark.parametrize("seed", range(5))
def test_the_score_is_that_of_an_independent_computation(name: str, ties: bool, seed: int) -> None:
    case = problem(name, seed=seed, items=97, ties=ties)
    assert case.metric.score(case.labels, case.predictions) == pytest.approx(case.expected(), abs=1e-12)
    weighted = case.metric.score(case.labels, case.predictions, weight=case.weight)
    assert weighted == pytest.approx(case.expected(case.weight), abs=1e-12)


@every_metric
@with_and_without_ties
def test_each_replicate_is_the_score_under_that_rows_weights(name: str, ties: bool) -> None:
    case = problem(name, seed=3, ties=ties)
    weights = np.random.default_rng(3).exponential(size=(70, len(case.labels)))  # more rows than one panel has
    scores = case.metric.replicates(case.labels, case.predictions, weights)
    assert scores == pytest.approx([case.expected(row) for row in weights], abs=1e-10)
    alone = [case.metric.score(case.labels, case.predictions, weight=row) for row in weights[:5]]
    assert scores[:5] == pytest.approx(alone, abs=1e-12)


@every_metric
def test_the_scale_of_a_row_of_weights_does_not_matter(name: str) -> None:
    case = problem(name, seed=8)
    weights = np.random.default_rng(8).exponential(size=(3, len(case.labels)))
    scores = case.metric.replicates(case.labels, case.predictions, weights)
    scaled = case.metric.replicates(case.labels, case.predictions, weights * [[1e-9], [1.0], [1e9]])
    assert scaled == pytest.approx(scores, rel=1e-9)


@every_metric
@with_and_without_ties
def test_whole_number_weights_are_repeated_items_also_where_a_count_is_zero(name: str, ties: bool) -> None:
    case = problem(name, seed=4, items=60, ties=ties)
    counts = np.stack([np.roll([0, 2, 1], shift).repeat(20) for shift in range(3)])
    repeated = [case.metric.score(np.repeat(case.labels, row), np.repeat(case.predictions, row)) for row in counts]
    assert case.metric.replicates(case.labels, case.predictions, counts) == pytest.approx(repeated, abs=1e-12)


@every_metric
@with_and_without_ties
@pytest.mark.parametrize("is_weighted", [False, True])
def test_the_contributions_are_the_derivatives_of_the_score_by_each_weight(
    name: str, ties: bool, is_weighted: bool
) -> None:
    case = problem(name, seed=5, items=40, ties=ties)
    weight = case.weight if is_weighted else None
    found = case.metric.contributions(case.labels, case.predictions, weight=weight)
    score = case.expected(weight)
    w = np.ones(40) if weight is None else weight
    step = 1e-5
    up, down = ([case.expected(w + sign * step * unit) for unit in np.eye(40)] for sign in (1, -1))
    slopes = (np.array(up) - np.array(down)) / (2 * step)
    # φ_i = s + n·w_i·∂s/∂w_i: the influence under the weighted distribution times w_i/mean(w).
    assert found == pytest.approx(score + 40 * w * slopes, rel=1e-6, abs=1e-6)
    assert found.mean() == pytest.approx(score, abs=1e-12)


@every_metric
@pytest.mark.claim
def test_the_standard_error_is_the_bootstraps(name: str) -> None:
    case = problem(name, seed=6, items=1000)
    error = standard_error(case, None)
    blocks = weight_blocks(np.random.default_rng(6), replicates=REPLICATES, units=1000, bayesian=False)
    scores = [case.metric.replicates(case.labels, case.predictions, block) for block in blocks]
    # The sd of 2000 replicates is itself off by 1.6 % (one sd); 6 % is beyond 3.5 of those: a false alarm in 2000 per
    # metric, were the seed not fixed.
    assert error == pytest.approx(float(np.concatenate(scores).std(ddof=1)), rel=0.06)


@every_metric
@pytest.mark.claim
def test_the_weighted_standard_error_is_that_of_a_bayesian_bootstrap_of_the_weighted_items(name: str) -> None:
    case = problem(name, seed=7, items=1000)
    error = standard_error(case, case.weight)
    blocks = weight_blocks(np.random.default_rng(7), replicates=REPLICATES, units=1000)
    scores = [case.metric.replicates(case.labels, case.predictions, block * case.weight) for block in blocks]
    # False alarms as above.
    assert error == pytest.approx(float(np.concatenate(scores).std(ddof=1)), rel=0.06)


@every_metric
def test_bayesian_replicates_are_those_under_dirichlet_weights_whatever_the_size_of_a_block(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = problem(name, seed=9, items=50)

    def draw() -> FloatArray:
        rng = np.random.default_rng(9)
        return case.metric.bayesian_replicates(case.labels, case.predictions, replicates=80, rng=rng)

    whole = draw()
    weights = next(weight_blocks(np.random.default_rng(9), replicates=80, units=50))
    assert whole == pytest.approx(case.metric.replicates(case.labels, case.predictions, weights), rel=1e-12)
    monkeypatch.setattr("ladderboard.metrics._kernels.weights.BLOCK_CELLS", 150)
    assert draw() == pytest.approx(whole, rel=1e-12)


@every_metric
def test_two_items_are_enough(name: str) -> None:
    metric = METRICS[name]
    labels, predictions = np.array([1.0, 2.0]), np.array([1.5, 4.0])
    assert metric.score(labels, predictions) == pytest.approx(ORACLES[name](labels, predictions, np.ones(2)), abs=1e-12)
    assert metric.contributions(labels, predictions).mean() == pytest.approx(metric.score(labels, predictions))
    assert AnswerKey(labels, metric).yardstick.null_standard_error > 0


@every_metric
def test_perfect_predictions_have_the_best_score_and_no_spread(name: str) -> None:
    case = problem(name, seed=1)
    best = case.metric.bounds[0 if case.metric.lower_is_better else 1]
    assert case.metric.score(case.labels, case.labels) == pytest.approx(best, abs=1e-12)
    assert case.metric.contributions(case.labels, case.labels) == pytest.approx(np.full(200, best), abs=1e-12)


@every_metric
def test_a_prediction_that_is_no_number_is_refused_by_row(name: str) -> None:
    with pytest.raises(PredictionsError, match="row 1: prediction nan is not a finite number"):
        METRICS[name].score([1.0, 2.0, 3.0], [1.0, math.nan, 2.0])


@pytest.mark.parametrize("name", [*CORRELATIONS, "r2"])
def test_constant_labels_are_refused_as_labels(name: str) -> None:
    with pytest.raises(LabelsError, match="all 3 labels are equal"):
        METRICS[name].score([2.0, 2.0, 2.0], [1.0, 2.0, 3.0])


@pytest.mark.parametrize("name", [*CORRELATIONS, "r2"])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_items_with_constant_labels_have_no_score(name: str, is_weighted: bool) -> None:
    y, p = np.full(3, 0.1), np.array([1.0, 2.0, 3.0])
    w = np.array([0.3, 0.1, 0.7]) if is_weighted else None
    for compute in (METRICS[name].compute_score, METRICS[name].compute_contributions):
        with pytest.raises(UndefinedMetricError):
            compute(y, p, w)


@every_correlation
@pytest.mark.parametrize("constant", [0.0, 0.1, 1e12 / 3])
def test_constant_predictions_are_refused_with_and_without_labels(name: str, constant: float) -> None:
    metric, p = METRICS[name], np.full(7, constant)
    with pytest.raises(UndefinedMetricError, match="all 7 predictions are equal"):
        metric.refuse_undefined(p)
    for compute in (metric.score, metric.contributions):
        with pytest.raises(UndefinedMetricError):
            compute(np.arange(7), p, weight=np.arange(7) + 0.1)


@every_correlation
def test_a_resample_of_one_item_alone_is_undefined(name: str) -> None:
    with pytest.raises(UndefinedMetricError):
        METRICS[name].replicates([0.1, 0.7, 0.3], [0.3, 0.9, 0.2], [[1, 1, 1], [0, 3, 0]])


@every_correlation
def test_the_baseline_of_a_correlation_is_the_value_without_skill(name: str) -> None:
    baseline = METRICS[name].baseline([1.0, 2.0, 4.0])
    assert (baseline.score, baseline.predictions) == (0.0, None)


@pytest.mark.parametrize("name", ["mse", "rmse", "rmsle", "mae", "pinball", "r2"])
def test_no_constant_beats_the_baseline(name: str) -> None:
    case = problem(name, seed=2)
    metric, baseline = case.metric, case.metric.baseline(case.labels)
    others = [metric.score(case.labels, np.full(200, c)) for c in np.linspace(0, case.labels.max(), 500)]
    assert baseline.score <= min(others) + 1e-12 if metric.lower_is_better else baseline.score >= max(others) - 1e-12
    assert baseline.predictions is not None
    assert np.ptp(baseline.predictions) == 0


def standard_error(case: Problem, weight: FloatArray | None) -> float:
    contributions = case.metric.contributions(case.labels, case.predictions, weight=weight)
    return float(contributions.std(ddof=1)) / math.sqrt(len(contributions))
