"""A board of which only the scores are known: read from a CSV or Parquet file."""

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.core.records import FloatArray, IntArray
from ladderboard.metrics.inputs import Array
from ladderboard.tabular.columns import numbers_of, read_table


@dataclass(frozen=True, eq=False)
class Board:
    """The scores of a board, in the order of time where that is known, else in the order of the file."""

    scores: FloatArray = field(repr=False)
    teams: tuple[str, ...]
    """The name in each row; rows are numbered from 1 where there is no such column. A team may have several rows."""
    order: tuple[Any, ...] | None = field(default=None, repr=False)
    """What the rows were ordered by (dates, numbers), ascending; None: the order of the file."""

    def __len__(self) -> int:
        return len(self.scores)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> FloatArray:
        return np.array(self.scores, dtype=dtype) if copy else np.asarray(self.scores, dtype=dtype)


def read_board(
    path: str | Path,
    score_column: str,
    *,
    team_column: str | None = None,
    order_column: str | None = None,
    bounds: tuple[float, float] | None = None,
    missing: Literal["error", "drop"] = "error",
) -> Board:
    """The board in a file with one row for each entry.

    ``order_column`` holds numbers or dates (ISO 8601); equal ones keep the order of the file. ``bounds`` refuses scores
    outside, such as percentages where shares are meant. A row without a score is an error unless ``missing="drop"``.
    """
    table = read_table(path)
    scores = numbers_of(table, score_column)
    rows = _rows_with_score(scores, table.path.name, score_column, missing)
    _refuse_outside(scores, rows, bounds, f"{table.path.name}, column {score_column!r}")
    order = None if order_column is None else table.column(order_column)
    if order is not None:
        rows = rows[sorted_places(order[rows], f"{table.path.name}, column {order_column!r}")]
    teams = np.arange(1, len(table) + 1) if team_column is None else table.column(team_column)
    return Board(
        scores=scores[rows],
        teams=tuple(str(team) for team in teams[rows]),
        order=None if order is None else tuple(order[rows].tolist()),
    )


def _rows_with_score(scores: FloatArray, file: str, column: str, missing: str) -> IntArray:
    absent = ~np.isfinite(scores)
    if absent.any() and missing == "error":
        row = int(np.argmax(absent))
        raise InputError(
            f"{file}, row {row + 1}: no score in column {column!r}, nor in {int(absent.sum()) - 1} more rows; "
            f"pass missing='drop' to leave them out"
        )
    rows = np.flatnonzero(~absent)
    if not len(rows):
        raise InputError(f"{file}: column {column!r} holds no score")
    return rows


def _refuse_outside(scores: FloatArray, rows: IntArray, bounds: tuple[float, float] | None, place: str) -> None:
    if bounds is None:
        return
    outside = rows[(scores[rows] < bounds[0]) | (scores[rows] > bounds[1])]
    if len(outside):
        raise InputError(
            f"{place}, row {outside[0] + 1}: {scores[outside[0]]:g} is outside [{bounds[0]:g}, {bounds[1]:g}]; "
            f"are the scores percentages? Divide them by 100"
        )


def sorted_places(order: Array, place: str) -> IntArray:
    """The rows in the order of time, equal ones as they stand; what is no time is refused with its ``place``."""
    if order.dtype.kind == "O":
        for value in sorted(order, key=_is_iso_date):  # a column with one word is text throughout: name that word
            if value is None or isinstance(value, str):
                raise InputError(f"{place}: {value!r} is neither a number nor a date like 2024-01-31")
    elif np.isnan(order).any():
        raise InputError(f"{place}: a number is missing; every entry needs its place in the order")
    return np.argsort(order, kind="stable")


def _is_iso_date(value: Any) -> bool:
    try:
        datetime.fromisoformat(str(value))
    except ValueError:
        return False
    return True
