"""The fast way to read a submission: polars, with the types that are wanted, for files in which nothing is wrong.

It never judges: what it cannot read at once, it leaves to the exact way. So it does with all that is not plain ASCII:
an error of polars quotes the cell that it stumbled over, and where it cuts a letter of several bytes in two, the whole
process ends.
"""

import codecs
import csv
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ladderboard.core.errors import SubmissionError
from ladderboard.tabular.cells import are_numbers, class_values
from ladderboard.tabular.format import SUM_TOLERANCE, Predictions, SubmissionFormat
from ladderboard.tabular.header import Layout, find_delimiter_in, find_layout
from ladderboard.tabular.problems import Problems

if TYPE_CHECKING:
    import polars

Array = npt.NDArray[Any]

LONGEST_HEADER = 1 << 16
SAMPLE = 1 << 16


def read_fast(data: bytes, format: SubmissionFormat) -> Predictions | None:
    """The predictions in delimited text, or None where anything is unusual or wrong."""
    try:
        import polars as pl
    except ImportError:  # the exact way needs no package
        return None
    data = data.removeprefix(codecs.BOM_UTF8)
    end = data.find(b"\n", 0, LONGEST_HEADER)
    if end < 0 or _is_unusual(data) or _has_too_many_rows(data, len(format.ids)):
        return None
    line = data[:end].decode("ascii")
    delimiter = find_delimiter_in(line, format)
    layout = _clean_layout(line, delimiter, format)
    if layout is None:
        return None
    try:
        return _read(_drop_blank_end(data), delimiter, layout, format)
    # A panic is no Exception. Whatever the reason is, the exact way finds it and its words.
    except (Exception, pl.exceptions.PanicException):
        return None


def _is_unusual(data: bytes) -> bool:
    """What polars would stumble over or read more kindly than the exact way: a quotation mark in a cell, for one."""
    return not data.isascii() or (b'"' in data and b'""' in data) or has_lone_returns(data)


def has_lone_returns(data: bytes) -> bool:
    """Whether a CR stands without its LF: a line's end for the exact way, a part of the cell for polars."""
    if b"\r" not in data:
        return False
    codes = np.frombuffer(data, dtype=np.uint8)
    returns = np.flatnonzero(codes == ord("\r"))
    return returns[-1] + 1 == len(codes) or bool((codes[returns + 1] != ord("\n")).any())


def _has_too_many_rows(data: bytes, rows: int) -> bool:
    """Judged by its start: a file of much shorter lines than expected would take a multiple of its size as a table."""
    sample = data[:SAMPLE]
    return sample.count(b"\n") * len(data) > (4 * rows + 10_000) * len(sample)


def _clean_layout(line: str, delimiter: str, format: SubmissionFormat) -> Layout | None:
    """The layout of a header in which nothing is wrong; a cell with a line end in it is left to the exact way."""
    problems = Problems()
    try:
        layout = find_layout(next(csv.reader([line], delimiter=delimiter, strict=True)), format, problems)
    except (csv.Error, StopIteration, SubmissionError):
        return None
    return None if problems else layout


def _drop_blank_end(data: bytes) -> bytes:
    """Blank lines at the end, which many programs write, would be rows of nothing."""
    return data.rstrip(b"\r\n") if data.endswith((b"\n\n", b"\n\r\n")) else data


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
    keys = format.index.make_keys(frame.drop_in_place(str(layout.id)))  # the ids' own text is not needed any more
    rows = format.index.find_rows(keys)
    if rows is None:
        return None
    columns = [frame[str(at)] for at in layout.values]
    values = _classes(columns[0], format) if format.takes_classes else _numbers(columns, format)
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


def _classes(column: "polars.Series", format: SubmissionFormat) -> Array | None:
    classes = class_values(format)
    if not are_numbers(format.classes):
        return np.asarray(classes[column.cast(_categories(format)).to_physical().to_numpy()])
    numbers = column.to_numpy()
    order = np.argsort(classes)
    places = order[np.minimum(np.searchsorted(classes, numbers, sorter=order), len(classes) - 1)]
    return np.asarray(classes[places]) if np.array_equal(classes[places], numbers) else None


def _numbers(series: "list[polars.Series]", format: SubmissionFormat) -> Array | None:
    """One column as it is, several as a table with a row for each id; None where a number or a sum is out of range."""
    least, greatest = format.bounds
    columns = [each.to_numpy() for each in series]
    # False for NaN too.
    if not all(least <= column.min() and column.max() <= greatest for column in columns):
        return None
    if len(columns) == 1:
        return np.asarray(columns[0])
    table = np.column_stack(columns)
    return table if np.all(np.abs(table.sum(axis=1) - 1) <= SUM_TOLERANCE) else None
