"""Blocks of plain text in which nothing is wrong, read by polars into numbers at once.

It never judges: what it cannot read so is read as text. An error of polars quotes the cell that it stumbled over, and
where it cuts a letter of several bytes in two, the whole process ends; so it is given ASCII only.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ladderboard.core.records import IntArray
from ladderboard.tabular.bare_text import make_bare
from ladderboard.tabular.cells import are_numbers
from ladderboard.tabular.format import SUM_TOLERANCE, SubmissionFormat
from ladderboard.tabular.header import Layout
from ladderboard.tabular.text_cells import has_polars

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True, eq=False)
class TypedBlock:
    """Some rows."""

    keys: npt.NDArray[np.int64]
    """Of the ids."""
    values: Sequence[npt.NDArray[Any]]
    """The prediction columns: numbers, or the places of classes."""
    starts: IntArray
    """The line on which each row starts, from 0."""
    lines: int
    """How many the block has."""
    blank: int
    """How many of them are blank."""


def read_typed(
    text: bytes, delimiter: str, layout: Layout, format: SubmissionFormat, find_decimal_commas: Callable[[], bool]
) -> TypedBlock | None:
    """The rows of a block, or None where anything is unusual or wrong."""
    if (
        not has_polars()
        or not delimiter.isascii()
        or not text.isascii()
        or not layout.values
        or (format.takes_classes and not format.classes)
        or format.takes_texts
    ):
        return None
    import polars as pl

    schema: dict[str, Any] = dict.fromkeys(map(str, range(len(layout.names))), _value_type(format))
    schema[str(layout.id)] = pl.Int64 if format.ids.dtype.kind == "i" else pl.String
    of_numbers = all(each.is_numeric() for each in schema.values())
    bare = make_bare(text, ord(delimiter), of_numbers=of_numbers, find_decimal_commas=find_decimal_commas)
    # polars makes room for as many columns as the first line has.
    if bare is None or bare.text.count(delimiter.encode(), 0, bare.text.index(b"\n")) != len(layout.names) - 1:
        return None
    try:
        frame = pl.read_csv(bare.text, separator=delimiter, has_header=False, quote_char=None, schema=schema)
    # A panic is no Exception. Whatever the reason is, it is found in the text.
    except (Exception, pl.exceptions.PanicException):
        return None
    if any(column.null_count() for column in frame):
        return None
    values = [_read(frame[str(at)], format) for at in layout.values]
    whole = [column for column in values if column is not None]
    if len(whole) < len(values) or not sum_to_one(whole, format).all():
        return None
    keys = format.index.make_keys(frame[str(layout.id)])
    if bare.starts is None:
        return TypedBlock(keys, whole, np.arange(len(keys)), len(keys), 0)
    return TypedBlock(keys, whole, bare.starts, bare.lines, bare.blank)


def _value_type(format: SubmissionFormat) -> Any:
    import polars as pl

    if not format.takes_classes or are_numbers(format.classes):
        return pl.Float64
    return pl.Enum([str(one) for one in format.classes])


def _read(column: "polars.Series", format: SubmissionFormat) -> npt.NDArray[Any] | None:
    if not format.takes_classes:
        least, greatest = format.bounds
        numbers = column.to_numpy()
        return numbers if least <= numbers.min() and numbers.max() <= greatest else None  # not for NaN either
    if not are_numbers(format.classes):
        return column.to_physical().to_numpy()
    classes, numbers = np.asarray(format.classes), column.to_numpy()
    order = np.argsort(classes)
    places = order[np.minimum(np.searchsorted(classes, numbers, sorter=order), len(classes) - 1)]
    return places if np.array_equal(classes[places], numbers) else None


def sum_to_one(values: Sequence[npt.NDArray[Any]], format: SubmissionFormat) -> npt.NDArray[np.bool_]:
    """Whether the probabilities of each row do, where there is one for each class."""
    if format.takes != "probabilities" or len(values) < 2 or len(values) != len(format.classes):
        return np.ones(1, dtype=bool)
    return np.asarray(np.abs(np.sum(values, axis=0) - 1) <= SUM_TOLERANCE)
