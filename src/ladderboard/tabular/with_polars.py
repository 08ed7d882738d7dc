"""A plain table read by polars, with the types that are wanted: for files with many rows in which nothing is wrong."""

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ladderboard.tabular.cells import are_numbers, class_values
from ladderboard.tabular.format import Predictions, SubmissionFormat
from ladderboard.tabular.header import Layout
from ladderboard.tabular.values import as_predicted

if TYPE_CHECKING:
    import polars

Array = npt.NDArray[Any]


def read_with_polars(data: bytes, delimiter: str, layout: Layout, format: SubmissionFormat) -> Predictions | None:
    """The predictions in an ASCII table with its header, or None where anything is unusual."""
    try:
        import polars as pl
    except ImportError:  # the exact way needs no package
        return None
    try:
        return _read(data, delimiter, layout, format)
    # A panic is no Exception. Whatever the reason is, the exact way finds it and its words.
    except (Exception, pl.exceptions.PanicException):
        return None


def _read(data: bytes, delimiter: str, layout: Layout, format: SubmissionFormat) -> Predictions | None:
    import polars as pl

    if format.ids.dtype.kind != "i":
        return _read_as(pl.String, data, delimiter, layout, format)
    try:
        return _read_as(pl.Int64, data, delimiter, layout, format)
    except pl.exceptions.ComputeError:
        # pandas writes 7.0 where a column of integers once had a gap.
        return _read_as(pl.Float64, data, delimiter, layout, format)


def _read_as(id_type: Any, data: bytes, delimiter: str, layout: Layout, format: SubmissionFormat) -> Predictions | None:
    import polars as pl

    schema: dict[str, Any] = dict.fromkeys(map(str, range(len(layout.names))), _value_type(format, b'"' in data))
    schema[str(layout.id)] = id_type
    frame = pl.read_csv(data, separator=delimiter, has_header=False, skip_lines=1, schema=schema)
    if any(frame.null_count().row(0)):
        return None
    keys = format.index.keys_of(frame.drop_in_place(str(layout.id)))  # the ids' own text is not needed any more
    rows = format.index.rows_of(keys)
    if rows is None:
        return None
    columns = [frame[str(at)] for at in layout.values]
    if format.takes_classes:
        values = _class_predictions(columns[0], format)
    else:
        values = as_predicted([column.to_numpy() for column in columns], format)
    return None if values is None else Predictions(values[rows])


def _value_type(format: SubmissionFormat, has_quotes: bool) -> Any:
    import polars as pl

    if not format.takes_classes or are_numbers(format.classes):
        return pl.Float64
    # Where polars reads a cell as a category, it overlooks a letter after the closing quotation mark.
    return pl.String if has_quotes else _categories(format)


def _categories(format: SubmissionFormat) -> Any:
    import polars as pl

    return pl.Enum([str(one) for one in format.classes])


def _class_predictions(column: "polars.Series", format: SubmissionFormat) -> Array | None:
    classes = class_values(format)
    if not are_numbers(format.classes):
        return np.asarray(classes[column.cast(_categories(format)).to_physical().to_numpy()])
    numbers = column.to_numpy()
    order = np.argsort(classes)
    places = order[np.minimum(np.searchsorted(classes, numbers, sorter=order), len(classes) - 1)]
    return np.asarray(classes[places]) if np.array_equal(classes[places], numbers) else None
