"""Metrics of ranked lists: worked by hand, parameters, and what lists and relevant ids may be."""

import math

import numpy as np
import pytest

from ladderboard.core.errors import LabelsError, ParameterError, PredictionsError
from ladderboard.metrics.ranking import (
    HitRate,
    MeanAveragePrecision,
    MeanReciprocalRank,
    NormalisedGain,
    RankingMetric,
    RecallAtK,
)

RELEVANT = ["a b c", "d", "e f"]
LISTS = ["x a b", "y z w", "f"]


@pytest.mark.parametrize(
    ("metric", "by_query"),
    [
        (
            NormalisedGain(k=3),
            [(1 / math.log2(3) + 1 / 2) / (1 + 1 / math.log2(3) + 1 / 2), 0, 1 / (1 + 1 / math.log2(3))],
        ),
        (MeanAveragePrecision(k=3), [(1 / 2 + 2 / 3) / 3, 0, 1 / 2]),
        (MeanReciprocalRank(k=3), [1 / 2, 0, 1]),
        (RecallAtK(k=3), [2 / 3, 0, 1 / 2]),
        (HitRate(k=3), [1, 0, 1]),
    ],
    ids=lambda one: getattr(one, "name", ""),
)
def test_each_query_scores_what_was_worked_out_by_hand(metric: RankingMetric, by_query: list[float]) -> None:
    np.testing.assert_allclose(metric.contributions(RELEVANT, LISTS), by_query)


def test_average_precision_is_that_of_the_first_k() -> None:
    """Of five relevant ids a list of two can name two: Kaggle divides by two."""
    assert MeanAveragePrecision(k=2).score(["a b c d e", "a"], ["a b", "a"]) == 1


def test_gains_are_the_grades_and_the_best_list_is_in_their_order() -> None:
    labels = [["a b", "1 3"], ["c", "2"]]
    assert NormalisedGain(k=2).score(labels, ["b a", "c"]) == 1
    turned = (1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3))
    assert NormalisedGain(k=2).score(labels, ["a b", "c"]) == pytest.approx((turned + 1) / 2)
    assert NormalisedGain(k=2).labels_as_predictions(np.array(labels)).tolist() == ["b a", "c"]


def test_the_baseline_names_what_is_relevant_to_most_queries() -> None:
    baseline = HitRate(k=2).baseline(["a b", "b c", "b", "c"])
    assert baseline.predictions is not None
    assert baseline.predictions.tolist() == ["b c"] * 4
    assert baseline.score == 1


def test_a_long_list_of_queries_is_compared_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = MeanReciprocalRank(k=3).contributions(RELEVANT * 5, LISTS * 5)
    monkeypatch.setattr("ladderboard.metrics.ranking.AT_ONCE", 7)
    np.testing.assert_array_equal(MeanReciprocalRank(k=3).contributions(RELEVANT * 5, LISTS * 5), whole)


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ("a b c d", "has 4 entries; a list has at most 3"),
        ("a b a", "names 'a' twice"),
        ("  ", "names nothing; a list has at least one entry"),
    ],
)
def test_a_list_that_cannot_be_scored_is_refused_by_its_row(bad: str, words: str) -> None:
    with pytest.raises(PredictionsError, match=f"row 1: prediction '{bad}' {words}"):
        HitRate(k=3).score(RELEVANT, ["a", bad, "c"])


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (["", ""], "names nothing; every query needs"),
        (["a a", "1 1"], "names 'a' twice"),
        (["a b", "1"], "has 2 ids and 1 grades"),
        (["a b", "1 0"], "has the grade '0'; grades are whole numbers from 1"),
        (["a", "1.5"], "has the grade '1.5'"),
    ],
)
def test_relevant_ids_without_sense_are_refused_by_their_row(bad: list[str], words: str) -> None:
    with pytest.raises(LabelsError, match=f"row 1: label .* {words}"):
        NormalisedGain().score([["a", "1"], bad], ["a", "b"])


def test_more_than_two_label_columns_are_refused() -> None:
    with pytest.raises(LabelsError, match="3 label columns; one lists the relevant ids"):
        HitRate().score([["a", "1", "x"], ["b", "1", "x"]], ["a", "b"])


@pytest.mark.parametrize("k", [0, 1001])
def test_k_has_limits(k: int) -> None:
    with pytest.raises(ParameterError, match=f"k is {k}; it must be a whole number from 1"):
        HitRate(k=k)


def test_the_name_says_k_where_it_is_not_the_usual_one() -> None:
    assert (HitRate().name, HitRate(k=5).name) == ("hit_rate", "hit_rate@5")
