"""Quotation marks by the rules of the csv module, for all lines of a block at once.

A cell that starts with a mark is *quoted*: it goes on, over delimiters and line ends, to the mark that stands before a
delimiter or a line end; a mark in it is written twice. In any other cell a mark is a letter. So of a *run* of adjacent
marks only this matters: whether their number is odd, and whether they start a cell. An even run changes nothing. An odd
one closes the quoted cell that it is in; in none, it opens one if it starts a cell, else it is letters. Hence no quoted
cell is open after an odd run that starts no cell, whatever was before it, and the others toggle.
"""

import numpy as np

from ladderboard.core.records import IntArray
from ladderboard.tabular.marks import Marks


class Runs:
    """The runs of a block, and as the last one its end, which no quoted cell should reach."""

    def __init__(self, marks: Marks) -> None:
        self._quotes = marks.places[marks.is_quote]
        is_first = np.append(True, np.diff(self._quotes) != 1)[: len(self._quotes)]
        first = np.flatnonzero(is_first)
        self._lengths = np.diff(first, append=len(self._quotes))
        places = self._quotes[first]
        starts_cell = marks.ends_cell(marks.codes[places - 1])  # before the text: the line end at its end
        is_followed = np.append(~marks.ends_cell(marks.codes[places + self._lengths]), True)
        self._starts_cell = np.append(starts_cell, False)
        self._is_odd = np.append((self._lengths & 1).astype(bool), True)
        self._closes = self._is_odd & ~self._starts_cell
        self._is_wrong_inside = is_followed & self._is_odd
        self._is_wrong_outside = is_followed & ~self._is_odd & self._starts_cell
        toggles = np.cumsum(self._is_odd & self._starts_cell, dtype=np.int32)
        before = np.maximum.accumulate(np.where(self._closes, toggles, 0))
        self.is_inside = np.append(False, ((toggles - before)[:-1] & 1).astype(bool))
        """Whether each run is in a quoted cell that was opened before it."""
        self.is_wrong = np.where(self.is_inside, self._is_wrong_inside, self._is_wrong_outside)
        """Whether text follows where a quoted cell has ended, or the end of the block where it has not."""
        self._places, self._line_ends = np.append(places, len(marks.codes) - 1), marks.ends
        is_start = marks.is_quote.copy()
        is_start[marks.is_quote] = is_first
        self.before_marks = np.cumsum(is_start, dtype=np.int32)
        """How many runs there are up to each mark: the next run, unless the mark is a quotation mark."""
        self.before_lines = np.append(0, self.before_marks[marks.is_end][:-1])
        """How many there are before each line: the next run."""

    def find_line(self, run: int) -> int:
        """The line that a run is on."""
        return int(np.searchsorted(self._line_ends, self._places[run]))

    def leave_cell(self, run: int) -> None:
        """Let this run be in no quoted cell, up to the next one after which none is open anyway."""
        changed = slice(run, run + int(np.argmax(self._closes[run:])) + 1)
        self.is_inside[changed] ^= True
        is_wrong = np.where(self.is_inside[changed], self._is_wrong_inside[changed], self._is_wrong_outside[changed])
        self.is_wrong[changed] = is_wrong

    def find_removed(self) -> IntArray:
        """The places of marks that are no letters: those around quoted cells, and one of two in them."""
        is_inside, starts_cell, is_odd = self.is_inside[:-1], self._starts_cell[:-1], self._is_odd[:-1]
        counts = np.where(is_inside | starts_cell, (self._lengths + 1) >> 1, 0)
        counts += ~is_inside & starts_cell & ~is_odd
        ordinals = np.arange(len(self._quotes)) - np.repeat(np.cumsum(self._lengths) - self._lengths, self._lengths)
        return np.asarray(self._quotes[ordinals < np.repeat(counts, self._lengths)])
