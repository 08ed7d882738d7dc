"""F1 of the positive class, worked by hand, and where it has no value."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from ladderboard.core.errors import LabelsError, UndefinedMetricError
from ladderboard.core.records import Subset
from ladderboard.metrics import METRICS
from ladderboard.metrics.answer_key import AnswerKey

F1 = METRICS["f1"]


def test_the_positive_class_is_the_greater_label() -> None:
    labels, predictions = ["no", "no", "yes", "yes", "yes"], ["yes", "no", "yes", "yes", "no"]
    assert F1.score(labels, predictions) == pytest.approx(2 * 2 / (3 + 3), abs=1e-15)
    # With "no" as the positive class it would be 2·1/(2 + 2).
    assert F1.score([True, True, False], [True, False, False]) == pytest.approx(2 / 3, abs=1e-15)


def test_more_than_two_classes_are_refused() -> None:
    with pytest.raises(LabelsError, match="3 classes in the labels; this metric takes exactly two"):
        F1.score([0, 1, 2], [0, 1, 2])


def test_no_positive_prediction_scores_zero_while_there_are_positives_to_find() -> None:
    assert F1.score([0, 1, 1], [0, 0, 0]) == 0.0


def test_it_is_undefined_where_neither_a_label_nor_a_prediction_is_positive() -> None:
    key = AnswerKey([0, 0, 0, 1], F1)
    without_positives = key.evaluate(key.read([0, 0, 0, 1])).on(Subset(np.arange(3)))
    for ask in (lambda: without_positives.score, lambda: without_positives.contributions):
        with pytest.raises(UndefinedMetricError, match="score items some of which are positive"):
            ask()
    with pytest.raises(UndefinedMetricError, match="no label and no prediction"):
        F1.replicates([0, 0, 0, 1], [0, 0, 0, 1], [[1, 1, 1, 1], [1, 1, 1, 0]])


def test_one_false_positive_makes_it_zero_and_not_undefined() -> None:
    key = AnswerKey([0, 0, 0, 1], F1)
    assert key.evaluate(key.read([0, 0, 1, 1])).on(Subset(np.arange(3))).score == 0.0


def test_the_baseline_calls_every_item_positive_since_no_constant_scores_more() -> None:
    labels = [0] * 15 + [1] * 5
    assert F1.baseline(labels).score == pytest.approx(2 * 0.25 / 1.25, abs=1e-15)
    assert F1.score(labels, [0] * 20) == 0.0


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=2, max_size=12))
def test_it_is_scikit_learns_on_every_small_table_that_has_a_positive(pairs: list[tuple[int, int]]) -> None:
    y, p = np.array(pairs, dtype=np.int8).T
    if not (y.any() or p.any()):
        with pytest.raises(UndefinedMetricError):
            F1.compute_score(y, p)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn warns of precision without a positive prediction
        assert F1.compute_score(y, p) == pytest.approx(f1_score(y, p), abs=1e-12)
    assert F1.compute_contributions(y, p).mean() == pytest.approx(F1.compute_score(y, p), abs=1e-12)
