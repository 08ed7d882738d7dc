"""Blocks of lines → columns of cells.

In a block whose quotation marks all stand around cells, NumPy finds line ends and delimiters, and polars, which is
handed rows of the right length only, cuts the cells. Any other block is read by the csv module.
"""

import codecs
import csv
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import chain

import numpy as np

from ladderboard.core.records import IntArray
from ladderboard.tabular.encoding import count_lines
from ladderboard.tabular.lines import Lines, UnreadableError
from ladderboard.tabular.marks import find_line_ends, has_return_in_quotes, normalise_line_ends
from ladderboard.tabular.problems import MANY_PROBLEMS
from ladderboard.tabular.rows import MISQUOTED, explain_endless, is_blank
from ladderboard.tabular.text_cells import Column, has_polars, make_column, plain

SMALL = 1 << 17
"""The csv module reads blocks of this size at most: more rows as lists keep the garbage collector busy."""


@dataclass(frozen=True)
class OddRow:
    """A row of another length than the header."""

    line: int
    cells: int
    """How many there are; 0 where they cannot be told apart."""
    id: str
    """The cell in the column of ids, if it has one."""


@dataclass(frozen=True, eq=False)
class Block:
    """Some rows of a table: those as long as the header in columns, the others one by one."""

    columns: Sequence[Column]
    lines: IntArray
    """Of the rows in ``columns``."""
    odd: Sequence[OddRow]
    """The others; of very many, the first."""
    blank: IntArray
    """The numbers of blank lines."""
    end: UnreadableError | None = None
    """Why nothing after these rows can be read."""


def read_block(text: bytes, lines: Lines, delimiter: str, *, width: int, id_at: int = 0) -> Block:
    """The rows in the next lines, which are counted as read; where the last row goes on, to its end."""
    found = _cut_plain(text, lines.number, delimiter, width, id_at)
    if found is None and len(text) > SMALL and len(part := lines.divide(text, SMALL)) < len(text):
        return read_block(part, lines, delimiter, width=width, id_at=id_at)
    if found is None:
        return _read_by_csv(text, lines, delimiter, width, id_at)
    block, count = found
    lines.number += count
    return block


def _cut_plain(text: bytes, first: int, delimiter: str, width: int, id_at: int) -> tuple[Block, int] | None:
    """The block and how many lines it has; None where the csv module has to read it."""
    if not has_polars() or not delimiter.isascii() or has_return_in_quotes(text):
        return None
    text = normalise_line_ends(text)
    found = find_line_ends(text, ord(delimiter))
    if found is None:
        return None
    marks, at_end = found
    ends = marks[at_end]
    starts = np.concatenate([[0], ends[:-1] + 1])
    cells = np.diff(at_end, prepend=-1)
    is_blank_line = starts == ends
    is_whole = (cells == width) & ~is_blank_line
    odd = []
    for row in np.flatnonzero(~is_whole & ~is_blank_line).tolist():
        if cells[row] == 1 and not plain(text[starts[row] : ends[row]].decode()).strip():
            is_blank_line[row] = True
            continue
        cut = [starts[row] - 1, *marks[at_end[row] - cells[row] + 1 :][: min(cells[row], id_at + 1)].tolist()]
        name = text[cut[id_at] + 1 : cut[id_at + 1]].decode() if id_at < cells[row] else ""
        odd.append(OddRow(first + row, int(cells[row]), plain(name)))
        if len(odd) > MANY_PROBLEMS:
            break
    if not is_whole.all():
        text = np.frombuffer(text, dtype=np.uint8)[np.repeat(is_whole, ends - starts + 1)].tobytes()
    columns = _cut_columns(text, delimiter, width, int(is_whole.sum()))
    if columns is None:
        return None
    lines = first + np.arange(len(ends))
    return Block(columns, lines[is_whole], odd, lines[is_blank_line]), len(ends)


def _cut_columns(text: bytes, delimiter: str, width: int, rows: int) -> Sequence[Column] | None:
    """The columns of rows that are known to have so many cells."""
    import polars as pl

    schema = dict.fromkeys(map(str, range(width)), pl.String)
    if not rows:
        return [pl.Series([], dtype=pl.String)] * width
    if text.startswith(codecs.BOM_UTF8):  # which polars would drop
        return None
    quote = '"' if b'"' in text else None
    frame = pl.read_csv(text, separator=delimiter, has_header=False, quote_char=quote, schema=schema)
    return frame.fill_null("").get_columns() if frame.height == rows else None


def _read_by_csv(text: bytes, lines: Lines, delimiter: str, width: int, id_at: int) -> Block:
    """The rows of a block, and the rest of the last one, where it goes on after the block."""
    first = lines.number
    given = list(StringIO(text.decode(), newline=""))
    reader = csv.reader(given, delimiter=delimiter, strict=True)
    rows: list[list[str]] = []
    counts: list[int] = []
    end = None
    while end is None:
        try:
            rows.extend(reader)
        except csv.Error as problem:
            counts += _count_lines(rows[len(counts) :], reader.line_num - sum(counts))
            start = sum(counts)
            rows.append(MISQUOTED)
            if "unexpected end" in str(problem):
                rows[-1], taken, end = _read_last(given[start:], lines, delimiter, first + start)
                counts.append(taken)
                break
            counts.append(reader.line_num - start)
            end = explain_endless(str(problem), first + start, first + reader.line_num - 1)
        else:
            counts += _count_lines(rows[len(counts) :], reader.line_num - sum(counts))
            break
    lines.number = first + sum(counts)
    starts = first + np.cumsum([0, *counts])[: len(rows)]
    return _sort(rows if end is None else rows[:-1], starts, width, id_at, end)


def _count_lines(rows: Sequence[list[str]], lines: int) -> list[int]:
    """How many lines each row takes, if all take at most so many."""
    if len(rows) == lines:
        return [1] * lines
    return [1 + sum(map(count_lines, cells)) for cells in rows]


def _read_last(
    given: Sequence[str], lines: Lines, delimiter: str, start: int
) -> tuple[list[str], int, UnreadableError | None]:
    """The cells of a row that these lines begin, and how many it takes; or why it has no end."""
    reader = csv.reader(chain(given, iter(lines.read_line, "")), delimiter=delimiter, strict=True)
    try:
        return next(reader), reader.line_num, None
    except csv.Error as problem:
        end = explain_endless(str(problem), start, start + reader.line_num - 1)
        return MISQUOTED, reader.line_num, end


def _sort(rows: Sequence[list[str]], starts: IntArray, width: int, id_at: int, end: UnreadableError | None) -> Block:
    """Whole rows, odd ones and blank lines apart."""
    lengths = np.fromiter(map(len, rows), dtype=np.intp, count=len(rows))
    blank = [row for row in np.flatnonzero(lengths < 2).tolist() if is_blank(rows[row])]
    is_whole = lengths == width
    is_whole[blank] = False
    odd = np.setdiff1d(np.flatnonzero(~is_whole), blank).tolist()
    whole = rows if is_whole.all() else [rows[row] for row in np.flatnonzero(is_whole).tolist()]
    columns = [make_column([cells[at] for cells in whole]) for at in range(width)]
    names = [rows[row][id_at] if id_at < len(rows[row]) else "" for row in odd]
    others = [OddRow(int(starts[row]), len(rows[row]), name) for row, name in zip(odd, names, strict=True)]
    return Block(columns, starts[: len(rows)][is_whole], others, starts[blank], end)
