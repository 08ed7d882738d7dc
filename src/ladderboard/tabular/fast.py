"""The fast ways to read a table, for files in which nothing is wrong: polars, and for small files something smaller.

They never judge: whatever they cannot read at once, they leave to the exact way. So they do with all that is not plain
ASCII: an error of polars quotes the cell that it stumbled over, and where it cuts a letter of several bytes in two, the
whole process ends.
"""

import codecs
import csv

import numpy as np

from ladderboard.core.errors import SubmissionError
from ladderboard.tabular.format import Predictions, SubmissionFormat
from ladderboard.tabular.header import Layout, delimiter_of, layout_of
from ladderboard.tabular.problems import Problems
from ladderboard.tabular.small import SMALL, read_small
from ladderboard.tabular.with_polars import read_with_polars

LONGEST_HEADER = 1 << 16
SAMPLE = 1 << 16


def read_fast(data: bytes, format: SubmissionFormat) -> Predictions | None:
    """The predictions in delimited text, or None where anything is unusual or wrong."""
    data = data.removeprefix(codecs.BOM_UTF8)
    end = data.find(b"\n", 0, LONGEST_HEADER)
    if end < 0 or _is_unusual(data) or _has_too_many_rows(data, len(format.ids)):
        return None
    line = data[:end].decode("ascii")
    delimiter = delimiter_of(line, format)
    layout = _clean_layout(line, delimiter, format)
    if layout is None:
        return None
    data = _without_blank_end(data)
    found = read_small(data[end + 1 :], delimiter, layout, format) if len(data) <= SMALL else None
    return read_with_polars(data, delimiter, layout, format) if found is None else found


def _is_unusual(data: bytes) -> bool:
    """What polars would stumble over or read more kindly than the exact way: a quotation mark in a cell, for one."""
    return not data.isascii() or (b'"' in data and b'""' in data) or _has_lone_returns(data)


def _has_lone_returns(data: bytes) -> bool:
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
        layout = layout_of(next(csv.reader([line], delimiter=delimiter, strict=True)), format, problems)
    except (csv.Error, StopIteration, SubmissionError):
        return None
    return None if problems else layout


def _without_blank_end(data: bytes) -> bytes:
    """Blank lines at the end, which many programs write, would be rows of nothing."""
    return data.rstrip(b"\r\n") if data.endswith((b"\n\n", b"\n\r\n")) else data
