"""Quadratic kappa as an agreement of ordered classes, and as a concordance correlation."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from ladderboard.core.errors import UndefinedMetricError
from ladderboard.core.records import Subset
from ladderboard.metrics import METRICS
from ladderboard.metrics.answer_key import AnswerKey

KAPPA = METRICS["quadratic_kappa"]


def test_it_is_the_concordance_correlation_of_the_codes() -> None:
    rng = np.random.default_rng(1)
    y = np.concatenate([np.arange(5), rng.integers(0, 5, 95)])
    p = np.clip(y + rng.integers(-1, 3, 100), 0, 4)
    covariance = np.cov(y, p, ddof=0)
    concordance = 2 * covariance[0, 1] / (covariance[0, 0] + covariance[1, 1] + (y.mean() - p.mean()) ** 2)
    assert KAPPA.score(y, p) == pytest.approx(concordance, abs=1e-12)


def test_a_near_miss_costs_less_than_a_far_one() -> None:
    labels = [1, 2, 3, 4, 5]
    assert KAPPA.score(labels, [1, 2, 3, 4, 4]) > KAPPA.score(labels, [1, 2, 3, 4, 1])


def test_neighbouring_classes_are_one_apart_whatever_their_values() -> None:
    assert KAPPA.score([1, 2, 50], [1, 50, 50]) == KAPPA.score([0, 1, 2], [0, 2, 2])


def test_codes_stay_those_of_all_classes_on_items_that_lack_one() -> None:
    labels, predictions = [0, 2, 2, 0, 1], [0, 2, 0, 0, 1]
    key = AnswerKey(labels, KAPPA)
    first_four = key.evaluate(key.read(predictions)).on(Subset(np.arange(4)))
    expected = cohen_kappa_score(labels[:4], predictions[:4], weights="quadratic", labels=[0, 1, 2])
    assert first_four.score == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("classes", [120, 300])
def test_the_squares_of_codes_do_not_overflow_the_small_integers_that_hold_them(classes: int) -> None:
    labels = np.repeat(np.arange(classes), 2)
    assert KAPPA.score(labels, labels) == pytest.approx(1.0, abs=1e-12)
    assert KAPPA.score(labels, labels[::-1]) == pytest.approx(-1.0, abs=1e-12)


def test_a_constant_scores_zero_like_the_baseline() -> None:
    assert KAPPA.score([0, 1, 2, 2], [1, 1, 1, 1]) == pytest.approx(0.0, abs=1e-15)
    assert KAPPA.baseline([0, 1, 2, 2]).score == 0.0


def test_it_is_undefined_where_all_is_one_class() -> None:
    key = AnswerKey([2, 2, 2, 1], KAPPA)
    same = key.evaluate(key.read([2, 2, 2, 2])).on(Subset(np.arange(3)))
    for ask in (lambda: same.score, lambda: same.contributions):
        with pytest.raises(UndefinedMetricError, match=r"one and the same class.*score items of at least two classes"):
            ask()
    with pytest.raises(UndefinedMetricError, match="one and the same class"):
        KAPPA.replicates([1, 2, 2, 2], [2, 2, 2, 2], [[0.0, 0.1, 0.7, 0.3]])


def test_the_null_standard_error_is_that_of_a_correlation() -> None:
    assert KAPPA.null_standard_error([1, 2, 3, 4, 4] * 13) == pytest.approx(1 / math.sqrt(64), rel=1e-12)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=12))
def test_it_is_scikit_learns_on_every_small_table_with_two_classes(pairs: list[tuple[int, int]]) -> None:
    y, p = np.array(pairs, dtype=np.int8).T
    if len({*y.tolist(), *p.tolist()}) == 1:
        with pytest.raises(UndefinedMetricError):
            KAPPA.compute_score(y, p)
        return
    expected = cohen_kappa_score(y, p, weights="quadratic", labels=[0, 1, 2, 3])
    assert KAPPA.compute_score(y, p) == pytest.approx(expected, abs=1e-12)
    assert KAPPA.compute_contributions(y, p).mean() == pytest.approx(expected, abs=1e-12)
