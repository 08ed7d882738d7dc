"""Kinds of labels and predictions with several columns: a number for each target, or 0 and 1 for each label."""

import numpy as np
import numpy.typing as npt

from ladderboard.core.arrays import Array, read_numbers, refuse_first
from ladderboard.core.errors import InputError, LabelsError, PredictionsError
from ladderboard.core.records import FloatArray, IntArray
from ladderboard.metrics.inputs import InputKind, Target

SHOWN_COLUMNS = 6


class NumberColumns(InputKind):
    """Several targets: a table of numbers, one column for each; predictions likewise."""

    takes = "numbers"
    has_columns = True
    description = "a table with one finite number for each item and target, columns in the order of the labels"

    def read_labels(self, labels: npt.ArrayLike) -> Target:
        table = read_numbers(labels, "label", LabelsError, dimensions=2)
        _refuse_constant_columns(table)
        return Target(table)

    def read_predictions(self, target: Target, predictions: npt.ArrayLike) -> Array:
        return _read_table(target, predictions)


class LabelScores(NumberColumns):
    """Several labels that an item has or has not (1 or 0); predictions are a real score for each of them."""

    takes = "scores"
    description = (
        "a table with one finite number for each item and label, higher where the item likelier has it; columns in the "
        "order of the labels"
    )

    def read_labels(self, labels: npt.ArrayLike) -> Target:
        table = read_numbers(labels, "label", LabelsError, dimensions=2)
        return Target(_read_binary(table, "label", LabelsError, labels_vary=True))

    def strata(self, target: Target) -> IntArray:
        """The rarest label of each item, so that a split gives its share of every label to either side."""
        return rarest_label(target.values)


class LabelDecisions(LabelScores):
    """Several labels that an item has or has not (1 or 0); predictions are 0 or 1 for each of them."""

    takes = "labels"
    description = "a table of 0 and 1 with one column for each label: 1 where the item has it"

    def read_predictions(self, target: Target, predictions: npt.ArrayLike) -> Array:
        return _read_binary(_read_table(target, predictions), "prediction", PredictionsError)


def rarest_label(table: Array) -> IntArray:
    """For each item the column of its rarest label; the number of columns where it has none.

    >>> rarest_label(np.array([[1, 0], [1, 1], [0, 0]])).tolist()
    [0, 1, 2]
    """
    frequencies = table.sum(axis=0)
    columns = np.where(table == 1, frequencies, np.inf).argmin(axis=1)
    return np.asarray(np.where(table.any(axis=1), columns, table.shape[1]), dtype=np.intp)


def _read_table(target: Target, predictions: npt.ArrayLike) -> FloatArray:
    table = read_numbers(predictions, "prediction", PredictionsError, dimensions=2)
    expected = target.values.shape[1]
    if table.shape[1] != expected:
        raise PredictionsError(
            f"{table.shape[1]} columns of predictions, but there are {expected} columns of labels; give one for each, "
            "in the same order"
        )
    if len(table) != len(target):
        raise PredictionsError(f"{len(table)} predictions for {len(target)} items; give one for each item, in order")
    return table


def _read_binary(table: FloatArray, word: str, error: type[InputError], *, labels_vary: bool = False) -> Array:
    refuse_first((table != 0) & (table != 1), table, word, error, "is neither 0 nor 1")
    if labels_vary:
        _refuse_constant_columns(table)
    return table.astype(np.int8)


def _refuse_constant_columns(table: FloatArray) -> None:
    """Refuse columns with the same label in every row: there is nothing to predict, and AUC has no value."""
    constant = np.flatnonzero((table == table[0]).all(axis=0))
    if len(constant) and len(table) > 1:
        shown = ", ".join(map(str, constant[:SHOWN_COLUMNS])) + (", …" if len(constant) > SHOWN_COLUMNS else "")
        raise LabelsError(
            f"columns that are the same in all {len(table)} rows cannot be predicted; remove column {shown} (from 0)"
        )
