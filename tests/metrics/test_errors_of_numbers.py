"""RMSE, RMSLE, MAE, sMAPE, pinball and R²: worked by hand, their options, their baselines and their edges."""

import math

import numpy as np
import pytest
from sklearn.metrics import mean_pinball_loss

from ladderboard.core.errors import LabelsError, ParameterError, PredictionsError, UndefinedMetricError
from ladderboard.core.scales import LOG, LOG_COMPLEMENT
from ladderboard.metrics import METRICS
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.metrics.pinball import Pinball


@pytest.mark.parametrize("name", ["mse", "rmse", "rmsle", "mae", "smape", "pinball"])
def test_errors_are_better_low_and_lie_on_a_log_scale(name: str) -> None:
    metric = METRICS[name]
    highest = 200.0 if name == "smape" else math.inf
    assert (metric.lower_is_better, metric.bounds, metric.scale) == (True, (0.0, highest), LOG)


def test_r2_is_better_high_and_has_no_lower_bound() -> None:
    metric = METRICS["r2"]
    assert (metric.lower_is_better, metric.bounds, metric.scale) == (False, (-math.inf, 1.0), LOG_COMPLEMENT)


def test_smape_is_the_variant_that_ends_at_200() -> None:
    metric = METRICS["smape"]
    assert metric.score([1.0, -1.0], [-1.0, 5.0]) == 200.0
    assert metric.score([0.0, 1.0], [3.0, 0.0]) == 200.0
    assert metric.score([0.0, 1.0], [0.0, 3.0]) == 50.0  # both zero: no error; 200·2/4 on the other item


def test_the_baseline_of_smape_is_a_label_so_that_opposite_signs_do_not_cancel() -> None:
    labels = [-2.0, -1.0, 1.0, 2.0]  # half-way between the middle two lies 0, which loses 200 everywhere
    baseline = METRICS["smape"].baseline(labels)
    assert baseline.predictions is not None
    assert baseline.predictions.tolist() == [-1.0] * 4
    assert AnswerKey(labels, METRICS["smape"]).yardstick.null_standard_error > 0


@pytest.mark.parametrize("quantile", [0.01, 0.25, 0.9])
def test_the_pinball_loss_of_any_quantile_is_scikit_learns(quantile: float) -> None:
    y, p, w = np.random.default_rng(1).gamma(2.0, size=(3, 80))
    metric = Pinball(quantile=quantile)
    assert metric.score(y, p) == pytest.approx(mean_pinball_loss(y, p, alpha=quantile))
    expected = mean_pinball_loss(y, p, alpha=quantile, sample_weight=w)
    assert metric.score(y, p, weight=w) == pytest.approx(expected)


def test_the_best_constant_under_a_pinball_loss_is_the_quantile() -> None:
    labels = np.random.default_rng(2).normal(size=101)
    baseline = Pinball(quantile=0.9).baseline(labels)
    others = [Pinball(quantile=0.9).score(labels, np.full(101, label)) for label in labels]
    assert baseline.score == pytest.approx(min(others))
    assert baseline.predictions is not None
    assert np.mean(labels <= baseline.predictions[0]) == pytest.approx(91 / 101)


def test_a_quantile_other_than_the_median_is_part_of_the_name() -> None:
    assert METRICS["pinball"].name == "pinball"
    assert [Pinball(quantile=q).name for q in (0.5, 0.9, 0.025)] == ["pinball", "pinball@0.9", "pinball@0.025"]


@pytest.mark.parametrize("quantile", [0.0, 1.0, -0.5, math.nan])
def test_a_quantile_outside_of_zero_and_one_is_refused(quantile: float) -> None:
    with pytest.raises(ParameterError, match=r"quantile is .*; it must lie strictly between 0 and 1"):
        Pinball(quantile=quantile)


def test_the_logarithmic_error_takes_no_negative_numbers() -> None:
    with pytest.raises(LabelsError, match=r"row 0: label -0\.5 is below 0"):
        METRICS["rmsle"].score([-0.5, 1.0], [0.0, 1.0])
    with pytest.raises(PredictionsError, match=r"row 1: prediction -0\.5 is below 0"):
        METRICS["rmsle"].score([0.0, 1.0], [0.0, -0.5])


def test_the_root_of_a_perfect_score_has_contributions_of_zero() -> None:
    for name in ("rmse", "rmsle"):
        assert METRICS[name].contributions([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]).tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("name", ["mse", "mae"])
def test_a_baseline_that_errs_alike_everywhere_still_has_a_null_standard_error(name: str) -> None:
    labels = np.repeat([0.1, 0.7], 50)  # every label is .3 from the mean and the median, up to rounding
    error = METRICS[name].null_standard_error(labels)
    # Shuffled labels miss about half the time; a miss costs .36 or .6, so their losses have a standard error of about
    # cost·√(¼/100), of which a half is the floor where labels have two values. Between 30 and 70 misses (always, in
    # effect) √(h(1−h)) is ≥ .458.
    cost = {"mse": 0.36, "mae": 0.6}[name]
    assert error == pytest.approx(0.5 * cost * math.sqrt(0.25 / 100), rel=0.1)


@pytest.mark.parametrize("name", ["mse", "mae", "error_rate"])
def test_the_floor_of_the_null_standard_error_is_not_reached_where_losses_vary_as_usual(name: str) -> None:
    metric, rng = METRICS[name], np.random.default_rng(4)
    labels = rng.integers(0, 2, 400) if name == "error_rate" else rng.normal(size=400)
    baseline = metric.baseline(labels).predictions
    assert baseline is not None
    losses = metric.compute_contributions(metric.kind.read_labels(labels).values, baseline)
    assert metric.null_standard_error(labels) == pytest.approx(np.std(losses, ddof=1) / 20)


def test_r2_of_a_huge_offset_is_that_without_it() -> None:
    y, e = (np.round(v * 1024) / 1024 for v in np.random.default_rng(3).normal(size=(2, 200)))
    weights = np.random.default_rng(3).exponential(size=(9, 200))
    metric, offset = METRICS["r2"], 2.0**40
    assert metric.score(y + offset, y + e + offset) == pytest.approx(metric.score(y, y + e), abs=1e-9)
    far, near = (metric.replicates(y + at, y + e + at, weights) for at in (offset, 0.0))
    assert far == pytest.approx(near, abs=1e-9)


def test_r2_beyond_the_range_of_numbers_is_undefined_and_not_infinite() -> None:
    labels = np.array([0.0, 1e-99, 2e-99])
    with pytest.raises(UndefinedMetricError):
        METRICS["r2"].score(labels, [1e99, -1e99, 0.0])
    assert METRICS["r2"].score(labels, labels * 2) == pytest.approx(1 - (1 + 4) / 2)


def test_a_resample_of_equal_labels_has_no_r2() -> None:
    with pytest.raises(UndefinedMetricError):
        METRICS["r2"].replicates([0.1, 0.1, 0.3], [0.0, 0.2, 0.3], [[1, 1, 1], [1, 2, 0]])


@pytest.mark.parametrize("share", [0.5, 0.4, 0.1])
def test_the_scale_of_squared_errors_of_two_values_is_the_brier_scores(share: float) -> None:
    # Both score the same forecasts alike; the baseline's own losses are all equal where the values are balanced.
    labels = (np.arange(2000) < 2000 * share).astype(float)
    squared, brier = (METRICS[name].null_standard_error(labels) for name in ("mse", "brier"))
    assert squared == pytest.approx(brier, rel=0.15)
    assert METRICS["mse"].null_standard_error(3 + 2 * labels) == pytest.approx(4 * squared)


def test_the_scale_of_squared_errors_of_many_values_is_the_baselines() -> None:
    labels = np.random.default_rng(3).normal(size=500)
    spread = np.std((labels - labels.mean()) ** 2, ddof=1)
    assert METRICS["mse"].null_standard_error(labels) == pytest.approx(spread / math.sqrt(500), rel=1e-12)
