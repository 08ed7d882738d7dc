"""A user's CSV file as regression data: one row for each item, numbers only, one column is the response."""

import csv
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import ladderboard as lb
from ladderboard_lab.problems.regression import SMALLEST_PART, RegressionData, standardised_data


def read_regression_csv(path: Path, *, target: str) -> RegressionData:
    """The data in a CSV file with a header; raises an `InputError` that names the row and column of what is wrong."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = csv.reader(file)
            names = [name.strip() for name in next(rows, [])]
            column = _column_of(path, names, target)
            numbers = np.array(list(_numbers(path, names, rows)))
    except (UnicodeDecodeError, csv.Error):
        raise lb.InputError(f"{path.name} is not a CSV text file in UTF-8") from None
    if len(numbers) < 3 * SMALLEST_PART:
        raise lb.InputError(
            f"{path.name} has {len(numbers)} rows; at least {3 * SMALLEST_PART} are needed: a third each to train, to "
            "show on the board and to keep private"
        )
    return standardised_data(np.delete(numbers, column, axis=1), numbers[:, column])


def _column_of(path: Path, names: list[str], target: str) -> int:
    if not names:
        raise lb.InputError(f"{path.name} is empty; a header and rows of numbers are needed")
    if names.count(target) != 1:
        found = "twice" if target in names else f"not among its columns {', '.join(names[:8])}"
        raise lb.InputError(f"{path.name}: the target {target!r} is {found}")
    if len(names) < 2:
        raise lb.InputError(f"{path.name} has no column beside the target {target!r}; at least one feature is needed")
    return names.index(target)


def _numbers(path: Path, names: list[str], rows: Iterator[list[str]]) -> Iterator[list[float]]:
    for line, row in enumerate(rows, 2):
        if not row:
            continue
        if len(row) != len(names):
            raise lb.InputError(f"{path.name}, line {line}: {len(row)} cells for {len(names)} columns")
        yield [_number(cell, f"{path.name}, line {line}, column {name}") for cell, name in zip(row, names, strict=True)]


def _number(cell: str, place: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise lb.InputError(f"{place}: {cell!r} is not a number")
    return value
