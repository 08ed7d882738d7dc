"""Average precision: worked by hand, base rate of a constant, and the exact null distribution."""

import itertools
import math

import numpy as np
import pytest

from ladderboard.core.errors import UndefinedMetricError
from ladderboard.metrics.average_precision import AveragePrecision

AP = AveragePrecision()


def test_it_is_the_mean_precision_at_the_positives() -> None:
    # From the top: +, −, +, −: precision 1/1 and 2/3 at the two positives.
    assert AP.score([1, 0, 1, 0], [4, 3, 2, 1]) == pytest.approx((1 + 2 / 3) / 2)


def test_equal_scores_share_one_threshold() -> None:
    # + alone on top; then one positive and one negative at once: 2 of 3.
    assert AP.score([1, 0, 1, 0], [4, 2, 2, 1]) == pytest.approx((1 + 2 / 3) / 2)
    assert AP.score([0, 0, 1, 0], [4, 2, 2, 1]) == pytest.approx(1 / 3)


def test_a_constant_scores_the_base_rate_also_under_weights() -> None:
    assert AP.score([1, 0, 0, 0], [7, 7, 7, 7]) == 0.25
    assert AP.score([1, 0, 0, 0], [7, 7, 7, 7], weight=[3, 1, 1, 1]) == 0.5
    assert AP.baseline([1, 0, 0, 0]).score == 0.25
    np.testing.assert_allclose(AP.contributions([1, 0, 0, 0], [7, 7, 7, 7]), [1, 0, 0, 0], atol=1e-15)


@pytest.mark.parametrize(("items", "positives"), [(2, 1), (5, 2), (6, 3), (6, 1), (6, 5)])
def test_the_null_standard_error_is_that_of_all_orders(items: int, positives: int) -> None:
    y = (np.arange(items) < positives).astype(np.int8)
    scores = [AP.compute_score(y, np.array(order, dtype=float)) for order in itertools.permutations(range(items))]
    assert AP.compute_null_standard_error(y) == pytest.approx(np.std(scores), abs=1e-12)


def test_with_many_positives_the_null_standard_error_is_that_of_the_influence_values() -> None:
    """√(π(1 − π)/n), the labels given: the positives of a random order count with exponential weights of variance 1."""
    y = (np.arange(200_000) < 60_000).astype(np.int8)
    assert AP.compute_null_standard_error(y) == pytest.approx(math.sqrt(0.3 * 0.7 / 200_000), rel=1e-3)


def test_without_positives_there_is_no_score() -> None:
    y, p = np.zeros(3, dtype=np.int8), np.arange(3.0)
    for compute in (AP.compute_score, AP.compute_contributions):
        with pytest.raises(UndefinedMetricError, match="positive"):
            compute(y, p)
    with pytest.raises(UndefinedMetricError, match="positive"):
        AP.replicates([0, 1, 0], [1, 2, 3], [[1, 1, 1], [1, 0, 1]])


def test_positives_alone_are_all_found_at_once() -> None:
    y, p = np.ones(3, dtype=np.int8), np.arange(3.0)
    assert AP.compute_score(y, p) == 1.0
    np.testing.assert_array_equal(AP.compute_contributions(y, p), np.ones(3))
    np.testing.assert_array_equal(AP.compute_replicates(y, p, np.ones((2, 3))), np.ones(2))


def test_items_of_weight_zero_at_the_top_are_as_if_they_were_not_there() -> None:
    scores = AP.replicates([1, 0, 1, 0], [4, 3, 2, 1], [[0, 0, 1, 1], [0, 1, 1, 1]])
    np.testing.assert_allclose(scores, [1.0, 0.5])
