"""Macro F1: which classes are averaged, and its replicates."""

import numpy as np
import pytest
from sklearn.metrics import f1_score

from ladderboard.core.records import Subset
from ladderboard.metrics import METRICS
from ladderboard.metrics.answer_key import AnswerKey

MACRO_F1 = METRICS["macro_f1"]


def test_it_is_the_mean_of_the_classes_f1() -> None:
    # a: 2·1/(2 + 1), b: 2·1/(1 + 2), c: 1
    assert MACRO_F1.score(["a", "a", "b", "c"], ["a", "b", "b", "c"]) == pytest.approx(7 / 9, abs=1e-15)


def test_a_class_that_is_only_predicted_counts_and_one_that_occurs_nowhere_does_not() -> None:
    labels, predictions = [0, 0, 1, 1, 2, 3], [0, 2, 1, 1, 2, 3]
    key = AnswerKey(labels, MACRO_F1)
    first_four = key.evaluate(key.read(predictions)).on(Subset(np.arange(4)))
    expected = f1_score(labels[:4], predictions[:4], average="macro", labels=[0, 1, 2], zero_division=0)
    assert first_four.score == pytest.approx(expected, abs=1e-15)
    assert first_four.contributions.mean() == pytest.approx(expected, abs=1e-15)
    replicates = MACRO_F1.replicates(labels, predictions, [[1, 1, 1, 1, 0, 0]])
    assert replicates == pytest.approx([expected], abs=1e-15)


def test_the_baseline_is_the_best_constant() -> None:
    labels = [0] * 3 + [1] * 6 + [2] * 1
    scores = [MACRO_F1.score(labels, [constant] * 10) for constant in range(3)]
    assert MACRO_F1.baseline(labels).score == max(scores) == pytest.approx(2 * 0.6 / 1.6 / 3, abs=1e-15)


def test_the_replicates_of_ten_thousand_items_are_those_of_a_loop_of_scikit_learns() -> None:
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 10, 10_000)
    predictions = np.where(rng.random(10_000) < 0.6, labels, rng.integers(0, 10, 10_000))
    weights = rng.exponential(size=(20, 10_000))
    looped = [f1_score(labels, predictions, average="macro", sample_weight=row) for row in weights]
    assert MACRO_F1.replicates(labels, predictions, weights) == pytest.approx(looped, abs=1e-9)
