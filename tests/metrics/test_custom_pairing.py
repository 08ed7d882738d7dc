"""A function whose value does not depend on which prediction belongs to which label is no metric."""

import math
from typing import Any

import numpy as np
import pytest

import ladderboard as lb
from ladderboard.core.errors import ParameterError
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.metrics.custom.metric import metric_from_function
from ladderboard.metrics.inputs import Array


def bias(labels: Array, predictions: Array) -> float:
    return abs(float((predictions - labels).mean()))


def gap_of_shares(labels: Array, predictions: Array) -> float:
    return abs(float((predictions == 1).mean() - (labels == 1).mean()))


def wrong(labels: Array, predictions: Array) -> float:
    return float((predictions != labels).mean())


@pytest.mark.parametrize(
    ("function", "takes", "labels"),
    [
        (bias, "numbers", np.random.default_rng(1).normal(3, 2, 400)),
        (gap_of_shares, "classes", np.random.default_rng(2).integers(0, 2, 400)),
    ],
)
def test_a_metric_that_ignores_the_pairing_is_refused_with_the_reason(function: Any, takes: str, labels: Array) -> None:
    metric = metric_from_function(function, lower_is_better=True, bounds=(0, math.inf), takes=takes)
    with pytest.raises(ParameterError, match="the same value whichever prediction stands beside which label"):
        lb.Holdout(labels, metric=metric, path=":memory:")


def test_a_metric_that_needs_the_pairing_is_taken() -> None:
    metric = metric_from_function(wrong, lower_is_better=True, bounds=(0, 1), takes="classes")
    assert AnswerKey([0, 1] * 200, metric).yardstick.null_standard_error > 0.01


def test_labels_that_do_not_vary_are_still_named_as_the_cause() -> None:
    metric = metric_from_function(bias, lower_is_better=True, bounds=(0, math.inf))
    with pytest.raises(lb.LadderboardError, match="labels do not vary"):
        _ = AnswerKey([2.0] * 50, metric).yardstick
