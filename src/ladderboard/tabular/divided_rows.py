"""The rows of a block of lines: where they start, and what is in those that the csv module has to read."""

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
import numpy.typing as npt

from ladderboard.core.records import IntArray
from ladderboard.tabular.lines import Lines, UnreadableError
from ladderboard.tabular.marks import Marks
from ladderboard.tabular.problems import MANY_PROBLEMS
from ladderboard.tabular.quotes import Runs
from ladderboard.tabular.rows import MISQUOTED, explain_endless


@dataclass(frozen=True)
class CsvRow:
    """A row that the csv module has read."""

    start: int
    """The line on which it starts, from 0."""
    lines: int
    """How many it takes, those after the block included."""
    cells: list[str]
    end: UnreadableError | None
    """Why nothing from here on can be read."""

    def take_rest(self, lines: int) -> "CsvRow":
        """The same with the rest of a block of so many lines, which is not read."""
        return replace(self, lines=max(self.lines, lines - self.start))


@dataclass(frozen=True, eq=False)
class DividedRows:
    """The rows of a block."""

    starts: IntArray
    """The line on which each row starts, from 0."""
    ends: IntArray
    """Where the cells of all rows but those in ``by_csv`` end."""
    at_end: IntArray
    """Which of these are the ends of rows."""
    removed: IntArray
    """Where quotation marks are that are not part of a cell's text."""
    by_csv: Sequence[CsvRow]


def divide_rows(marks: Marks, read_row: Callable[[int], CsvRow]) -> DividedRows:
    """The rows of a block; ``read_row`` reads the row that starts on a line."""
    if not marks.is_quote.any():
        nothing = np.empty(0, dtype=np.intp)
        return DividedRows(np.arange(len(marks.ends)), marks.places, np.flatnonzero(marks.is_end), nothing, [])
    runs = Runs(marks)
    by_csv = _read_wrong_rows(runs, len(marks.ends), read_row)
    by_csv = _end_at_long_cell(marks, runs, by_csv, read_row)
    divides = ~(runs.is_inside[runs.before_marks] | marks.is_quote)
    if by_csv:
        divides &= ~_find_read(runs, by_csv)[marks.lines]
    at_end = np.flatnonzero(marks.is_end[divides])
    return DividedRows(_find_starts(runs, by_csv), marks.places[divides], at_end, runs.find_removed(), by_csv)


def _read_wrong_rows(runs: Runs, lines: int, read_row: Callable[[int], CsvRow]) -> list[CsvRow]:
    """The rows with wrong quotation marks, and the last one if it goes on; after each, a row starts."""
    found: list[CsvRow] = []
    line = run = 0
    while line < lines and runs.is_wrong[run:].any():
        wrong = run + int(np.argmax(runs.is_wrong[run:]))
        is_inside = runs.is_inside[runs.before_lines[line : runs.find_line(wrong) + 1]]
        row = read_row(line + int(np.flatnonzero(~is_inside)[-1]))
        if row.end is not None or len(found) >= MANY_PROBLEMS:
            row = row.take_rest(lines)
        found.append(row)
        line = row.start + row.lines
        if line < lines:
            run = int(runs.before_lines[line])
            if runs.is_inside[run]:
                runs.leave_cell(run)
    return found


def _end_at_long_cell(
    marks: Marks, runs: Runs, by_csv: list[CsvRow], read_row: Callable[[int], CsvRow]
) -> list[CsvRow]:
    """The same, and nothing behind the first row with a quoted cell that is too long for the csv module."""
    starts = _find_starts(runs, by_csv)
    sizes = np.diff(marks.line_starts[starts], append=len(marks.codes))
    counts = np.diff(runs.before_lines[starts], append=len(runs.is_inside) - 1)
    is_long = (sizes > csv.field_size_limit()) & (counts > 0)
    for start in np.setdiff1d(starts[is_long], [row.start for row in by_csv]).tolist():
        row = read_row(start)
        if row.end is not None:
            return [*(each for each in by_csv if each.start < start), row.take_rest(len(marks.ends))]
    return by_csv


def _find_read(runs: Runs, by_csv: Sequence[CsvRow]) -> npt.NDArray[np.bool_]:
    """Whether the csv module has read each line."""
    is_read = np.zeros(len(runs.before_lines), dtype=bool)
    for row in by_csv:
        is_read[row.start : row.start + row.lines] = True
    return is_read


def _find_starts(runs: Runs, by_csv: Sequence[CsvRow]) -> IntArray:
    """The lines on which rows start."""
    is_start = ~(runs.is_inside[runs.before_lines] | _find_read(runs, by_csv))
    is_start[[row.start for row in by_csv]] = True
    return np.flatnonzero(is_start)


def row_reader(marks: Marks, lines: Lines, delimiter: str) -> Callable[[int], CsvRow]:
    """The reader of one row of a block whose lines are counted as read, and of the lines after it if a row goes on."""
    first = lines.number - len(marks.ends)

    def read(start: int) -> CsvRow:
        given = (_decode(marks, line, delimiter) for line in range(start, len(marks.ends)))
        reader = csv.reader(chain(given, iter(lines.read_line, "")), delimiter=delimiter, strict=True)
        try:
            cells = next(reader) or [""]
        except csv.Error as problem:
            end = explain_endless(str(problem), first + start, first + start + reader.line_num - 1)
            return CsvRow(start, reader.line_num, MISQUOTED, end)
        return CsvRow(start, reader.line_num, cells, None)

    return read


def _decode(marks: Marks, line: int, delimiter: str) -> str:
    text = marks.codes[marks.line_starts[line] : marks.line_starts[line + 1]].tobytes().decode()
    return text.replace(chr(marks.delimiter), delimiter)
