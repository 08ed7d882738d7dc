"""The submissions of a finished competition from their files, each with its team and time."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ladderboard.analysis.replay import Submission
from ladderboard.analysis.solutions import SolutionTable, find_id_column, join_columns
from ladderboard.core.errors import InputError
from ladderboard.tabular import Table, read_table

TIME_NAMES = ("time", "order", "date")
FILE_NAMES = ("file", "filename", "path")
SUBMISSION_NAMES = ("submission_id", "submission", "column")


@dataclass(frozen=True)
class IndexColumns:
    """The columns of an index, where they are not called as expected."""

    submission: str | None = None
    team: str | None = None
    time: str | None = None


def read_submission_files(
    folder: str | Path,
    index: str | Path,
    solution: SolutionTable,
    *,
    columns: IndexColumns | None = None,
    prediction_columns: Sequence[str] = (),
) -> list[Submission]:
    """The submissions in a folder of tables; the index says for each file its team and time.

    Predictions are all columns but the id, unless ``prediction_columns`` are named.
    """
    read = _read_index(index, columns or IndexColumns(), FILE_NAMES)
    found = []
    for row, name in enumerate(read.submissions):
        path = Path(folder) / name
        if not path.is_file():
            raise InputError(f"{read.table.name}, {read.table.place(row)}: there is no file {name} in {folder}")
        table = read_table(path)
        table.refuse_row_index()
        id_column = find_id_column(table, solution.id_column)
        names = prediction_columns or [each for each in table.columns if each != id_column]
        if not names:
            raise InputError(f"{name} has no column of predictions")
        found.append(Submission(read.teams[row], read.times[row], join_columns(solution.align(table, names))))
    return found


def read_submission_table(
    path: str | Path, index: str | Path, solution: SolutionTable, *, columns: IndexColumns | None = None
) -> list[Submission]:
    """The submissions in one table with a column for each; the index says for each column its team and time.

    A column may be called as its submission in the index, or with one prefix before all of them (s17 for 17).
    """
    read, table = _read_index(index, columns or IndexColumns(), SUBMISSION_NAMES), read_table(path)
    names = _find_columns(read, table)
    predictions = solution.align(table, names)
    return [Submission(*each) for each in zip(read.teams, read.times, predictions, strict=True)]


@dataclass(frozen=True, eq=False)
class _Index:
    table: Table
    submissions: list[str]
    teams: list[str]
    times: list[object]


def _read_index(path: str | Path, columns: IndexColumns, submission_names: Sequence[str]) -> _Index:
    table = read_table(path)
    time = _first(table, columns.time, TIME_NAMES, "when a submission came")
    return _Index(
        table,
        submissions=table.names(_first(table, columns.submission, submission_names, "the submission")),
        teams=table.names(_first(table, columns.team, ("team",), "the team")),
        times=table.moments(time, np.arange(len(table))).tolist(),
    )


def _first(table: Table, given: str | None, expected: Sequence[str], meaning: str) -> str:
    """The column that is named, or the first of the expected ones that is there."""
    if given is not None:
        table.column(given)
        return given
    for name in expected:
        if name in table.columns:
            return name
    raise InputError(
        f"{table.name}: no column says {meaning} ({' or '.join(expected)}); name it, "
        f"there are: {', '.join(table.columns)}"
    )


def _find_columns(index: _Index, table: Table) -> list[str]:
    submissions = index.submissions
    if submissions[0] in table.columns:
        prefix = ""
    else:
        ends = [name for name in table.columns if name.endswith(submissions[0])]
        prefix = ends[0].removesuffix(submissions[0]) if len(ends) == 1 else ""
    names = [f"{prefix}{submission}" for submission in submissions]
    for row, name in enumerate(names):
        if name not in table.columns:
            raise InputError(f"{index.table.name}, {index.table.place(row)}: {table.name} has no column {name!r}")
    return names
