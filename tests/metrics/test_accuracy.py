"""Accuracy is the complement of the error rate, in contributions, tests and yardstick too."""

import math

import numpy as np
import pytest

from ladderboard.inference.pairwise import mcnemar_p_value, paired_p_value
from ladderboard.metrics import METRICS
from ladderboard.metrics.answer_key import AnswerKey

ACCURACY, ERROR_RATE = METRICS["accuracy"], METRICS["error_rate"]


def test_three_of_four_right_is_three_quarters() -> None:
    assert ACCURACY.score(["a", "b", "c", "a"], ["a", "b", "a", "a"]) == 0.75


def test_its_contributions_are_zeros_and_ones() -> None:
    assert ACCURACY.contributions([0, 1, 1, 0], [0, 1, 0, 0]).tolist() == [1.0, 1.0, 0.0, 1.0]


def test_the_baseline_is_the_most_frequent_class() -> None:
    baseline = ACCURACY.baseline([0, 1, 1, 2, 1])
    assert baseline.score == 0.6
    assert baseline.predictions is not None
    assert set(baseline.predictions.tolist()) == {1}


def test_the_null_standard_error_is_that_of_the_baselines_proportion() -> None:
    labels = [1] * 30 + [0] * 20
    assert ACCURACY.null_standard_error(labels) == pytest.approx(math.sqrt(0.6 * 0.4 / 49), rel=1e-12)


def test_two_submissions_are_compared_by_mcnemars_test_as_under_the_error_rate() -> None:
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 2, 200)
    worse, better = (np.where(rng.random(200) < share, labels, 1 - labels) for share in (0.6, 0.75))
    repaired = int(np.sum((better == labels) & (worse != labels)))
    broken = int(np.sum((better != labels) & (worse == labels)))
    for metric in (ACCURACY, ERROR_RATE):
        key = AnswerKey(labels, metric)
        p_value = paired_p_value(key.evaluate(key.read(worse)), key.evaluate(key.read(better)))
        assert p_value == mcnemar_p_value(repaired, broken)
