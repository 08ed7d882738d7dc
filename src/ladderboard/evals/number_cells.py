"""Cells of a results table as numbers: percent signs, words for a missing value, and the user's own."""

from typing import TYPE_CHECKING

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.core.records import FloatArray
from ladderboard.evals.options import ReadOptions
from ladderboard.tabular import Table
from ladderboard.tabular.columns import numbers_in

if TYPE_CHECKING:
    import polars

MISSING_WORDS = ("na", "n/a", "nan", "null", "none", "#n/a")
VERDICTS = {
    **dict.fromkeys(("correct", "right", "pass", "passed", "✓", "✔", "✅"), "1"),
    **dict.fromkeys(("incorrect", "wrong", "fail", "failed", "✗", "✘", "❌"), "0"),
}
"""Words that say themselves which is right."""
_PERCENT = r"^[+-]?[0-9]+(?:\.[0-9]+)?\s?%$"
HINT = (
    "correct it, or leave the column out (--drop), or declare it (--items-column, --groups-column, --tasks-column), or "
    "say that it marks a missing value (--missing-value)"
)


def read_numbers(table: Table, column: str, missing_value: str | None = None) -> FloatArray:
    """A column of numbers, NaN where one is missing.

    Cells such as ``NA`` and the declared missing value are missing. In a column where every cell has a percent sign,
    87.5 % is 0.875; a column with some is refused. A column of nothing but words such as correct and incorrect, or pass
    and fail, is 1 and 0.
    """
    import polars as pl

    cells = table.column(column)
    if missing_value is not None:
        cells = _without(cells, missing_value)
    cells = cells.set(cells.str.to_lowercase().is_in(MISSING_WORDS).fill_null(value=False), None)
    if _are_verdicts(cells):
        cells = cells.str.to_lowercase().replace_strict(VERDICTS, default=None)
    percents = cells.str.contains(_PERCENT).fill_null(value=False)
    if percents.any():
        given = cells.is_not_null()
        if (percents != given).any():
            row = int((given & ~percents).arg_max() or 0)
            raise table.error(
                f"{cells[row]!r} has no percent sign and other cells of the column have one; write all of them alike",
                row,
                column,
            )
        return numbers_in(cells.str.replace("%", "", literal=True).str.strip_chars()) / 100
    changed = Table(table.name, pl.DataFrame({column: cells}), table.is_parquet, table.lines)
    return np.asarray(changed.numbers(column, hint=HINT))


def has_percents(table: Table, column: str) -> bool:
    """Whether a column is written with percent signs."""
    return bool(table.column(column).str.contains(_PERCENT).any())


def has_verdicts(table: Table, column: str) -> bool:
    """Whether a column is written in words that say which is right."""
    cells = table.column(column)
    return _are_verdicts(cells.set(cells.str.to_lowercase().is_in(MISSING_WORDS).fill_null(value=False), None))


def refuse_wrong_way(table: Table, column: str, options: ReadOptions) -> None:
    """Refuse options by which a right answer, in words, would be a loss."""
    if options.kind == "losses" or options.higher_is_better is False:
        word = table.column(column).drop_nulls()[0]
        said = "--kind losses" if options.kind == "losses" else "--lower-is-better"
        raise InputError(
            f"{table.name}, column {column!r} says in words what is right (such as {word!r}), so {said} would turn it "
            "round; leave that out"
        )


def _are_verdicts(cells: "polars.Series") -> bool:
    given = cells.drop_nulls()
    return len(given) > 0 and bool(given.str.to_lowercase().is_in(list(VERDICTS)).all())


def _without(cells: "polars.Series", missing_value: str) -> "polars.Series":
    """The cells, null where they are the declared value, as text or as a number."""
    import polars as pl

    same = (cells == missing_value).fill_null(value=False)
    try:
        number = float(missing_value)
    except ValueError:
        return cells.set(same, None)
    return cells.set(same | pl.Series(numbers_in(cells) == number), None)
