"""Submissions to a function of pandas frames: tables with the sample's columns, read without a label.

A column is typed over the whole file, as `pandas.read_csv` does it: whole numbers, numbers, truth values, else text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ladderboard.metrics.inputs import Array
from ladderboard.tabular import SubmissionFormat, Table, UnreadableTableError, read_table
from ladderboard.tabular.columns import is_no_number, numbers_in, truths_in, whole_numbers
from ladderboard.tabular.containers import open_content
from ladderboard.tabular.header import find_layout
from ladderboard.tabular.key_table import UNKNOWN
from ladderboard.tabular.problems import Problems, join_names, quote

if TYPE_CHECKING:
    import polars

MISSING = (
    "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA", "NULL",
    "NaN", "None", "n/a", "nan", "null",
)  # fmt: skip
"""Words that pandas reads as a missing value; so is an empty cell."""
SHOWN_IDS = 10


@dataclass(frozen=True, eq=False)
class FrameFormat:
    """The format of submissions. ``columns``: all of the sample's, the id among them, in its order."""

    table: SubmissionFormat
    columns: tuple[str, ...]

    @property
    def predicted(self) -> tuple[str, ...]:
        return tuple(name for name in self.columns if name != self.table.id_column)

    @cached_property
    def sentence(self) -> str:
        """The format for people."""
        return f"The columns {', '.join(self.columns)}, and one row for each of the {len(self.table.ids):,} ids."

    def read(self, content: bytes, name: str = "") -> Array:
        """The rows in the order of the ids; raises `SubmissionError` with all problems, which depend on no label."""
        problems = Problems(name)
        opened = open_content(content, problems, most=self.table.max_bytes, most_unpacked=self.table.max_unpacked_bytes)
        try:
            table = read_table(opened.read(), name=problems.name)
        except UnreadableTableError as problem:
            problems.stop("unsupported_file", problem.sentence, problem.line)
        if table.is_parquet:
            problems.place = "row"
        self._check_columns(table, problems)
        places = self.table.index.places(table.column(self.table.id_column).fill_null(""))
        self._check_ids(table, places, problems)
        rows = np.empty(len(places), dtype=np.intp)
        rows[places] = np.arange(len(places))
        return type_columns(table, self.predicted)[rows]

    def _check_columns(self, table: Table, problems: Problems) -> None:
        find_layout(table.columns, self._layout, problems, None if table.is_parquet else 1)
        problems.refuse()

    @cached_property
    def _layout(self) -> SubmissionFormat:
        return SubmissionFormat(self.table.id_column, self.table.ids, self.predicted, "numbers", is_table=True)

    def _check_ids(self, table: Table, places: npt.NDArray[np.intp], problems: Problems) -> None:
        column = self.table.id_column
        cells = table.column(column)
        for row in np.flatnonzero(places == UNKNOWN).tolist():
            words = "the id is empty" if cells[row] is None else f"there is no id {quote(cells[row])}"
            problems.add("unknown_id", words, table.line(row), column, cell=cells[row] or "")
            problems.stop_reading_if_many(table.line(row))
        seen = np.zeros(len(self.table.ids), dtype=bool)
        for row, place in enumerate(places.tolist()):
            if place != UNKNOWN and seen[place]:
                words = f"id {quote(cells[row])} appears twice"
                problems.add("duplicate_id", words, table.line(row), column, cell=cells[row])
                problems.stop_reading_if_many(table.line(row))
            seen[place if place != UNKNOWN else 0] |= place != UNKNOWN
        missing = np.flatnonzero(~seen)
        if len(missing):
            names = join_names([str(one) for one in self.table.ids[missing[:SHOWN_IDS]].tolist()], len(missing))
            have = "id has" if len(missing) == 1 else "ids have"
            problems.add_for_ids("missing_id", f"{len(missing):,} {have} no row: {names}", len(missing))
        problems.refuse()


def type_columns(table: Table, names: Sequence[str]) -> Array:
    """These columns as the fields of one array of rows; missing text is None, a missing number NaN."""
    typed = {name: type_cells(table.column(name)) for name in names}
    return join_columns(typed, len(table))


def join_columns(columns: Mapping[str, Array], rows: int) -> Array:
    """An array of rows with these fields."""
    made = np.empty(rows, dtype=[(name, values.dtype) for name, values in columns.items()])
    for name, values in columns.items():
        made[name] = values
    return made


def type_cells(cells: "polars.Series") -> Array:
    """Cells of text as what they hold."""
    import polars as pl

    given = cells.set(cells.is_in(MISSING).fill_null(value=False), None)
    if not given.null_count():
        for typed in (truths_in(given), whole_numbers(given)):
            if typed is not None:
                return typed
    if not is_no_number(given).any():
        return numbers_in(given)
    values = np.empty(len(given), dtype=object)
    values[:] = given.cast(pl.String).to_list()
    return values


def make_matrix(rows: Array) -> npt.NDArray[np.float64] | None:
    """The rows as numbers; None where a column is text."""
    fields: Any = rows.dtype.fields or {}
    if any(dtype.hasobject for dtype, *_ in fields.values()):
        return None
    matrix = np.stack([rows[name].astype(np.float64) for name in rows.dtype.names or ()], axis=1)
    return np.nan_to_num(matrix, posinf=0.0, neginf=0.0)


def make_perfect(solution: Table, sample: Array) -> Array | None:
    """The solution as a submission like the sample; None where its columns are not all there.

    Where the sample has fractions the labels are half-way to their mean: a certain and wrong forecast may be
    infinitely bad.
    """
    names = sample.dtype.names or ()
    if not set(names) <= set(solution.columns):
        return None
    columns = {}
    for name in names:
        labels, kind = type_cells(solution.column(name)), sample.dtype[name].kind
        if (labels.dtype.kind == "O") != (kind == "O"):
            return None
        if kind == "f":
            labels = (labels.astype(np.float64) + np.nanmean(labels.astype(np.float64))) / 2
        columns[name] = labels
    return join_columns(columns, len(solution))
