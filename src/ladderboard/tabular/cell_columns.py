"""Columns of predictions → values: by polars as far as it reads what a cell's reader reads, the others cell by cell."""

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ladderboard.core.records import FloatArray
from ladderboard.tabular.cells import BadCellError, cell_reader
from ladderboard.tabular.format import SubmissionFormat
from ladderboard.tabular.problems import MANY_PROBLEMS
from ladderboard.tabular.text_cells import Column, strip_series

if TYPE_CHECKING:
    import polars

DECIMAL_COMMA = r"^[+-]?[0-9]+,[0-9]+(?:[eE][+-]?[0-9]+)?$"


class CellColumns:
    """The reader of the prediction columns of one file.

    ``find_decimal_commas``: whether a comma in a number is a decimal comma. It looks at the whole file, so it is asked
    only where a cell is no plain number.
    """

    def __init__(self, format: SubmissionFormat, find_decimal_commas: Callable[[], bool]) -> None:
        self._format, self.has_decimal_commas = format, cache(find_decimal_commas)

    @cached_property
    def read_cell(self) -> Callable[[str], float]:
        """Reads one cell; raises `BadCellError`."""
        return cell_reader(self._format, decimal_comma=self.has_decimal_commas())

    def read_all(self, columns: Sequence[Column]) -> list[FloatArray]:
        """Each column as `read` does it; after very many refused cells, NaN for the columns that are left."""
        found: list[FloatArray] = []
        refused = 0
        for cells in columns:
            found.append(self.read(cells) if refused <= MANY_PROBLEMS else np.full(len(cells), np.nan))
            refused += int(np.isnan(found[-1]).sum())
        return found

    def read(self, cells: Column) -> FloatArray:
        """The number in each cell, or the place of its class; NaN where it is refused, and after very many of those."""
        if isinstance(cells, Sequence):
            return self._read_each(cells)
        if self._format.takes_classes or self._format.takes_texts:
            different = cells.unique(maintain_order=True)
            return np.asarray(self._read_each(different.to_list())[_number(cells, different)])
        return self._read_numbers(cells)

    def _read_numbers(self, cells: "polars.Series") -> FloatArray:
        numbers = self._cast(cells)
        left = np.flatnonzero(np.isnan(numbers))
        if len(left):
            stripped = strip_series(cells.gather(left))
            numbers[left] = self._cast(_replace_commas(stripped) if self.has_decimal_commas() else stripped)
            left = left[np.isnan(numbers[left])]
            numbers[left] = self._read_each(cells.gather(left).to_list())
        return numbers

    def _cast(self, cells: "polars.Series") -> FloatArray:
        import polars as pl

        least, greatest = self._format.bounds
        numbers = cells.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()
        return np.where((numbers >= least) & (numbers <= greatest), numbers, np.nan)

    def _read_each(self, cells: Sequence[str]) -> FloatArray:
        values = np.full(len(cells), np.nan)
        refused = 0
        for row, cell in enumerate(cells):
            try:
                values[row] = self.read_cell(cell)
            except BadCellError:
                refused += 1
                if refused > MANY_PROBLEMS:
                    break  # the rest of the file is not read either
        return values


def _number(cells: "polars.Series", different: "polars.Series") -> npt.NDArray[np.uint32]:
    """The place of each cell among the different ones."""
    import polars as pl

    return cells.cast(pl.Enum(different)).to_physical().to_numpy()


def _replace_commas(cells: "polars.Series") -> "polars.Series":
    with_points = cells.str.replace(",", ".", literal=True)
    return with_points.zip_with(cells.str.contains(DECIMAL_COMMA), cells)
