"""Columns of numbers as predictions, where every number is allowed."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ladderboard.tabular.format import SUM_TOLERANCE, SubmissionFormat

Array = npt.NDArray[Any]


def as_predicted(columns: list[Array], format: SubmissionFormat) -> Array | None:
    """One column as it is, several as a table with a row for each id; None where a number or a sum is out of range."""
    least, greatest = format.bounds
    # False for NaN too.
    if not all(least <= column.min() and column.max() <= greatest for column in columns):
        return None
    if len(columns) == 1:
        return np.asarray(columns[0])
    table = np.column_stack(columns)
    return table if np.all(np.abs(table.sum(axis=1) - 1) <= SUM_TOLERANCE) else None
