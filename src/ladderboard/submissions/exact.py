"""The exact way to read a table: every line, every cell, every problem. Slower than the fast way, and its judge.

Memory does not grow with the file beyond its bytes: rows are read in batches, and of each id only the value and the
line are kept.
"""

import csv
from collections.abc import Iterator, Sequence
from io import BytesIO, TextIOWrapper
from itertools import chain, islice

import numpy as np
import numpy.typing as npt

from ladderboard.submissions.cells import BadCellError, cell_reader, class_values, plain
from ladderboard.submissions.encoding import refuse_other_encodings
from ladderboard.submissions.format import MEBIBYTE, SUM_TOLERANCE, Predictions, SubmissionFormat
from ladderboard.submissions.header import Layout, delimiter_of, layout_of
from ladderboard.submissions.ids import UNKNOWN
from ladderboard.submissions.problems import Problems, listed, shown

BATCH = 4096
LONGEST_LINE = MEBIBYTE
SHOWN_IDS = 10

Row = tuple[int, list[str]]
"""The line on which a row starts, and its cells."""


def read_exactly(data: bytes, format: SubmissionFormat, problems: Problems) -> Predictions:
    """The predictions in delimited text, or every problem of it (`SubmissionError`)."""
    refuse_other_encodings(data, problems)
    rows = table_rows(data, format, problems)
    first = next(rows, None)
    if first is None:
        problems.stop("empty_file", "the file holds nothing but blank lines; was it written to the end?")
    layout = layout_of(first[1], format, problems)
    if layout is None:
        raise problems.error()
    table = _Table(format, layout, problems)
    while batch := list(islice(rows, BATCH)):
        table.take(batch)
    return table.predictions()


def table_rows(data: bytes, format: SubmissionFormat, problems: Problems) -> Iterator[Row]:
    """The rows that are not blank, the header first. Where the problems' place is a row, rows are counted instead."""
    lines, most = _lines(data, problems), 2 * len(format.ids) + 10_000
    blank, first = next(((before, line) for before, line in enumerate(islice(lines, most)) if line.strip()), (0, ""))
    reader = csv.reader(chain([first], lines), delimiter=delimiter_of(first, format), strict=True)
    row = 0
    for _ in range(most):
        start = blank + reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as problem:
            _add_quoting(str(problem), start, blank + reader.line_num, problems)
            continue
        if cells and (len(cells) > 1 or cells[0].strip()):
            yield (start if problems.place == "line" else row), cells
            row += 1
    words = f"there are more than {most:,} rows for {len(format.ids):,} ids; the rest was not read"
    problems.stop("too_many_rows", words, start)


class _Table:
    """The values and lines found so far, by the place of the id."""

    def __init__(self, format: SubmissionFormat, layout: Layout, problems: Problems) -> None:
        self.format, self.layout, self.problems = format, layout, problems
        self.values = np.zeros((len(format.ids), len(layout.values)))
        self.first_lines = np.zeros(len(format.ids), dtype=np.int64)
        self.rows = 0
        self.read_cell = cell_reader(format)
        self.sums_to_one = len(layout.values) > 1 and len(layout.values) == len(format.classes)

    def take(self, batch: Sequence[Row]) -> None:
        self.rows += len(batch)
        id_at = self.layout.id
        names = [plain_id(cells[id_at]) if id_at < len(cells) else "" for _, cells in batch]
        places = self.format.index.places(names)
        if not self._take_all(batch, places):
            for (line, cells), name, place in zip(batch, names, places.tolist(), strict=True):
                self._take_one(line, cells, name, place)

    def _take_all(self, batch: Sequence[Row], places: npt.NDArray[np.intp]) -> bool:
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
        whole = self._is_whole(line, cells)
        is_new = (whole or bool(name)) and self._is_new(line, name, place)
        if whole:
            values = self._values(line, cells)
            if is_new and values is not None:
                self.values[place] = values

    def predictions(self) -> Predictions:
        """All values in the order of the ids; raises where anything was wrong."""
        if not self.rows:
            self.problems.stop("no_rows", f"there is a header but no row; {len(self.format.ids):,} rows are expected")
        self._add_missing()
        self.problems.refuse()
        if self.format.takes_classes:
            return Predictions(class_values(self.format)[self.values[:, 0].astype(np.intp)])
        return Predictions(self.values[:, 0] if self.values.shape[1] == 1 else self.values)

    def _is_whole(self, line: int, cells: list[str]) -> bool:
        expected = len(self.layout.names)
        if len(cells) == expected:
            return True
        noun = "cell" if len(cells) == 1 else "cells"
        words = f"the row has {len(cells)} {noun}, but the header has {expected} columns"
        self.problems.add("ragged_row", words, line)
        return False

    def _is_new(self, line: int, name: str, place: int) -> bool:
        column = self.format.id_column
        if place == UNKNOWN:
            if name.strip():
                words = f"there is no id {_bare(name)}; ids look like {_bare(str(self.format.ids[0]))}"
                self.problems.add("unknown_id", words, line, column)
            else:
                self.problems.add("blank_cell", "the id is empty", line, column)
            return False
        first = int(self.first_lines[place])
        if first:
            words = f"id {_bare(name)} appears twice (first on {self.problems.place} {first})"
            self.problems.add("duplicate_id", words, line, column)
            return False
        self.first_lines[place] = line
        return True

    def _values(self, line: int, cells: list[str]) -> list[float] | None:
        values = []
        for at in self.layout.values:
            try:
                values.append(self.read_cell(cells[at]))
            except BadCellError as bad:
                column = self.layout.names[at]
                self.problems.add(bad.kind, f"column {shown(column)}: {bad.sentence}", line, column)
        if len(values) < len(self.layout.values):
            return None
        if self.sums_to_one and abs(np.sum(values) - 1) > SUM_TOLERANCE:
            words = f"the class probabilities sum to {np.sum(values):.6g}, not to 1"
            self.problems.add("bad_sum", words, line)
        return values

    def _add_missing(self) -> None:
        missing = np.flatnonzero(self.first_lines == 0)
        if len(missing):
            names = listed([_bare(str(one)) for one in self.format.ids[missing[:SHOWN_IDS]].tolist()], len(missing))
            words = f"1 id has no row: {names}" if len(missing) == 1 else f"{len(missing):,} ids have no row: {names}"
            self.problems.add_for_ids("missing_id", words, len(missing))


def plain_id(cell: str) -> str:
    """An id as it stands, but for quotation marks that a blank before them has made part of it."""
    return plain(cell) if cell.lstrip().startswith('"') else cell


def _bare(name: str) -> str:
    """An id without quotes where it is one word."""
    short = shown(name)
    return short[1:-1] if short == f"'{name}'" and name.isprintable() and " " not in name else short


def _lines(data: bytes, problems: Problems) -> Iterator[str]:
    """The lines with their ends, as the csv module wants them."""
    text = TextIOWrapper(BytesIO(data), encoding="utf-8-sig", newline="")
    number = 0
    while line := text.readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE:
            problems.stop("long_line", f"the line has more than {LONGEST_LINE:,} characters; this is no table", number)
        yield line


def _add_quoting(message: str, start: int, end: int, problems: Problems) -> None:
    if "unexpected end" in message or ("field larger" in message and end > start):
        words = "a quotation mark is opened here and never closed, so that nothing after it can be read"
        problems.stop("unclosed_quote", words, start)
    if "field larger" in message:
        problems.stop("long_line", "a cell has more than 131,072 characters; this is no table", start)
    problems.add("bad_quote", "text follows a closing quotation mark; write a quotation mark in a cell twice", start)
