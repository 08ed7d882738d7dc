"""The Matthews correlation of two and more classes, and where it has no value."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import matthews_corrcoef

from ladderboard.core.errors import UndefinedMetricError
from ladderboard.core.records import Subset
from ladderboard.metrics import METRICS
from ladderboard.metrics.answer_key import AnswerKey

MCC = METRICS["mcc"]


def test_two_classes_worked_by_hand() -> None:
    # tp = 3, tn = 2, fp = 1, fn = 1: (3·2 − 1·1)/√(4·4·3·3)
    labels, predictions = [1, 1, 1, 1, 0, 0, 0], [1, 1, 1, 0, 0, 0, 1]
    assert MCC.score(labels, predictions) == pytest.approx(5 / 12, abs=1e-15)


def test_for_two_classes_it_is_the_pearson_correlation_of_the_codes() -> None:
    rng = np.random.default_rng(1)
    labels, predictions = rng.integers(0, 2, (2, 50))
    assert MCC.score(labels, predictions) == pytest.approx(np.corrcoef(labels, predictions)[0, 1], abs=1e-12)


def test_constant_predictions_are_refused_before_any_label_is_looked_at() -> None:
    with pytest.raises(UndefinedMetricError, match=r"all 4 predictions are one class.*predict at least two classes"):
        AnswerKey(["a", "b", "c", "a"], MCC).read(["b", "b", "b", "b"])
    AnswerKey(["a", "b", "c", "a"], MCC).read(["b", "b", "b", "a"])


def test_constant_predictions_have_no_score_contributions_or_replicates() -> None:
    labels, predictions = [0, 1, 2, 0], [1, 1, 1, 1]
    for ask in (MCC.score, MCC.contributions):
        with pytest.raises(UndefinedMetricError, match="one class"):
            ask(labels, predictions)
        with pytest.raises(UndefinedMetricError, match="one class"):
            ask(labels, predictions, weight=[0.1, 0.7, 0.3, 0.9])
    with pytest.raises(UndefinedMetricError, match="one class"):
        MCC.replicates(labels, predictions, [[0.1, 0.7, 0.3, 0.9]])


def test_it_is_undefined_on_items_of_one_class() -> None:
    key = AnswerKey([0, 0, 0, 1], MCC)
    with pytest.raises(UndefinedMetricError, match="all labels or all predictions of these items are one class"):
        _ = key.evaluate(key.read([0, 1, 0, 1])).on(Subset(np.arange(3))).score


def test_the_baseline_is_the_null_value() -> None:
    baseline = MCC.baseline([0, 1, 1])
    assert baseline.score == 0.0
    assert baseline.predictions is None


def test_the_null_standard_error_of_two_classes_is_that_of_a_correlation() -> None:
    assert MCC.null_standard_error([0] * 90 + [1] * 11) == pytest.approx(1 / math.sqrt(100), rel=1e-12)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=12))
def test_it_is_scikit_learns_on_every_small_table_where_both_sides_vary(pairs: list[tuple[int, int]]) -> None:
    y, p = np.array(pairs, dtype=np.int8).T
    if len(set(y.tolist())) == 1 or len(set(p.tolist())) == 1:
        with pytest.raises(UndefinedMetricError):
            MCC.compute_score(y, p)
        return
    assert MCC.compute_score(y, p) == pytest.approx(matthews_corrcoef(y, p), abs=1e-12)
    assert MCC.compute_contributions(y, p).mean() == pytest.approx(MCC.compute_score(y, p), abs=1e-12)
