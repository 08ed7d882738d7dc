"""The exact way to read a table: every line, every cell, every problem. Slower than the fast way, and its judge.

Memory does not grow with the file beyond its bytes: rows are read in batches, and of each id only the value and the
line are kept.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from ladderboard.core.words import pluralise
from ladderboard.tabular.cells import BadCellError, OpenClasses, cell_reader, class_values
from ladderboard.tabular.delimiters import has_decimal_commas
from ladderboard.tabular.encoding import refuse_other_encodings
from ladderboard.tabular.format import MEBIBYTE, SUM_TOLERANCE, Predictions, SubmissionFormat
from ladderboard.tabular.header import Layout, find_delimiter_in, find_layout
from ladderboard.tabular.ids import UNKNOWN
from ladderboard.tabular.problems import Problems, join_names, quote
from ladderboard.tabular.rows import BLANK, MISQUOTED, TextRow, UnreadableError, first_line, table_rows

BATCH = 4096
BATCH_BYTES = 4 * MEBIBYTE
SHOWN_IDS = 10
BAD_QUOTE = "text follows a closing quotation mark; write a quotation mark in a cell twice"
NOTHING = "the file holds nothing but blank lines; was it written to the end?"
NO_ID = "the id is empty"


def read_exactly(data: bytes, format: SubmissionFormat, problems: Problems) -> Predictions:
    """The predictions in delimited text, or every problem of it (`SubmissionError`)."""
    refuse_other_encodings(data, problems)
    batch: list[TextRow] = []
    table, size = None, 0
    try:
        delimiter = find_delimiter_in(first_line(data), format)
        rows = table_rows(data, delimiter, ids=len(format.ids), by_line=problems.place == "line")
        rows = (row for row in rows if row[1] is not BLANK)
        read_cell = cell_reader(format, decimal_comma=has_decimal_commas(data, delimiter))
        table = _Rows(format, _layout(rows, format, problems), problems, read_cell)
        for row in rows:
            batch.append(row)
            size += sum(map(len, row[1])) + 8 * len(row[1])
            if len(batch) == BATCH or size > BATCH_BYTES:
                table.take(batch)
                problems.stop_reading_if_many(row[0])
                batch, size = [], 0
    except UnreadableError as problem:
        if table is not None:
            table.take(batch)  # what is wrong before it is told too
        problems.stop(problem.kind, problem.sentence, problem.line)
    table.take(batch)
    return table.predictions()


def _layout(rows: Iterator[TextRow], format: SubmissionFormat, problems: Problems) -> Layout:
    line, names = next(rows, (0, None))
    if names is None:
        problems.stop("empty_file", NOTHING)
    if names is MISQUOTED:
        problems.stop("bad_quote", BAD_QUOTE, line)
    layout = find_layout(names, format, problems, line or None)  # the header of a Parquet file stands in no row
    if layout is None:
        raise problems.error()
    return layout


class _Rows:
    """The values and lines found so far, by the place of the id."""

    def __init__(
        self, format: SubmissionFormat, layout: Layout, problems: Problems, read_cell: Callable[[str], float]
    ) -> None:
        self.format, self.layout, self.problems, self.read_cell = format, layout, problems, read_cell
        self.values = np.zeros((len(format.ids), len(layout.values)))
        self.first_lines = np.zeros(len(format.ids), dtype=np.int64)
        self.rows = 0
        self.sums_to_one = len(layout.values) > 1 and len(layout.values) == len(format.classes)

    def take(self, batch: Sequence[TextRow]) -> None:
        if not batch:
            return
        self.rows += len(batch)
        id_at = self.layout.id
        names = [cells[id_at] if id_at < len(cells) else "" for _, cells in batch]
        places = self.format.index.places(names)
        if not self._take_all(batch, places):
            for (line, cells), name, place in zip(batch, names, places.tolist(), strict=True):
                self._take_one(line, cells, name, place)

    def _take_all(self, batch: Sequence[TextRow], places: npt.NDArray[np.intp]) -> bool:
        """Take a batch in which nothing is wrong, at a fraction of the time; False where something is."""
        expected = len(self.layout.names)
        if (places == UNKNOWN).any() or any(len(cells) != expected for _, cells in batch):
            return False
        if self.first_lines[places].any() or len(np.unique(places)) < len(places):
            return False
        try:
            values = np.array([[self.read_cell(cells[at]) for at in self.layout.values] for _, cells in batch])
        except BadCellError:
            return False
        if self.sums_to_one and (np.abs(values.sum(axis=1) - 1) > SUM_TOLERANCE).any():
            return False
        self.first_lines[places] = [line for line, _ in batch]
        self.values[places] = values
        return True

    def _take_one(self, line: int, cells: list[str], name: str, place: int) -> None:
        if cells is MISQUOTED:
            self.problems.add("bad_quote", BAD_QUOTE, line)
            return
        whole = self._is_whole(line, cells)
        is_new = (whole or bool(name)) and self._is_new(line, name, place)
        if whole:
            values = self._values(line, cells)
            if is_new and values is not None:
                self.values[place] = values

    def predictions(self) -> Predictions:
        """All values in the order of the ids; raises where anything was wrong."""
        if not self.rows:
            self.problems.stop(
                "no_rows",
                f"there is a header but no row; {len(self.format.ids):,} rows are expected",
            )
        self._add_missing()
        self.problems.refuse()
        if self.format.takes_classes:
            known = self.read_cell.names if isinstance(self.read_cell, OpenClasses) else class_values(self.format)
            return Predictions(known[self.values[:, 0].astype(np.intp)])
        return Predictions(self.values[:, 0] if self.values.shape[1] == 1 else self.values)

    def _is_whole(self, line: int, cells: list[str]) -> bool:
        expected = len(self.layout.names)
        if len(cells) == expected:
            return True
        self.problems.add("ragged_row", lambda: describe_ragged(len(cells), expected), line)
        return False

    def _is_new(self, line: int, name: str, place: int) -> bool:
        column = self.format.id_column
        if place == UNKNOWN:
            if name.strip():
                self.problems.add("unknown_id", lambda: self._describe_unknown_id(name), line, column, cell=name)
            else:
                self.problems.add("blank_cell", NO_ID, line, column)
            return False
        first = int(self.first_lines[place])
        if first:
            self.problems.add("duplicate_id", lambda: self._describe_repeated_id(name, first), line, column, cell=name)
            return False
        self.first_lines[place] = line
        return True

    def _describe_unknown_id(self, name: str) -> str:
        usual = _unquote(str(self.format.ids[0]))
        return f"there is no id {_unquote(name)}; ids look like {usual}"

    def _describe_repeated_id(self, name: str, first: int) -> str:
        if self.problems.place == "row":
            return f"id {_unquote(name)} appears twice (first on row {first})"
        return f"id {_unquote(name)} appears twice (first on line {first})"

    def _values(self, line: int, cells: list[str]) -> list[float] | None:
        values = []
        for at in self.layout.values:
            try:
                values.append(self.read_cell(cells[at]))
            except BadCellError as bad:
                column = self.layout.names[at]
                self.problems.add(bad.kind, partial(_describe_cell, column, bad), line, column, cell=cells[at].strip())
        if len(values) < len(self.layout.values):
            return None
        if self.sums_to_one and abs(np.sum(values) - 1) > SUM_TOLERANCE:
            self.problems.add("bad_sum", lambda: _bad_sum(values), line)
        return values

    def _add_missing(self) -> None:
        missing = np.flatnonzero(self.first_lines == 0)
        if len(missing):
            names = join_names(
                [_unquote(str(one)) for one in self.format.ids[missing[:SHOWN_IDS]].tolist()], len(missing)
            )
            words = pluralise("{n} id has no row: {names}", "{n} ids have no row: {names}", len(missing), names=names)
            self.problems.add_for_ids("missing_id", words, len(missing))


def describe_ragged(cells: int, expected: int) -> str:
    """What is wrong with a row of another length."""
    return pluralise(
        "the row has {n} cell, but the header has {expected} columns",
        "the row has {n} cells, but the header has {expected} columns",
        cells,
        expected=expected,
    )


def _bad_sum(values: Sequence[float]) -> str:
    return f"the class probabilities sum to {float(np.sum(values)):.6g}, not to 1"


def _describe_cell(column: str, bad: BadCellError) -> str:
    return f"column {quote(column)}: {bad.explain()}"


def _unquote(name: str) -> str:
    """An id without quotes where it is one word."""
    short = quote(name)
    return short[1:-1] if short == f"'{name}'" and name.isprintable() and " " not in name else short
