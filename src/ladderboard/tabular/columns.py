"""The type of a column: numbers, whole numbers, truth values, dates, or else text.

A cell that is empty is missing (null), and so is NaN among numbers. No other word is taken for a gap: ``NA`` is text,
and refused where numbers are needed.
"""

from collections.abc import Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import polars

WHOLE_NUMBERS = r"^(?:0|-?[1-9][0-9]{0,18})$"
"""Written as such: 7, not 007 or 7.0."""
DECIMAL_COMMA = r"^[+-]?[0-9]+,[0-9]+(?:[eE][+-]?[0-9]+)?(?:\s?%)?$"
NUMBER_WITHOUT_POINT = r"^[+-]?[0-9]+(?:,[0-9]+)?(?:[eE][+-]?[0-9]+)?(?:\s?%)?$"
NUMBER_WITH_SIGN = r"^[+-]?[0-9]+[.,][0-9]+$"
THOUSANDS = r"^[+-]?[1-9][0-9]{0,2}[.,][0-9]{3}$"
TRUTHS = ("true", "false")
GAPS = ("nan", "na", "n/a", "null", "none", "-", "?", ".")
"""Words that mean a missing number to some programs and are an ordinary class to others."""


def replace_decimal_commas(frame: "polars.DataFrame") -> "polars.DataFrame":
    """The same with decimal points in every column of numbers that has decimal commas and no point."""
    return frame.with_columns([_replace_commas(frame[name]) for name in frame.columns if _has_commas(frame[name])])


def find_thousands(frame: "polars.DataFrame") -> tuple[str, int] | None:
    """A cell such as 18,270 in a table whose every sign could divide thousands: the column, and the row from 0.

    One number that cannot be so, such as 0,5, shows what the sign is for.
    """
    found = None
    for name in frame.columns:
        signs = frame[name].str.contains(NUMBER_WITH_SIGN).fill_null(value=False)
        if not signs.any():
            continue
        if not frame[name].filter(signs).str.contains(THOUSANDS).all():
            return None
        found = found or (name, int(signs.arg_max() or 0))
    return found


def numbers_in(cells: "polars.Series") -> npt.NDArray[np.float64]:
    """Each cell as a number: NaN where it is missing or is none."""
    import polars as pl

    return cells.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()


def is_no_number(cells: "polars.Series") -> npt.NDArray[np.bool_]:
    """True where a cell is there and no number."""
    import polars as pl

    return (cells.cast(pl.Float64, strict=False).is_null() & cells.is_not_null()).to_numpy()


def is_gap_among_numbers(cells: "polars.Series") -> npt.NDArray[np.bool_]:
    """Whether a cell is a word such as NA in a column that is otherwise numbers, so that its meaning is unclear."""
    words = cells.str.to_lowercase().is_in(GAPS).fill_null(value=False).to_numpy()
    others = ~words & cells.is_not_null().to_numpy()
    return words if others.any() and not (is_no_number(cells) & others).any() else np.zeros(len(cells), dtype=bool)


def truths_in(cells: "polars.Series") -> npt.NDArray[np.bool_] | None:
    """The truth values of a column of nothing else, a missing one being False; None for any other column."""
    lower = cells.str.to_lowercase()
    if cells.null_count() == len(cells) or not lower.drop_nulls().is_in(TRUTHS).all():
        return None
    return (lower == "true").fill_null(value=False).to_numpy()


def whole_numbers(cells: "polars.Series") -> npt.NDArray[np.int64] | None:
    """The cells as integers; None where one of them is not written as such or too long for 64 bits."""
    import polars as pl

    if not cells.str.contains(WHOLE_NUMBERS).all():
        return None
    numbers = cells.cast(pl.Int64, strict=False)
    return None if numbers.null_count() else numbers.to_numpy()


def find_classes(cells: "polars.Series") -> npt.NDArray[Any]:
    """Class labels: whole numbers where all are written so, else numbers where all are, else text."""
    whole = None if cells.null_count() else whole_numbers(cells)
    if whole is not None:
        return whole
    numbers = numbers_in(cells)
    return numbers if np.isfinite(numbers).all() else np.array(cells.to_list(), dtype=np.str_)


def read_moment(text: str) -> date | datetime | None:
    """The date or time that a text is in the form of ISO 8601; None for any other text.

    >>> read_moment("2024-01-31"), read_moment("2024-01-31 12:30"), read_moment("31.1.2024")
    (datetime.date(2024, 1, 31), datetime.datetime(2024, 1, 31, 12, 30), None)
    """
    for read in (date.fromisoformat, datetime.fromisoformat):
        try:
            return read(text)
        except ValueError:
            continue
    return None


def make_comparable(moments: Sequence[date | datetime]) -> list[date | datetime]:
    """The same, days as their midnight where any has a time of day; raises `TypeError` where only some have a zone."""
    if not any(isinstance(each, datetime) for each in moments):
        return list(moments)
    times = [each if isinstance(each, datetime) else datetime(each.year, each.month, each.day) for each in moments]
    if len({each.tzinfo is None for each in times}) > 1:
        raise TypeError
    return list(times)


def _has_commas(cells: "polars.Series") -> bool:
    given = cells.filter(~cells.str.to_lowercase().is_in(GAPS)).drop_nulls()
    return bool(given.str.contains(DECIMAL_COMMA).any()) and bool(given.str.contains(NUMBER_WITHOUT_POINT).all())


def _replace_commas(cells: "polars.Series") -> "polars.Series":
    return cells.str.replace(",", ".", literal=True)
