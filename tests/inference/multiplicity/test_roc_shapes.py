"""An AUC without its curve: the standard error over ROC shapes, and the best AUC of many classifiers."""

import math

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

from ladderboard.core.errors import ParameterError
from ladderboard.core.records import FloatArray
from ladderboard.inference.multiplicity.best_auc import BestAuc, single_auc_survival
from ladderboard.inference.multiplicity.roc_shapes import SHAPES, RocShape, auc_reading


def empirical_aucs(roc: RocShape, rng: np.random.Generator, count: int) -> FloatArray:
    """AUCs of ``count`` simulated test sets, by counting the negatives below each positive."""
    aucs = np.empty(count)
    for run in range(count):
        positives, negatives = roc.simulate(rng)
        aucs[run] = np.searchsorted(np.sort(negatives), positives).sum() / (len(positives) * len(negatives))
    return aucs


@pytest.mark.parametrize("shape", [1 / 3, 1.0, 3.0])
def test_the_curve_has_the_area_and_the_slope_it_should(shape: float) -> None:
    roc = RocShape(0.85, shape, 10, 10)
    rates = np.linspace(0, 1, 200_001)
    assert np.trapezoid(roc.curve(rates), rates) == pytest.approx(0.85, abs=1e-5)
    deviates = stats.norm.ppf(roc.curve([0.1, 0.6])) - shape * stats.norm.ppf([0.1, 0.6])
    assert deviates[0] == pytest.approx(deviates[1])  # Φ⁻¹(ROC) is a straight line of slope b in Φ⁻¹(t)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_joint_probabilities_are_those_of_the_bivariate_normal(shape: float) -> None:
    roc, z = RocShape(0.8, shape, 7, 11), stats.norm.ppf(0.8)
    r1, r2 = shape**2 / (1 + shape**2), 1 / (1 + shape**2)
    q1, q2 = (stats.multivariate_normal.cdf([z, z], cov=[[1, r], [r, 1]]) for r in (r1, r2))
    variance = (0.8 * 0.2 + 6 * (q1 - 0.64) + 10 * (q2 - 0.64)) / 77
    assert roc.standard_error == pytest.approx(math.sqrt(variance), rel=1e-5)


@pytest.mark.claim
@pytest.mark.parametrize("shape", [0.5, 1.0, 2.0])
def test_the_standard_error_is_that_of_simulated_aucs(shape: float) -> None:
    # 8,000 test sets: mean within 4 standard errors, sd within 4/√(2·8,000) = 3.2 %: false alarms 1 in 8,000.
    roc = RocShape(0.85, shape, 40, 160)
    aucs = empirical_aucs(roc, np.random.default_rng(21), 8000)
    assert aucs.mean() == pytest.approx(0.85, abs=4 * roc.standard_error / math.sqrt(8000))
    assert aucs.std() == pytest.approx(roc.standard_error, rel=4 / math.sqrt(16_000))


def test_simulated_scores_agree_with_scikit_learn() -> None:
    roc = RocShape(0.9, 0.7, 30, 70)
    positives, negatives = roc.simulate(np.random.default_rng(22))
    labels = np.r_[np.ones(30), np.zeros(70)]
    counted = np.searchsorted(np.sort(negatives), positives).sum() / 2100
    assert counted == pytest.approx(roc_auc_score(labels, np.r_[positives, negatives]))


@pytest.mark.claim
def test_the_logit_interval_covers() -> None:
    # 2,000 test sets, coverage within 4 standard errors (.0195) of .95, and the interval uses each set's own AUC.
    rng, roc = np.random.default_rng(23), RocShape(0.9, 1.0, 60, 240)
    ends = [RocShape(float(auc), 1.0, 60, 240).interval() for auc in empirical_aucs(roc, rng, 2000)]
    covered = np.mean([low <= 0.9 <= high for low, high in ends])
    assert covered == pytest.approx(0.95, abs=0.0195)


def test_the_widest_shape_decides_the_interval_of_a_bare_number() -> None:
    reading = auc_reading(0.949, positives=136, negatives=7551)  # the melanoma challenge of the paper
    low, high = reading.interval()
    for shape in reading.shapes:
        inner = shape.interval()
        assert low <= inner[0] < 0.949 < inner[1] <= high
    assert reading.standard_errors[1] > 3 * reading.standard_errors[0]
    assert "between 0.0036 and 0.0149" in reading.sentence()


def test_the_plain_interval_is_symmetric() -> None:
    low, high = RocShape(0.8, 1.0, 50, 50).interval(logit=False)
    assert (low + high) / 2 == pytest.approx(0.8)


@pytest.mark.claim
@pytest.mark.parametrize("roc", [RocShape(0.9, 1.0, 53, 500), RocShape(0.8, 1.0, 100, 100), RocShape(0.9, 3.0, 60, 60)])
def test_the_tail_of_one_auc_is_near_that_of_simulation(roc: RocShape) -> None:
    # 40,000 test sets; shares beyond four levels within 4 standard errors and a quarter in the far tail, 5 % before it.
    aucs = empirical_aucs(roc, np.random.default_rng(24), 40_000)
    scores, survival = single_auc_survival(roc)
    for share, tolerance in ((0.5, 0.05), (0.1, 0.05), (0.01, 0.1), (0.001, 0.25)):
        expected = float(np.interp(np.quantile(aucs, 1 - share), scores, survival))
        assert expected == pytest.approx(share, rel=tolerance + 4 / math.sqrt(40_000 * share))


def test_one_classifier_has_the_aucs_own_moments() -> None:
    roc = RocShape(0.9, 1.0, 200, 2000)
    best = BestAuc(roc, 1)
    assert best.mean == pytest.approx(0.9, abs=1e-4)
    assert best.sd == pytest.approx(roc.standard_error, rel=0.01)


def test_the_best_of_many_normal_like_aucs_is_the_normal_expectation() -> None:
    # At an AUC of ½ with many items the law is normal, and the largest of 1000 normals has mean 3.2414.
    roc = RocShape(0.5, 1.0, 20_000, 20_000)
    best = BestAuc(roc, 1000)
    assert (best.mean - 0.5) / roc.standard_error == pytest.approx(3.2414, rel=0.005)
    low, high = best.interval()
    quantiles = stats.norm.ppf(np.array([0.025, 0.975]) ** (1 / 1000))
    assert (low - 0.5) / roc.standard_error == pytest.approx(quantiles[0], rel=0.005)
    assert (high - 0.5) / roc.standard_error == pytest.approx(quantiles[1], rel=0.005)


@pytest.mark.claim
def test_the_best_of_a_thousand_on_few_positives_is_near_that_of_simulation() -> None:
    # 200 simulated boards: the mean of their best has a standard error of .0004. The geometric mean of the two tails is
    # .003 off; the arithmetic one would be .005 off, and either tail alone .008 or more.
    roc, rng = RocShape(0.9, 2.0, 10, 100), np.random.default_rng(3)
    best = [empirical_aucs(roc, rng, 1000).max() for _ in range(200)]
    assert BestAuc(roc, 1000).mean == pytest.approx(np.mean(best), abs=0.004)


def test_the_best_auc_never_exceeds_one() -> None:
    best = BestAuc(RocShape(0.97, 0.5, 20, 400), 100_000)
    assert 0.97 < best.mean < 1
    assert best.upper_limit(0.999) <= 1


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"auc": 1.0}, r"auc is 1\.0"),
        ({"auc": float("nan")}, "auc is nan"),
        ({"positives": 0}, "positives is 0"),
        ({"negatives": 2.5}, "negatives is 2.5"),
        ({"shapes": [-1.0]}, r"shape is -1\.0"),
        ({"shapes": []}, "at least one shape"),
    ],
)
def test_numbers_that_are_no_auc_or_count_are_refused(settings: dict[str, float], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        auc_reading(**{"auc": 0.9, "positives": 10, "negatives": 10, **settings})  # type: ignore[arg-type]
