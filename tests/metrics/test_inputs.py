"""Reading labels and predictions of every kind: what is accepted, its canonical form, and the refusal of all else."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladderboard.core.errors import LabelsError, PredictionsError
from ladderboard.metrics import METRICS
from ladderboard.metrics.inputs import Array, Classes, InputKind, Numbers, Probabilities, Scores, Survival, TwoClasses

NUMBERS, CLASSES, SCORES = Numbers(), Classes(), Scores()


def read(kind: InputKind, labels: Any, predictions: Any) -> list[Any]:
    found: list[Any] = kind.read_predictions(kind.read_labels(labels), predictions).tolist()
    return found


# -- numbers ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values",
    [
        [1, 2],
        (1.0, 2.0),
        np.array([1, 2], dtype=np.int8),
        np.array([1, 2], dtype=np.float32),
        np.array([[1], [2]]),
        np.array([1, 2], dtype=object),
        ["1", "2.0"],
        np.array([1, 9, 2, 9])[::2],
        np.ma.masked_array([1, 2], [False, False]),
        range(1, 3),
    ],
    ids=lambda values: type(values).__name__,
)
def test_numbers_come_in_many_forms_and_leave_in_one(values: Any) -> None:
    numbers = NUMBERS.read_labels(values).values
    assert numbers.tolist() == [1.0, 2.0]
    assert numbers.dtype == np.float64
    assert numbers.flags.c_contiguous


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1.0, math.nan, math.inf], "row 1: label nan is not a finite number, and so in 1 more row$"),
        ([1.0, 1e101], r"row 1: label 1e\+101 is too large"),
        ([1.0, "two"], "row 1: label 'two' is not a number"),
        ([1.0, None], "row 1: label nan is not a finite number"),
        ([1, 10**400], "row 1: label 1000000000.* is not a number"),
        ([1.0, [2.0, 3.0]], r"row 1: label \[2.0, 3.0\] has another shape"),
        (np.ma.masked_array([1.0, 2.0], [False, True]), "row 1: label 2.0 is masked"),
        ([1 + 2j, 2], "labels have type complex128"),
        (np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[D]"), "labels have type datetime64"),
        ([[1, 2], [3, 4]], r"labels have shape \(2, 2\); a vector is needed"),
        (3.0, "labels are of type float; give a list, an array or a column"),
        ([], "0 labels; at least 2"),
        ([1.0], "1 label; at least 2"),
        ({"a": 1}, "labels are of type dict; give a list"),
    ],
)
def test_what_is_not_a_vector_of_finite_numbers_is_refused_by_row(values: Any, message: str) -> None:
    with pytest.raises(LabelsError, match=message):
        NUMBERS.read_labels(values)


def test_a_lower_limit_holds_for_labels_and_predictions_alike() -> None:
    with pytest.raises(LabelsError, match=r"row 1: label -1\.0 is below 0"):
        Numbers(smallest=0).read_labels([0, -1])
    with pytest.raises(PredictionsError, match=r"row 0: prediction -0\.1 is below 0"):
        read(Numbers(smallest=0), [0, 1], [-0.1, 1])


# -- classes ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("labels", "predictions", "codes"),
    [
        (["b", "a", "c"], ["a", "b", "c"], [0, 1, 2]),
        ([3, 1, 2], [1.0, 2.0, 3.0], [0, 1, 2]),
        ([0, 1, 2], [2, 0, 1], [2, 0, 1]),
        ([True, False, True], [0, 1, 1], [0, 1, 1]),
        ([0, 1, 1], [False, True, True], [0, 1, 1]),
        ([0.5, 1.5, 0.5], [1.5, 0.5, 0.5], [1, 0, 0]),
        (np.array(["no", "yes", "no"], dtype=object), np.array(["yes", "no", "no"]), [1, 0, 0]),
        ([-1, 1, -1], np.array([1, -1, -1], dtype=np.int8), [1, 0, 0]),
    ],
)
def test_classes_are_coded_in_sorted_order(labels: Any, predictions: Any, codes: list[int]) -> None:
    assert read(CLASSES, labels, predictions) == codes


@pytest.mark.parametrize(
    ("labels", "predictions", "message"),
    [
        ([1, 2, 3], [1, 2, 4], "row 2: prediction 4 is not one of the classes 1, 2, 3"),
        ([0, 1, 2], [0, 0.5, 1], "row 1: prediction 0.5 is not one of the classes 0, 1, 2"),
        ([0, 1, 2], [0, -1, 1], "row 1: prediction -1 is not one of the classes"),
        (["a", "b", "a"], ["a", "B", "b"], "row 1: prediction 'B' is not one of the classes 'a', 'b'"),
        (["a", "b", "a"], [0, 1, 0], "row 0: prediction 0 is not a? ?.*'a'"),
        ([0, 1, 0], [0, "1", 0], "row 1: prediction '1' is not a class like 0"),
        ([0, 1, 0], np.array(["0", "1", "0"]), "row 0: prediction '0' is not one of the classes 0, 1"),
        (["a", "b", "a"], ["a", None, "b"], "row 1: prediction None is not a class like 'a'"),
        (["a", "b", "a"], ["a", math.nan, "b"], "row 1: prediction nan is not a class like 'a'"),
        ([0, 1, 0], [0, math.nan, 1], "row 1: prediction nan is not a class"),
        ([0, 1, 0], [0, math.inf, 1], "row 1: prediction inf is not a class"),
        ([0, 1, 0], [0, 1, [1]], "row 2: prediction .1. has another shape"),
        (range(20), [99] * 20, r"one of the classes 0, 1, 2, 3, 4, 5, … \(20 in all\), and so in 19 more rows"),
    ],
)
def test_a_prediction_that_is_no_known_class_is_refused_by_row(labels: Any, predictions: Any, message: str) -> None:
    with pytest.raises(PredictionsError, match=message):
        read(CLASSES, labels, predictions)


def test_one_class_alone_is_refused() -> None:
    with pytest.raises(LabelsError, match="all 3 labels are 'a'"):
        CLASSES.read_labels(["a", "a", "a"])


@pytest.mark.parametrize("kind", [SCORES, TwoClasses()])
def test_two_classes_means_two(kind: InputKind) -> None:
    with pytest.raises(LabelsError, match="3 classes"):
        kind.read_labels([1, 2, 3])


def test_codes_take_the_smallest_integers_that_hold_them() -> None:
    def twice(classes: int) -> Array:
        return np.repeat(np.arange(classes), 2)

    assert CLASSES.read_labels(twice(127)).values.dtype == np.int8
    assert CLASSES.read_labels(twice(128)).values.dtype == np.int32
    assert CLASSES.read_labels(twice(40_000)).values.max() == 39_999


@pytest.mark.parametrize(
    "labels",
    [
        np.random.default_rng(0).normal(size=600),
        np.random.default_rng(0).integers(0, 10**6, 600),
        np.round(np.random.default_rng(0).normal(size=600), 1),
    ],
    ids=["fractions", "whole numbers that hardly repeat", "fractions that repeat"],
)
def test_measurements_are_no_classes(labels: Array) -> None:
    for kind in (CLASSES, Probabilities()):
        with pytest.raises(LabelsError, match=r"different numbers on 600 items.*name a regression metric such as rmse"):
            kind.read_labels(labels)
        assert len(kind.trusting_classes().read_labels(labels).classes) == len(np.unique(labels))


@pytest.mark.parametrize(
    "labels",
    [
        np.random.default_rng(0).integers(0, 100, 300),
        np.random.default_rng(0).integers(0, 100, 100),
        np.arange(600) % 11 / 2,
        [3, 1, 2],
    ],
    ids=["100 classes on 300 items", "100 classes on 100 items", "grades in halves", "few items"],
)
def test_numbers_that_repeat_are_classes(labels: Array) -> None:
    assert len(CLASSES.read_labels(labels).classes) == len(np.unique(labels))


@pytest.mark.parametrize("positive", ["diseased", "healthy"])
def test_the_positive_class_is_the_chosen_one_whatever_its_name(positive: str) -> None:
    labels, chances = ["diseased", "healthy", "diseased"], [0.9, 0.2, 0.6]
    is_positive = np.array(labels) == positive
    for kind in (Scores(), TwoClasses()):
        target = kind.with_positive(positive).read_labels(labels)
        assert (target.values == is_positive).all()
        assert (target.classes[1], target.positive) == (positive, positive)
    both = TwoClasses().with_positive(positive)
    assert both.read_predictions(both.read_labels(labels), labels).tolist() == is_positive.tolist()
    chance = Probabilities().with_positive(positive)
    target = chance.read_labels(labels)
    table = chance.read_predictions(target, chances)
    assert target.classes == ("diseased", "healthy"), "columns of both classes stay in sorted order"
    assert table[:, target.classes.index(positive)] == pytest.approx(chances)
    assert chance.read_predictions(target, table) == pytest.approx(table)


@pytest.mark.parametrize("kind", [Scores(), TwoClasses(), Probabilities()])
def test_a_positive_class_that_no_label_is_is_refused(kind: InputKind) -> None:
    with pytest.raises(LabelsError, match=r"no label is 'ill', the positive class; they are 'diseased', 'healthy'"):
        kind.with_positive("ill").read_labels(["diseased", "healthy"])


names = st.text(max_size=3) | st.none() | st.integers(-3, 3) | st.floats() | st.booleans()


@given(st.lists(names, min_size=2, max_size=8), st.lists(names, max_size=8))
def test_whatever_is_given_is_read_or_refused_by_an_error_of_ours(labels: list[Any], predictions: list[Any]) -> None:
    for kind in (NUMBERS, CLASSES, SCORES, Probabilities(), Survival()):
        try:
            target = kind.read_labels(labels)
            found = kind.read_predictions(target, predictions)
        except (LabelsError, PredictionsError):
            continue
        assert len(found) == len(target)


# -- probabilities ----------------------------------------------------------------------------------------------


def test_probabilities_are_a_table_with_rows_that_sum_to_one() -> None:
    assert read(Probabilities(), ["no", "yes"], [0.25, 1.0]) == [[0.75, 0.25], [0.0, 1.0]]
    table = np.array([[0.2, 0.3, 0.5004], [1, 0, 0], [0, 0, 1]])
    np.testing.assert_allclose(read(Probabilities(), [0, 1, 2], table), table / table.sum(axis=1, keepdims=True))


@pytest.mark.parametrize(
    ("predictions", "message"),
    [
        ([[0.5, 0.5, 0.0], [0.5, 0.4, 0.0], [1, 0, 0]], "row 1: sum of class probabilities 0.9 is not 1"),
        ([[1.5, -0.5, 0.0], [1, 0, 0], [1, 0, 0]], "row 0: prediction 1.5 is not a probability"),
        ([[1, 0, 0], [1, 0, 0], [1, 0, math.nan]], "row 2: prediction nan"),
        ([[1, 0, 0], [1, 0, 0], [1, 0, "x"]], "row 2: prediction 'x' is not a number"),
        ([[0.5, 0.5], [0.5, 0.5], [0.5, 0.5]], "2 columns of predictions, but there are 3 classes"),
        ([[1, 0, 0], [1, 0], [1, 0, 0]], "row 1: prediction .1, 0. has another shape"),
        (np.zeros((3, 0)), "shape"),
        ([0.2, 0.4, 0.4], "1 columns"),
    ],
)
def test_what_is_no_table_of_probabilities_is_refused_by_row(predictions: Any, message: str) -> None:
    with pytest.raises(PredictionsError, match=message):
        read(Probabilities(), [0, 1, 2], predictions)


def test_weights_whose_products_vanish_are_refused() -> None:
    with pytest.raises(LabelsError, match=r"row 0: weight 1e-320 is too small .* 1 more row$"):
        METRICS["auc"].score([0, 1], [0.1, 0.2], weight=[1e-320, 1e-320])


def test_a_probability_of_two_classes_is_refused_as_it_was_given() -> None:
    with pytest.raises(PredictionsError, match=r"^row 1: prediction 1\.5 is not a probability between 0 and 1$"):
        read(Probabilities(), [0, 1, 1], [0.2, 1.5, 1.0])


# -- survival ---------------------------------------------------------------------------------------------------


def test_survival_labels_are_times_and_events() -> None:
    assert Survival().read_labels([(3, True), (5, False)]).values.tolist() == [[3.0, 1.0], [5.0, 0.0]]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([(3, 1), (-1, 0)], "row 1: time -1.0 is negative"),
        ([(3, 1), (4, 2)], "row 1: event 2.0 is neither 0 .censored. nor 1"),
        ([(3, 1, 0), (4, 1, 0)], "3 label columns"),
        ([3, 4], "1 label columns"),
        ([(3, 1), (4, "dead")], "row 1: label 'dead' is not a number"),
        ([(3, 0), (4, 0)], "all 2 items are censored"),
        ([(3, 1), (3, 1)], "outlive"),
    ],
)
def test_what_is_no_pair_of_time_and_event_is_refused_by_row(labels: Any, message: str) -> None:
    with pytest.raises(LabelsError, match=message):
        Survival().read_labels(labels)


class OnAnotherDevice:
    """A tensor that NumPy cannot read; torch raises a TypeError that says what to do."""

    def __array__(self, dtype: object = None, copy: object = None) -> None:
        raise TypeError("can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() first")


@pytest.mark.parametrize(
    ("values", "refusal"),
    [
        (OnAnotherDevice(), r"predictions cannot be made an array: can't convert cuda:0 .* Use Tensor.cpu\(\) first"),
        ((value for value in (0.1, 0.2)), "predictions are of type generator; give a list, an array or a column"),
        (None, "predictions are of type NoneType; give a list, an array or a column"),
        ([[0.1, 0.9], [0.8, 0.2]], "2 columns of predictions; give one score .* probabilities of the class 1"),
    ],
)
def test_what_is_no_column_of_scores_is_refused_with_advice(values: Any, refusal: str) -> None:
    scores = METRICS["auc"].kind
    with pytest.raises(PredictionsError, match=refusal):
        scores.read_predictions(scores.read_labels([0, 1]), values)


def test_a_missing_first_name_is_not_its_own_example() -> None:
    with pytest.raises(LabelsError, match=r"row 0: label None is not a class$"):
        read(CLASSES, [None, "a", "b"], [])
