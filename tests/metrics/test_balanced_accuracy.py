"""Balanced accuracy, worked by hand, and where a class is missing from the items that count."""

import math

import numpy as np
import pytest

from ladderboard.core.records import Subset
from ladderboard.metrics import METRICS
from ladderboard.metrics.answer_key import AnswerKey

BALANCED_ACCURACY = METRICS["balanced_accuracy"]


def test_each_class_counts_alike_however_rare_it_is() -> None:
    labels = ["common"] * 8 + ["rare"] * 2
    predictions = ["common"] * 6 + ["rare"] * 2 + ["rare", "common"]
    assert BALANCED_ACCURACY.score(labels, predictions) == (6 / 8 + 1 / 2) / 2


def test_every_constant_scores_one_over_the_number_of_classes() -> None:
    labels = [0] * 5 + [1] * 3 + [2] * 2
    for constant in range(3):
        assert BALANCED_ACCURACY.score(labels, [constant] * 10) == pytest.approx(1 / 3, abs=1e-15)
    assert BALANCED_ACCURACY.baseline(labels).score == pytest.approx(1 / 3, abs=1e-15)


def test_a_class_without_items_or_weight_is_left_out_of_the_mean() -> None:
    labels, predictions = [0, 0, 1, 1, 2], [0, 1, 1, 1, 2]
    key = AnswerKey(labels, BALANCED_ACCURACY)
    first_four = key.evaluate(key.read(predictions)).on(Subset(np.arange(4)))
    assert first_four.score == (1 / 2 + 1) / 2
    assert first_four.contributions.mean() == (1 / 2 + 1) / 2
    assert BALANCED_ACCURACY.replicates(labels, predictions, [[1, 1, 1, 1, 0]]).tolist() == [(1 / 2 + 1) / 2]


def test_the_null_standard_error_depends_on_the_numbers_of_items_and_classes_only() -> None:
    rare = BALANCED_ACCURACY.null_standard_error([0] * 95 + [1] * 5)
    even = BALANCED_ACCURACY.null_standard_error([0] * 50 + [1] * 50)
    assert rare == pytest.approx(even, rel=1e-12)
    assert even == pytest.approx(1 / (2 * math.sqrt(99)), rel=1e-12)
