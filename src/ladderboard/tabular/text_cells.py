"""Cells of text, one or a column of them: without what stands around them, and as the integers that they spell."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Union

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import polars

Column = Union["polars.Series", Sequence[str]]
"""Text; a sequence of Python's own where there is no polars."""
EXACT = 2**53
"""Below this every integer is a float of its own."""
BLANKS = "".join(filter(str.isspace, map(chr, range(0x3001))))
"""All that Python takes for blanks."""
_WHOLE = re.compile(r"[+-]?[0-9]{1,19}", re.ASCII)
_DECIMAL = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?", re.ASCII)


def plain(cell: str) -> str:
    """Without blanks around it, and without quotation marks that a blank before them has made part of the cell.

    >>> plain(' "a b" ')
    'a b'
    """
    cell = cell.strip()
    return cell[1:-1] if len(cell) > 1 and cell[0] == cell[-1] == '"' else cell


def whole_number(text: str) -> int | None:
    """The integer that a text stands for, however it is written; None where it is none that 64 bits hold.

    >>> [whole_number(text) for text in ("7", "7.0", "007", "7.5", "1e3", "x")]
    [7, 7, 7, None, 1000, None]
    """
    if _WHOLE.fullmatch(text):
        number = int(text)
        return number if -(2**63) <= number < 2**63 else None
    if not _DECIMAL.fullmatch(text):
        return None
    value = float(text)
    return int(value) if value.is_integer() and abs(value) < EXACT else None


def has_polars() -> bool:
    """Whether polars is installed; without it files are read all the same, only more slowly."""
    try:
        import polars  # noqa: F401 (asked for here only)
    except ImportError:
        return False
    return True


def make_column(cells: Sequence[str]) -> Column:
    """Cells as a column of text."""
    if not has_polars():
        return cells
    import polars as pl

    return pl.Series(cells, dtype=pl.String)


def split_cells(data: bytes) -> Column:
    """A column of all cells of a UTF-8 text that has a NUL behind each of them."""
    if not data or not has_polars():
        return make_column(data.decode().split("\0")[:-1])
    import polars as pl

    return pl.Series([data[:-1]], dtype=pl.Binary).cast(pl.String).str.split("\0").explode()


def pick_every(cells: Column, step: int, start: int) -> Column:
    """Every so many cells, beginning with that at ``start``."""
    return cells[start::step] if isinstance(cells, Sequence) else cells.gather_every(step, start)


def are_blank(cells: Column) -> npt.NDArray[np.bool_]:
    """Whether each cell is empty or nothing but blanks."""
    if isinstance(cells, Sequence):
        return np.array([not cell.strip() for cell in cells], dtype=bool)
    return (cells.str.strip_chars(BLANKS) == "").to_numpy()


def strip_cells(cells: Column) -> Column:
    """Every cell as `plain` makes it."""
    return [plain(cell) for cell in cells] if isinstance(cells, Sequence) else strip_series(cells)


def strip_series(cells: "polars.Series") -> "polars.Series":
    """The same of a column of polars."""
    cells = cells.str.strip_chars(BLANKS)
    is_quoted = cells.str.starts_with('"') & cells.str.ends_with('"') & (cells != '"')
    if not is_quoted.any():
        return cells
    return cells.str.strip_prefix('"').str.strip_suffix('"').zip_with(is_quoted, cells)


def whole_numbers_in(cells: Column) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """What `whole_number` makes of every cell, and where it makes one."""
    if isinstance(cells, Sequence):
        found = [whole_number(cell) for cell in cells]
        is_whole = np.array([one is not None for one in found], dtype=bool)
        return np.array([one or 0 for one in found], dtype=np.int64), is_whole
    import polars as pl

    whole = cells.cast(pl.Int64, strict=False)
    numbers, is_whole = whole.fill_null(0).to_numpy(writable=True), whole.is_not_null().to_numpy()
    if is_whole.all():
        return numbers, is_whole
    others = np.flatnonzero(~is_whole)
    values = cells.gather(others).cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()
    fits = (np.abs(values) < EXACT) & (values == np.rint(values))
    numbers[others[fits]] = values[fits].astype(np.int64)
    return numbers, is_whole | np.isin(np.arange(len(cells)), others[fits])
