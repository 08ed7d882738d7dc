"""Blocks of lines → columns of cells.

NumPy finds where cells and rows end; the csv module reads only rows with wrong quotation marks.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ladderboard.core.records import IntArray
from ladderboard.tabular.divided_rows import DividedRows, divide_rows, row_reader
from ladderboard.tabular.encoding import CONTROLS, NO_TEXT
from ladderboard.tabular.lines import Lines, UnreadableError
from ladderboard.tabular.marks import FEED, RETURN, Marks, find_marks
from ladderboard.tabular.problems import MANY_PROBLEMS
from ladderboard.tabular.text_cells import Column, are_blank, pick_every, split_cells


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
    first = lines.number
    sign = delimiter if delimiter.isascii() else _find_unused_sign(text, first)
    marks = find_marks(text if sign == delimiter else text.replace(delimiter.encode(), sign.encode()), ord(sign))
    lines.number += len(marks.ends)
    rows = divide_rows(marks, row_reader(marks, lines, delimiter))
    return _Cutter(marks, rows, delimiter, first).cut(width, id_at)


def _find_unused_sign(text: bytes, line: int) -> str:
    """A sign of one byte that can stand for a delimiter of several."""
    for sign in CONTROLS:
        if sign and sign not in text:
            return chr(sign)
    raise UnreadableError("unsupported_file", NO_TEXT, line)


class _Cutter:
    """The rows of one block, to be cut into cells."""

    def __init__(self, marks: Marks, rows: DividedRows, delimiter: str, first: int) -> None:
        self._rows, self._lines = rows, first + rows.starts
        self._sign, self._delimiter = bytes([marks.delimiter]), delimiter.encode()
        self._starts = np.append(marks.line_starts[rows.starts], len(marks.codes))
        """Where rows start."""
        self._by_csv = {int(np.searchsorted(rows.starts, row.start)): row for row in rows.by_csv}
        is_csv = np.zeros(len(rows.starts), dtype=bool)
        is_csv[[*self._by_csv]] = True
        self._counts = np.empty(len(rows.starts), dtype=np.intp)
        """How many cells each row has."""
        self._counts[~is_csv] = np.diff(rows.at_end, prepend=-1)
        self._counts[is_csv] = [len(row.cells) for row in rows.by_csv]
        self._codes = marks.codes.copy()
        self._codes[rows.ends] = 0
        self._is_text = np.ones(len(self._codes), dtype=bool)
        """Whether a letter is part of a cell or ends one."""
        self._is_text[rows.removed] = False
        if marks.has_returns:
            ends = rows.ends[rows.at_end]
            is_pair = (marks.codes[ends] == RETURN) & (np.append(marks.codes, 0)[ends + 1] == FEED)
            self._is_text[ends[is_pair] + 1] = False

    def cut(self, width: int, id_at: int) -> Block:
        """The block of a table of so many columns."""
        is_blank_row = self._find_blank()
        is_whole = (self._counts == width) & ~is_blank_row
        is_odd = ~is_whole & ~is_blank_row
        end = self._rows.by_csv[-1].end if self._rows.by_csv else None
        if end is not None:
            is_whole[-1] = is_odd[-1] = False
        odd = [self._describe(row, id_at) for row in np.flatnonzero(is_odd)[: MANY_PROBLEMS + 1].tolist()]
        cells = split_cells(self._join(is_whole))
        columns = [pick_every(cells, width, at) for at in range(width)]
        return Block(columns, self._lines[is_whole], odd, self._lines[is_blank_row], end)

    def _find_blank(self) -> npt.NDArray[np.bool_]:
        found = self._counts == 1
        if found.any():
            found[found] = are_blank(split_cells(self._join(found)))
        return np.asarray(found)

    def _join(self, is_wanted: npt.NDArray[np.bool_]) -> bytes:
        """The cells of some rows, each with NUL behind it."""
        is_text = self._is_text
        if not is_wanted.all() or self._by_csv:
            is_cut = is_wanted.copy()
            is_cut[[*self._by_csv]] = False
            is_text = is_text & np.repeat(is_cut, np.diff(self._starts))
        parts, start = [], 0
        for row in self._by_csv:
            if is_wanted[row]:
                stop = int(self._starts[row])
                parts.append(self._read(is_text, start, stop))
                parts += [f"{cell}\0".encode() for cell in self._by_csv[row].cells]
                start = stop
        return b"".join([*parts, self._read(is_text, start, len(self._codes))])

    def _describe(self, row: int, id_at: int) -> OddRow:
        line, count = int(self._lines[row]), int(self._counts[row])
        if id_at >= count:
            return OddRow(line, count, "")
        if row in self._by_csv:
            return OddRow(line, count, self._by_csv[row].cells[id_at])
        stops = self._rows.ends[np.searchsorted(self._rows.ends, self._starts[row]) :]
        start, stop = stops[id_at - 1] + 1 if id_at else self._starts[row], stops[id_at]
        return OddRow(line, count, self._read(self._is_text, start, stop).decode())

    def _read(self, is_text: npt.NDArray[np.bool_], start: int, stop: int) -> bytes:
        """The letters of a part of the block."""
        text = self._codes[start:stop][is_text[start:stop]].tobytes()
        return text if self._sign == self._delimiter else text.replace(self._sign, self._delimiter)
