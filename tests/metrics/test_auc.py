"""AUC: worked by hand, DeLong's covariance from its definition, and the exact null distribution."""

import itertools
import math

import numpy as np
import pytest

from ladderboard.core.errors import UndefinedMetricError
from ladderboard.core.records import FloatArray
from ladderboard.metrics.auc import Auc
from ladderboard.metrics.inputs import Array
from tests.contracts.metric_cases import case_for

AUC = Auc()


def placements(y: Array, p: Array) -> tuple[FloatArray, FloatArray]:
    """DeLong's structural components from the table of all pairs."""
    positive, negative = p[y == 1][:, None], p[y == 0]
    wins = (positive > negative) + 0.5 * (positive == negative)
    return wins.mean(axis=1), wins.mean(axis=0)


def test_equal_scores_count_by_half() -> None:
    # Pairs (positive, negative): .5 = .5 counts ½, .9 > .5 counts 1.
    assert AUC.score([0, 1, 1], [0.5, 0.5, 0.9]) == 0.75
    assert AUC.score([0, 1, 1, 0], [1, 1, 1, 1]) == 0.5


def test_the_greater_label_is_the_positive_class() -> None:
    assert AUC.score(["sick", "healthy", "sick"], [0.9, 0.1, 0.8]) == 1.0
    assert AUC.score([-1, 1, -1], [0.9, 0.1, 0.8]) == 0.0


@pytest.mark.parametrize("decimals", [1, 12], ids=["tied", "all different"])
def test_contributions_reproduce_delongs_covariance_of_two_submissions(decimals: int) -> None:
    rng = np.random.default_rng(1)
    y = (rng.random(120) < 0.3).astype(np.int8)
    first, second = (np.round(y + rng.normal(size=120), decimals) for _ in range(2))
    v1, v2 = placements(y, first), placements(y, second)
    covariance = sum(np.cov(a, b)[0, 1] / len(a) for a, b in zip(v1, v2, strict=True))
    contributions = np.stack([AUC.compute_contributions(y, p) for p in (first, second)])
    # Their own covariance has n − 1 where DeLong's has each class's size: a factor n/(n − 1), here 1.008.
    assert np.cov(contributions)[0, 1] / 120 == pytest.approx(covariance * 120 / 119, rel=1e-12)


def test_the_null_standard_error_is_that_of_all_orders() -> None:
    y = np.array([0, 1, 0, 1, 1], dtype=np.int8)
    scores = [AUC.compute_score(y, np.array(order, dtype=float)) for order in itertools.permutations(range(5))]
    assert AUC.null_standard_error(y) == pytest.approx(np.std(scores), abs=1e-12)


def test_a_class_of_a_single_item_has_a_score_and_finite_contributions() -> None:
    contributions = AUC.contributions([0, 0, 0, 1], [0.1, 0.2, 0.4, 0.3])
    assert np.isfinite(contributions).all()
    assert contributions.mean() == pytest.approx(2 / 3, abs=1e-12)


def test_one_class_alone_has_no_score() -> None:
    y, p = np.zeros(3, dtype=np.int8), np.arange(3.0)
    for compute in (AUC.compute_score, AUC.compute_contributions):
        with pytest.raises(UndefinedMetricError, match="both classes"):
            compute(y, p)
    with pytest.raises(UndefinedMetricError, match="both classes"):
        AUC.replicates([0, 1, 1], [1, 2, 3], [[1, 1, 1], [0, 1, 1]])


def test_results_do_not_depend_on_the_size_of_the_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    case = case_for(AUC)
    whole = AUC.contributions(case.labels, case.predictions)
    monkeypatch.setattr("ladderboard.metrics._kernels.ranking.BLOCK_PLACES", 7)
    np.testing.assert_array_equal(AUC.contributions(case.labels, case.predictions), whole)


@pytest.mark.claim
def test_delongs_standard_error_is_that_of_fresh_samples() -> None:
    """4,000 samples of 150 items: the sd has an error of 1.1 %, so that 5 % is a false alarm for 1 of 10⁵ seeds."""
    rng = np.random.default_rng(2)
    scores, errors = [], []
    for _ in range(4000):
        y = (np.arange(150) < 50).astype(np.int8)
        contributions = AUC.compute_contributions(y, y + rng.normal(size=150))
        scores.append(contributions.mean())
        errors.append(contributions.var(ddof=1) / 150)
    assert math.sqrt(np.mean(errors)) == pytest.approx(np.std(scores), rel=0.05)
