"""A board of which only the scores are known: read from a CSV or Parquet file."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.core.records import FloatArray, IntArray
from ladderboard.evals.folders import refuse_pointers
from ladderboard.evals.left_out import LeftOut, Note, take_left_out
from ladderboard.tabular import Table, read_table


@dataclass(frozen=True, eq=False)
class Board:
    """The scores of a board, in the order of time where that is known, else in the order of the file."""

    scores: FloatArray = field(repr=False)
    teams: tuple[str, ...]
    """The name in each row; rows are numbered from 1 where there is no such column. A team may have several rows."""
    order: tuple[Any, ...] | None = field(default=None, repr=False)
    """What the rows were ordered by (dates, numbers), ascending; None: the order of the file."""
    notes: tuple[str, ...] = field(default=(), repr=False)
    """What a reader took and what it left out, a sentence each."""
    left_out: tuple[LeftOut, ...] = field(default=(), repr=False)
    """What a reader left out, with every name."""
    variants: tuple[int, ...] | None = field(default=None, repr=False)
    """How many variants each entry is the best of; None: not said."""

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
    system_column: str | None = None,
    variants_column: str | None = None,
    bounds: tuple[float, float] | None = None,
    percent: bool = False,
    missing: Literal["error", "drop"] = "error",
) -> Board:
    """The board in a file with one row for each entry.

    ``order_column`` holds numbers or dates (ISO 8601); equal ones keep the order of the file. Rows with the same name
    in ``system_column`` are re-evaluations of one system: one entry at the time of the first, with their mean score.
    ``variants_column`` says how many variants each entry is the best of. ``bounds`` refuses scores outside, such as
    percentages where shares are meant; ``percent=True`` divides them by 100. A row without a score is an error unless
    ``missing="drop"``.
    """
    path = Path(path)
    refuse_pointers(path, [path])
    table = read_table(path)
    scores = table.numbers(score_column) / (100 if percent else 1)
    rows = _rows_with_score(table, scores, score_column, missing)
    _refuse_outside(table, scores, rows, bounds, score_column)
    order = None
    if order_column is not None:
        moments = table.moments(order_column, rows)
        places = np.argsort(moments, kind="stable")
        rows, order = rows[places], tuple(moments[places].tolist())
    names = team_column or system_column
    teams = range(1, len(table) + 1) if names is None else table.column(names).fill_null("")
    variants = None if variants_column is None else _read_variants(table, variants_column, rows)
    absent = tuple(str(teams[row]) for row in np.flatnonzero(~np.isfinite(scores)).tolist())
    left = (LeftOut("entry", absent, f"no score in column {score_column!r}"),) * bool(absent)
    taken = tuple(str(teams[row]) for row in rows.tolist())
    board = Board(scores[rows], taken, order, tuple(map(str, left)), left, variants)
    return board if system_column is None else _merge_systems(board, table, system_column, rows)


def _merge_systems(board: Board, table: Table, column: str, rows: IntArray) -> Board:
    """One entry for each system, where it first stands, with the mean of its scores."""
    names = table.names(column)
    places: dict[str, list[int]] = {}
    for place, row in enumerate(rows.tolist()):
        places.setdefault(names[row], []).append(place)
    first = [same[0] for same in places.values()]
    merged = len(rows) - len(first)
    return Board(
        np.array([board.scores[same].mean() for same in places.values()]),
        tuple(board.teams[place] for place in first),
        None if board.order is None else tuple(board.order[place] for place in first),
        (
            *board.notes,
            *[f"{merged} re-evaluations were merged with the first of the same {column!r}"] * bool(merged),
        ),
        board.left_out,
        None if board.variants is None else tuple(max(board.variants[at] for at in same) for same in places.values()),
    )


def _read_variants(table: Table, column: str, rows: IntArray) -> tuple[int, ...]:
    counts = table.numbers(column)
    for row in rows.tolist():
        if not counts[row] >= 1 or counts[row] != round(counts[row]):
            raise table.error("a number of variants must be a whole number, 1 for an entry without others", row, column)
    return tuple(int(counts[row]) for row in rows.tolist())


def is_kaggle_board(columns: Sequence[str]) -> bool:
    """Whether a table has the columns of the leaderboard that Kaggle offers for download."""
    return {"teamid", "teamname", "score"} <= {name.lower() for name in columns}


def read_kaggle_board(table: Table) -> Board:
    """The scores of Kaggle's leaderboard, in the order of their dates where these are there.

    Today's file has one row for each team with ``LastSubmissionDate``; older ones have ``SubmissionDate``, and a team
    may have several rows. Kaggle's own program writes the same names with small initials.
    """
    by_lower = {name.lower(): name for name in table.columns}
    dated = next((by_lower[name] for name in ("lastsubmissiondate", "submissiondate") if name in by_lower), None)
    team_column, score_column = by_lower["teamname"], by_lower["score"]
    scores = table.numbers(score_column)
    rows = _rows_with_score(table, scores, score_column, "drop")
    order = None
    if dated is not None:
        moments = table.moments(dated, rows)
        places = np.argsort(moments, kind="stable")
        rows, order = rows[places], tuple(moments[places].tolist())
    names = table.column(team_column).fill_null("")
    teams = len({names[row] for row in rows.tolist()})
    counted = f"{teams} teams" if teams == len(rows) else f"{len(rows)} entries of {teams} teams"
    notes: list[Note] = [
        f"{table.name}: Kaggle's leaderboard, {counted} by {team_column!r}, scores from {score_column!r}"
    ]
    which = ", each team's last submission, not its best" if dated and dated.lower().startswith("last") else ""
    notes += [f"in the order of {dated!r}{which}"] * (dated is not None)
    absent = tuple(str(names[row]) for row in np.flatnonzero(~np.isfinite(scores)).tolist())
    notes += [LeftOut("row", absent, "no score")] * bool(absent)
    taken = tuple(str(names[row]) for row in rows.tolist())
    return Board(scores[rows], taken, order, tuple(map(str, notes)), take_left_out(notes))


def _rows_with_score(table: Table, scores: FloatArray, column: str, missing: str) -> IntArray:
    absent = ~np.isfinite(scores)
    if absent.any() and missing == "error":
        row = int(np.argmax(absent))
        raise InputError(
            f"{table.name}, {table.place(row)}: no score in column {column!r}, nor in {int(absent.sum()) - 1} more "
            f"rows; pass missing='drop' to leave them out"
        )
    rows = np.flatnonzero(~absent)
    if not len(rows):
        raise InputError(f"{table.name}: column {column!r} holds no score")
    return rows


def _refuse_outside(
    table: Table, scores: FloatArray, rows: IntArray, bounds: tuple[float, float] | None, column: str
) -> None:
    if bounds is None:
        return
    outside = rows[(scores[rows] < bounds[0]) | (scores[rows] > bounds[1])]
    if len(outside):
        row = int(outside[0])
        words = f"{scores[row]:g} is outside [{bounds[0]:g}, {bounds[1]:g}]"
        raise table.error(f"{words}; are the scores percentages? Say --percent (in Python: percent=True)", row, column)
