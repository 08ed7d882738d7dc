"""What every registered metric says to bad input: whose fault it is and in which row, never anything about labels."""

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ladderboard.core.errors import LabelsError, ParameterError, PredictionsError, UndefinedMetricError
from ladderboard.metrics import METRICS
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.metrics.base import Metric
from ladderboard.metrics.inputs import Array
from ladderboard.metrics.text_inputs import TextCells
from tests.contracts.metric_cases import Case, case_for

ROW = 7
ITEMS = 30
all_metrics = pytest.mark.parametrize("metric", METRICS.values(), ids=lambda metric: metric.name)


@pytest.fixture
def case(metric: Metric) -> Case:
    return case_for(metric, items=ITEMS)


class Column:
    """A column of a foreign library: all that is known of it is `__array__`."""

    def __init__(self, values: Array) -> None:
        self.values = values

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.values, dtype=dtype)


def with_one(values: Array, bad: object, row: int = ROW) -> list[Any]:
    """The values as a list, one of them replaced (the first column of a row of a table)."""
    rows: list[Any] = values.tolist()
    rows[row] = [bad, *rows[row][1:]] if isinstance(rows[row], list) else bad
    return rows


@all_metrics
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, None, "?", 1e300, (), (1, 2)], ids=repr)
def test_a_prediction_that_cannot_be_used_is_named_by_its_row(metric: Metric, case: Case, bad: object) -> None:
    bad = 7 if bad == "?" and isinstance(metric.kind, TextCells) else bad
    with pytest.raises(PredictionsError, match=f"row {ROW}: prediction"):
        metric.score(case.labels, with_one(case.predictions, bad))


@all_metrics
@pytest.mark.parametrize("bad", [np.nan, np.inf, None, (), (1, 2, 3, 4)], ids=repr)
def test_a_label_that_cannot_be_used_is_named_by_its_row(metric: Metric, case: Case, bad: object) -> None:
    labels = case.labels.tolist()
    labels[ROW] = bad if case.labels.ndim == 1 or isinstance(bad, tuple) else [bad, *labels[ROW][1:]]
    with pytest.raises(LabelsError, match=f"row {ROW}: label"):
        metric.score(labels, case.predictions)


@all_metrics
def test_complex_numbers_and_dates_are_refused(metric: Metric, case: Case) -> None:
    for wrong in (np.zeros(ITEMS, dtype=complex), np.zeros(ITEMS, dtype="datetime64[D]")):
        with pytest.raises(PredictionsError, match=r"type (complex|datetime)"):
            metric.score(case.labels, wrong)


@all_metrics
def test_every_item_needs_one_prediction(metric: Metric, case: Case) -> None:
    for wrong in (case.predictions[:-1], np.concatenate([case.predictions, case.predictions[:1]])):
        with pytest.raises(PredictionsError, match=rf"{len(wrong)} predictions for {ITEMS} items"):
            metric.score(case.labels, wrong)


@all_metrics
def test_predictions_and_labels_have_one_row_for_each_item(metric: Metric, case: Case) -> None:
    table = np.column_stack([case.predictions] * 5)
    for wrong in (table, table[:, :, None], case.predictions[0]):
        with pytest.raises(PredictionsError, match=r"shape|columns|are of type \w+; give a list"):
            metric.score(case.labels, wrong)
    with pytest.raises(LabelsError, match=r"shape|columns|type float64; text is needed"):
        metric.score(np.zeros((ITEMS, 5)), case.predictions)


@all_metrics
def test_one_item_or_none_is_refused(metric: Metric, case: Case) -> None:
    for few in (0, 1):
        with pytest.raises(LabelsError, match=f"{few} labels?;"):
            metric.score(case.labels[:few], case.predictions[:few])
        with pytest.raises(PredictionsError, match=f"{few} predictions?;? "):
            metric.score(case.labels, case.predictions[:few])


@all_metrics
def test_weights_are_positive_and_one_for_each_item(metric: Metric, case: Case) -> None:
    for bad in (0.0, -1.0, np.nan):
        with pytest.raises(LabelsError, match=f"row {ROW}: weight"):
            metric.score(case.labels, case.predictions, weight=with_one(np.ones(ITEMS), bad))
    with pytest.raises(LabelsError, match=f"{ITEMS - 1} weights for {ITEMS} items"):
        metric.score(case.labels, case.predictions, weight=np.ones(ITEMS - 1))


@all_metrics
def test_a_row_of_replicate_weights_has_no_negative_one_and_some_positive_ones(metric: Metric, case: Case) -> None:
    rows = np.ones((3, ITEMS))
    rows[1] = 0
    with pytest.raises(ParameterError, match=r"row 1: sum of weights 0\.0"):
        metric.replicates(case.labels, case.predictions, rows)
    rows[1], rows[2, 4] = 1, -1
    with pytest.raises(ParameterError, match=r"row 2: weight -1\.0 is negative"):
        metric.replicates(case.labels, case.predictions, rows)
    with pytest.raises(ParameterError, match=f"{ITEMS - 1} columns for {ITEMS} items"):
        metric.replicates(case.labels, case.predictions, rows[:, 1:])


def advice(key: AnswerKey, predictions: object) -> str | None:
    """What a participant is told before anything is scored."""
    try:
        key.read(predictions)  # type: ignore[arg-type]
    except (PredictionsError, UndefinedMetricError) as refusal:
        return str(refusal)
    return None


@all_metrics
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_what_is_said_of_predictions_does_not_depend_on_which_item_has_which_label(
    metric: Metric, data: st.DataObject
) -> None:
    case = case_for(metric, items=12)
    order = data.draw(st.permutations(range(12)), label="order of the labels")
    bad = data.draw(st.sampled_from([np.nan, None, "?", 1e300, -0.5, 99, "perhaps"]), label="bad value")
    row = data.draw(st.integers(0, 11), label="row")
    length = data.draw(st.sampled_from([11, 12, 13]), label="number of predictions")
    constant = [case.predictions.tolist()[0]] * length
    key, permuted = (AnswerKey(labels, metric) for labels in (case.labels, case.labels[order]))
    for predictions in (with_one(case.predictions, bad, row), constant, (case.predictions.tolist() * 2)[:length]):
        assert advice(key, predictions) == advice(permuted, predictions)


@all_metrics
def test_a_whole_column_of_bad_values_is_told_in_one_short_sentence(metric: Metric, case: Case) -> None:
    with pytest.raises(PredictionsError) as refusal:
        metric.score(case.labels, np.full(ITEMS, None))
    assert str(refusal.value).startswith("row 0")
    assert len(str(refusal.value)) < 200


@all_metrics
def test_lists_tuples_foreign_columns_and_polars_series_are_read_alike(metric: Metric, case: Case) -> None:
    expected = metric.score(case.labels, case.predictions)
    assert metric.score(case.labels.tolist(), case.predictions.tolist()) == expected
    assert metric.score(tuple(case.labels.tolist()), tuple(case.predictions.tolist())) == expected
    assert metric.score(Column(case.labels), Column(case.predictions)) == expected
    labels, predictions = (
        pl.Series(values) if values.ndim == 1 else pl.DataFrame(values) for values in (case.labels, case.predictions)
    )
    assert metric.score(labels, predictions) == expected
    if case.predictions.ndim == 1:
        assert metric.score(case.labels, case.predictions[:, None]) == expected


@all_metrics
def test_a_null_in_a_polars_series_is_named_by_its_row(metric: Metric, case: Case) -> None:
    rows = with_one(case.predictions, None)
    given = pl.Series(rows) if case.predictions.ndim == 1 else pl.DataFrame(rows, orient="row")
    with pytest.raises(PredictionsError, match=f"row {ROW}"):
        metric.score(case.labels, given)


@all_metrics
def test_input_is_left_as_it_was(metric: Metric, case: Case) -> None:
    labels, predictions, rows = case.labels.copy(), case.predictions.copy(), np.ones((2, ITEMS))
    metric.score(labels, predictions)
    metric.contributions(labels, predictions)
    metric.replicates(labels, predictions, rows)
    np.testing.assert_array_equal(labels, case.labels)
    np.testing.assert_array_equal(predictions, case.predictions)
    assert (rows == 1).all()
