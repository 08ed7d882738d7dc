"""A user's table as regression data: one row for each item, numbers only, one column is the response."""

from pathlib import Path

import numpy as np

import ladderboard as lb
from ladderboard_lab.participant import FloatArray
from ladderboard_lab.problems.regression import SMALLEST_PART, RegressionData, standardise_data


def read_regression_table(path: Path, *, target: str) -> RegressionData:
    """The data in a table with a header; raises an `InputError` that names the row and column of what is wrong."""
    table = lb.read_table(path)
    if target not in table.columns:
        found = f"not among its columns {', '.join(table.columns[:8])}"
        raise lb.InputError(f"{path.name}: the target {target!r} is {found}")
    features = [name for name in table.columns if name != target]
    if not features:
        raise lb.InputError(f"{path.name} has no column beside the target {target!r}; at least one feature is needed")
    numbers = np.column_stack([_finite(table, name) for name in (*features, target)])
    if len(numbers) < 3 * SMALLEST_PART:
        raise lb.InputError(
            f"{path.name} has {len(numbers)} rows; at least {3 * SMALLEST_PART} are needed: a third each to train, to "
            "show on the board and to keep private"
        )
    return standardise_data(numbers[:, :-1], numbers[:, -1])


def _finite(table: "lb.Table", name: str) -> FloatArray:
    numbers = table.numbers(name)
    bad = np.flatnonzero(~np.isfinite(numbers))
    if len(bad):
        row = int(bad[0])
        raise table.error(f"{table.column(name)[row] or ''!r} is not a number", row, name)
    return numbers
