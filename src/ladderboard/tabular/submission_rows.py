"""The rows of a submission, gathered block by block: the values, and every problem with its line.

Memory does not grow with the file: of each id the value and the line are kept, and of texts every different one.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from ladderboard.core.records import IntArray
from ladderboard.core.words import pluralise
from ladderboard.metrics.text_inputs import describe_outside, find_last_pixel
from ladderboard.tabular.blocks import Block
from ladderboard.tabular.cell_columns import CellColumns
from ladderboard.tabular.cells import BadCellError, OpenClasses, OpenTexts, class_values
from ladderboard.tabular.format import Predictions, SubmissionFormat
from ladderboard.tabular.header import Layout
from ladderboard.tabular.ids import Places
from ladderboard.tabular.key_table import UNKNOWN
from ladderboard.tabular.problems import Problems, join_names, quote
from ladderboard.tabular.rows import BAD_QUOTE
from ladderboard.tabular.text_cells import make_column
from ladderboard.tabular.typed_block import TypedBlock, sum_to_one

SHOWN_IDS = 10
NO_ID = "the id is empty"


class SubmissionRows:
    """The values and lines found so far, by the place of the id."""

    def __init__(self, format: SubmissionFormat, layout: Layout, problems: Problems, cells: CellColumns) -> None:
        self.format, self.layout, self.problems, self.cells = format, layout, problems, cells
        self.columns = np.zeros((len(layout.values), len(format.ids)))
        """Of predictions."""
        self.first_lines = np.zeros(len(format.ids), dtype=np.int32)
        self.count = 0
        """Of the rows so far."""
        self._records, self._most = 0, 2 * len(format.ids) + 10_000
        """Rows and blank lines so far, and how many there may be."""

    def take_typed(self, block: TypedBlock, first: int) -> bool:
        """Take a block that starts on this line; or nothing (False), if ids are unknown or not new or rows too many."""
        if self._records + len(block.keys) + block.blank > self._most:
            return False
        places = self.format.index.find_keys(block.keys, start=self.count)
        if not isinstance(places, slice) and places.min() == UNKNOWN:
            return False
        if self._lines_of(places).any():
            return False
        lines = self._number(first + block.starts)
        self.first_lines[places] = lines
        if not isinstance(places, slice) and not np.array_equal(self._lines_of(places), lines):
            self.first_lines[places] = 0
            return False
        for all_values, values in zip(self.columns, block.values, strict=True):
            all_values[places] = values
        self.count += len(lines)
        self._records += len(lines) + block.blank
        return True

    def _lines_of(self, places: Places) -> npt.NDArray[np.int32]:
        """The first lines of known ids."""
        return self.first_lines[places] if isinstance(places, slice) else self.first_lines.take(places)

    def _number(self, lines: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The numbers by which people find these rows: where a file has no lines, those of the rows."""
        return self.count + 1 + np.arange(len(lines)) if self.problems.place == "row" else lines

    def take(self, block: Block) -> None:
        """Take a block, and add what is wrong with it; raises after very many problems."""
        whole = len(block.lines)
        lines = np.append(block.lines, [row.line for row in block.odd]).astype(np.int64)
        self._refuse_far_more(np.append(lines, block.blank))
        lines = self._number(lines)
        self.count += len(lines)
        names = make_column([row.id for row in block.odd])
        places = np.append(self.format.index.places(block.columns[self.layout.id]), self.format.index.places(names))
        is_bad = self._note(places, lines)
        is_bad[whole:] = True
        columns = self.cells.read_all([block.columns[at] for at in self.layout.values])
        for at, column in enumerate(columns):
            is_bad[:whole] |= np.isnan(column)
            self.columns[at][places[:whole][~is_bad[:whole]]] = column[~is_bad[:whole]]
        is_bad[:whole] |= ~sum_to_one(columns, self.format)
        rows = np.flatnonzero(is_bad)
        for row in rows[np.argsort(lines[rows])].tolist():
            self._describe(block, row, int(lines[row]), int(places[row]))
            self.problems.stop_reading_if_many(int(lines[row]))

    def _refuse_far_more(self, lines: npt.NDArray[np.int64]) -> None:
        """Stop where there are far more rows, blank lines included, than ids."""
        if self._records + len(lines) > self._most:
            words = f"there are more than {self._most:,} rows for {len(self.format.ids):,} ids; the rest was not read"
            self.problems.stop("too_many_rows", words, int(np.sort(lines)[self._most - self._records]))
        self._records += len(lines)

    def _note(self, places: IntArray, lines: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Keep the first line of every id; True where an id is unknown or has a row before."""
        is_known = places != UNKNOWN
        is_new = is_known & (self.first_lines[places] == 0)
        # Of several lines of an id, the first is written last. They are almost in order, which this sort makes use of.
        order = np.argsort(lines[is_new], kind="stable")[::-1]
        self.first_lines[places[is_new][order]] = lines[is_new][order]
        return np.asarray(~is_known | (self.first_lines[places] != lines))

    def predictions(self) -> Predictions:
        """All values in the order of the ids; raises where anything was wrong."""
        if not self.count:
            self.problems.stop(
                "no_rows",
                f"there is a header but no row; {len(self.format.ids):,} rows are expected",
            )
        self._add_missing()
        if not (self.format.takes_classes or self.format.takes_texts):
            self.problems.refuse()
            return Predictions(self._gather())
        read_cell = self.cells.read_cell
        if isinstance(read_cell, OpenTexts):
            self._refuse_outside(read_cell)
        self.problems.refuse()
        known = read_cell.names if isinstance(read_cell, OpenClasses | OpenTexts) else class_values(self.format)
        return Predictions(known[self._gather().astype(np.intp)])

    def _refuse_outside(self, texts: OpenTexts) -> None:
        """Add every mask that does not fit the picture of its row; a cell alone does not tell."""
        if self.format.pixels is None or not len(texts.names):
            return
        last = np.array([find_last_pixel(text) for text in texts.names.tolist()])
        masks = self.columns[0].astype(np.intp)
        outside = np.flatnonzero((self.first_lines > 0) & (last[masks] > self.format.pixels))
        column = self.layout.names[self.layout.values[0]]
        for place in outside[np.argsort(self.first_lines[outside])].tolist():
            text = texts.names[masks[place]]
            words = f"column {quote(column)}: {quote(text)} {describe_outside(text, int(self.format.pixels[place]))}"
            self.problems.add("bad_mask", words, int(self.first_lines[place]), column, cell=text)

    def _gather(self) -> npt.NDArray[np.float64]:
        """The columns as one vector or table."""
        one_column = len(self.columns) == 1 and not self.format.is_table
        return self.columns[0] if one_column else np.ascontiguousarray(self.columns.T)

    def _describe(self, block: Block, row: int, line: int, place: int) -> None:
        """Add what is wrong with a row: its length, its id, its cells, their sum."""
        whole = len(block.lines)
        if row >= whole:
            odd = block.odd[row - whole]
            self._add_odd(odd.cells, line)
            if odd.id:
                self._add_id(odd.id, line, place)
            return
        self._add_id(block.columns[self.layout.id][row], line, place)
        self._add_cells([block.columns[at][row] for at in self.layout.values], line)

    def _add_odd(self, cells: int, line: int) -> None:
        expected = len(self.layout.names)
        if cells:
            self.problems.add("ragged_row", lambda: describe_ragged(cells, expected), line)
        else:
            self.problems.add("bad_quote", BAD_QUOTE, line)

    def _add_id(self, name: str, line: int, place: int) -> None:
        column = self.format.id_column
        if place == UNKNOWN and not name.strip():
            self.problems.add("blank_cell", NO_ID, line, column)
        elif place == UNKNOWN:
            self.problems.add("unknown_id", lambda: self._describe_unknown_id(name), line, column, cell=name)
        elif self.first_lines[place] != line:
            first = int(self.first_lines[place])
            self.problems.add("duplicate_id", lambda: self._describe_repeated_id(name, first), line, column, cell=name)

    def _describe_unknown_id(self, name: str) -> str:
        usual = _unquote(str(self.format.ids[0]))
        return f"there is no id {_unquote(name)}; ids look like {usual}"

    def _describe_repeated_id(self, name: str, first: int) -> str:
        if self.problems.place == "row":
            return f"id {_unquote(name)} appears twice (first on row {first})"
        return f"id {_unquote(name)} appears twice (first on line {first})"

    def _add_cells(self, cells: Sequence[str], line: int) -> None:
        values = []
        for at, cell in zip(self.layout.values, cells, strict=True):
            try:
                values.append(self.cells.read_cell(cell))
            except BadCellError as bad:
                column = self.layout.names[at]
                self.problems.add(bad.kind, partial(_describe_cell, column, bad), line, column, cell=cell.strip())
        if len(values) == len(cells) and not sum_to_one([np.array([value]) for value in values], self.format).all():
            self.problems.add("bad_sum", lambda: _bad_sum(values), line)

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
