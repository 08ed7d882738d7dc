"""The answer key: splits, groups, weights and what it refuses."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ladderboard.core.errors import LabelsError, PredictionsError
from ladderboard.core.records import Evaluation
from ladderboard.metrics import METRICS
from ladderboard.metrics.answer_key import AnswerKey


def key_of(labels: Any, metric: str = "error_rate", **options: Any) -> AnswerKey:
    return AnswerKey(labels, METRICS[metric], **options)


def evaluation_of(key: AnswerKey, predictions: Any) -> Evaluation:
    return key.evaluate(key.read(predictions))


# -- splits --------------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(
    labels=st.lists(st.sampled_from("aab cd"), min_size=4, max_size=60).filter(lambda found: len(set(found)) > 1),
    fraction=st.sampled_from([0.1, 0.3, 0.5, 0.75]),
    seed=st.integers(0, 2**64),
)
def test_a_split_takes_its_share_of_every_class(labels: list[str], fraction: float, seed: int) -> None:
    first, second = key_of(labels).baseline.split(seed, fraction)
    np.testing.assert_array_equal(np.sort(np.append(first.units, second.units)), np.arange(len(labels)))
    for one in set(labels):
        members = labels.count(one)
        taken = sum(labels[item] == one for item in first.units)
        assert math.floor(fraction * members) <= taken <= math.ceil(fraction * members)


def test_the_same_seed_is_the_same_split_for_every_submission_and_every_key() -> None:
    labels = np.arange(100) % 3
    key, again = key_of(labels), key_of(labels)
    first, second = (evaluation_of(key, np.roll(labels, shift)) for shift in (0, 1))
    assert first.split(5, 0.5)[0] is second.split(5, 0.5)[0]
    np.testing.assert_array_equal(first.split(5, 0.5)[0].units, again.baseline.split(5, 0.5)[0].units)
    assert not np.array_equal(first.split(5, 0.5)[0].units, first.split(6, 0.5)[0].units)


def test_a_class_of_odd_size_gives_its_odd_item_to_either_side() -> None:
    key = key_of([0] * 50 + [1] * 3)
    sizes = {int((key.baseline.split(seed, 0.5)[0].units >= 50).sum()) for seed in range(20)}
    assert sizes == {1, 2}  # a false alarm for 2 of 2²⁰ sets of seeds


def test_numbers_are_split_at_random_and_survival_times_by_whether_the_event_was_observed() -> None:
    half, _ = key_of(np.arange(101.0), "mse").baseline.split(1, 0.5)
    assert len(half.units) in (50, 51)
    observed = np.arange(90) % 9 == 0
    half, _ = key_of(np.column_stack([np.arange(90.0), observed]), "c_index").baseline.split(1, 0.5)
    assert observed[half.units].sum() == 5


def test_groups_stay_together_and_are_split_by_the_class_most_of_their_items_have() -> None:
    # Groups 0–9 have two items of class 0 and one of class 1, groups 10–19 the other way round.
    group = np.repeat(np.arange(20), 3)
    labels = np.where(group < 10, [0, 0, 1] * 20, [1, 0, 1] * 20)
    key = key_of(labels, group=group)
    first, second = key.baseline.split(3, 0.4)
    assert [int((first.units < 10).sum()), int((first.units >= 10).sum())] == [4, 4]
    assert not set(first.units) & set(second.units)
    assert len(key.baseline.on(first).contributions) == 8


# -- groups and weights --------------------------------------------------------------------------------------


def test_copies_of_an_item_in_its_own_group_tell_nothing_new() -> None:
    labels, predictions = np.arange(40) % 2, (np.arange(40) // 3) % 2
    once = evaluation_of(key_of(labels), predictions)
    copies = np.arange(40) % 2 + 1
    twice = evaluation_of(key_of(np.repeat(labels, 2), group=np.repeat(np.arange(40), 2)), np.repeat(predictions, 2))
    np.testing.assert_allclose(twice.contributions, once.contributions, atol=1e-12)
    weighted = evaluation_of(key_of(labels, weight=copies), predictions)
    uneven = evaluation_of(
        key_of(np.repeat(labels, copies), group=np.repeat(np.arange(40), copies)), np.repeat(predictions, copies)
    )
    assert uneven.score == pytest.approx(weighted.score, abs=1e-12)
    np.testing.assert_allclose(uneven.contributions, weighted.contributions, atol=1e-12)


def test_a_group_for_every_item_is_no_grouping() -> None:
    labels, predictions = np.arange(30) % 2, np.arange(30) % 3 % 2
    plain = evaluation_of(key_of(labels), predictions)
    grouped = evaluation_of(key_of(labels, group=np.arange(30)), predictions)
    np.testing.assert_allclose(grouped.contributions, plain.contributions, atol=1e-12)


def test_replicates_of_groups_weigh_all_items_of_a_group_alike() -> None:
    labels, predictions, group = [0, 1, 0, 1, 1], [0, 1, 1, 1, 0], ["x", "y", "x", "y", "z"]
    evaluation = evaluation_of(key_of(labels, group=group, weight=[1, 1, 1, 1, 2]), predictions)
    # Errors: one of the two in x, none in y, and the one in z with weight 2.
    scores = evaluation.replicates(np.array([[1.0, 1.0, 1.0], [3.0, 1.0, 1.0], [1.0, 1.0, 0.0]]))
    np.testing.assert_allclose(scores, [3 / 6, 5 / 10, 1 / 4])


def test_mcnemars_test_is_for_plain_items_only() -> None:
    labels = np.arange(20) % 2
    assert key_of(labels).yardstick.paired_test == "mcnemar"
    assert key_of(labels, weight=np.ones(20)).yardstick.paired_test == "t"
    assert key_of(labels, group=np.arange(20) // 2).yardstick.paired_test == "t"


def test_dependence_and_uneven_weights_lengthen_the_null_standard_error() -> None:
    labels = np.arange(40) % 2
    plain = key_of(labels).yardstick
    grouped = key_of(labels, group=np.arange(40) // 4).yardstick
    assert grouped.units == 10
    assert grouped.null_standard_error == pytest.approx(2 * plain.null_standard_error)
    weighted = key_of(labels, weight=np.where(np.arange(40) < 20, 1.0, 3.0)).yardstick
    assert weighted.null_standard_error == pytest.approx(math.sqrt(5 / 4) * plain.null_standard_error)  # Kish: 40·4/5


# -- refusals ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("group", "message"),
    [
        ([1, 2, 3], "3 group names for 4 items"),
        ([1, 1, 1, 1], "one group"),
        (["a", None, "b", "b"], "row 1: group None is not a name"),
        ([1.0, math.nan, 2.0, 2.0], "row 1: group nan is not a name"),
        ([1, "a", 2, 2], "row 1: group 'a' is not a name"),
        ([[1, 2]] * 4, "shape"),
        (7, "groups are of type int"),
    ],
)
def test_groups_are_names_one_for_each_item(group: Any, message: str) -> None:
    with pytest.raises(LabelsError, match=message):
        key_of([0, 1, 0, 1], group=group)


def test_labels_on_which_the_baseline_is_perfect_are_refused() -> None:
    with pytest.raises(LabelsError, match="do not vary"):
        key_of([2.0, 2.0, 2.0], "mse").yardstick  # noqa: B018 (asking for it is the point)


def test_predictions_of_another_length_are_refused_also_unread() -> None:
    with pytest.raises(PredictionsError, match="3 predictions for 4 items"):
        key_of([0, 1, 0, 1]).evaluate(np.array([0, 1, 0], dtype=np.int8))
