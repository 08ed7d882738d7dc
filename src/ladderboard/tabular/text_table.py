"""Delimited text → columns of text: exactly, line by line, or at once where the text is plain."""

import codecs
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ladderboard.core.records import IntArray
from ladderboard.tabular.delimiters import DelimiterError, find_delimiter
from ladderboard.tabular.encoding import refuse_other_encodings
from ladderboard.tabular.exact import BAD_QUOTE, NOTHING, describe_ragged
from ladderboard.tabular.fast import has_lone_returns
from ladderboard.tabular.ids import plain
from ladderboard.tabular.problems import Problems
from ladderboard.tabular.rows import BLANK, MISQUOTED, TextRow, UnreadableError, table_rows

if TYPE_CHECKING:
    import polars

SAMPLE = 1 << 16
SAMPLE_LINES = 100
AT_ONCE = 50_000
NO_NAME_FOR_FIRST = (
    "the row has one cell more than the header has names; add a name for the first column (in R: write.csv, or "
    "write.table with col.names = NA)"
)
LINE_END = ord("\n")
UNUSUAL = (b'"', b"\n\n", b"\n\r\n", codecs.BOM_UTF8, b"\x1c", b"\x1d", b"\x1e", b"\x1f")
"""What could be read otherwise: quotation marks, blank lines, a byte-order mark that is not at the start, and what only
Python takes for blanks."""


@dataclass(frozen=True, eq=False)
class TextTable:
    """The header, and the cells below it in columns that are named by their place."""

    header: tuple[str, ...]
    frame: "polars.DataFrame"
    delimiter: str
    lines: IntArray | None = None
    """The line of each row; None: one row in each line after the header."""


def read_text(data: bytes, problems: Problems) -> TextTable:
    """The table in text, or stop at the first thing that is wrong with it."""
    refuse_other_encodings(data, problems)
    try:
        delimiter = find_delimiter(_sample(data))
    except DelimiterError as ambiguous:
        problems.stop("missing_header", str(ambiguous), 1)
    return read_plain(data, delimiter) or read_line_by_line(data, delimiter, problems)


def read_plain(data: bytes, delimiter: str) -> TextTable | None:
    """The table in text without quotation marks and blank lines, whose rows all have as many cells as the header."""
    import polars as pl

    data = data.removeprefix(codecs.BOM_UTF8).rstrip(b"\r\n")
    end = data.find(b"\n")
    if end < 0 or any(sign in data for sign in UNUSUAL) or has_lone_returns(data):
        return None
    header = tuple(name.strip() for name in data[:end].decode().split(delimiter))
    codes = np.frombuffer(data[end + 1 :] + b"\n", dtype=np.uint8)
    ends = codes[(codes == LINE_END) | (codes == ord(delimiter))] == LINE_END
    rows = int(ends.sum())
    if not any(header) or len(ends) != rows * len(header) or not ends[len(header) - 1 :: len(header)].all():
        return None
    schema = dict.fromkeys(map(str, range(len(header))), pl.String)
    frame = pl.read_csv(data[end + 1 :], separator=delimiter, has_header=False, quote_char=None, schema=schema)
    return TextTable(header, frame, delimiter) if frame.height == rows else None


def read_line_by_line(data: bytes, delimiter: str, problems: Problems) -> TextTable:
    """The table in any text."""
    rows = table_rows(data, delimiter)
    try:
        line, cells = next(rows, (1, None))
        if cells is None:
            problems.stop("empty_file", NOTHING)
        _refuse_misquoted(line, cells, problems)
        header = tuple(plain(cell) for cell in cells)
        frames, lines = [_frame([], len(header))], [np.empty(0, dtype=np.intp)]
        for batch in _batches(_whole_rows(rows, len(header), problems)):
            frames.append(_frame([cells for _, cells in batch], len(header)))
            lines.append(np.array([line for line, _ in batch], dtype=np.intp))
    except UnreadableError as problem:
        problems.stop(problem.kind, problem.sentence, problem.line)
    import polars as pl

    return TextTable(header, pl.concat(frames), delimiter, np.concatenate(lines))


def _sample(data: bytes) -> str:
    lines = data[:SAMPLE].decode(errors="ignore").splitlines(keepends=True)
    whole = lines if len(data) <= SAMPLE else lines[:-1] or lines
    return "".join(whole[:SAMPLE_LINES])


def _whole_rows(rows: Iterator[TextRow], width: int, problems: Problems) -> Iterator[TextRow]:
    """The rows but for blank lines, which in a table of one column are empty cells."""
    is_first = True
    for line, cells in rows:
        _refuse_misquoted(line, cells, problems)
        if cells is BLANK:
            if width == 1:
                yield line, [""]
        elif len(cells) == width:
            yield line, cells
        else:
            words = NO_NAME_FOR_FIRST if is_first and len(cells) == width + 1 else describe_ragged(len(cells), width)
            problems.stop("ragged_row", words, line)
        is_first = False


def _refuse_misquoted(line: int, cells: list[str], problems: Problems) -> None:
    if cells is MISQUOTED:
        problems.stop("bad_quote", BAD_QUOTE, line)


def _batches(rows: Iterator[TextRow]) -> Iterator[list[TextRow]]:
    batch: list[TextRow] = []
    for row in rows:
        batch.append(row)
        if len(batch) == AT_ONCE:
            yield batch
            batch = []
    if batch:
        yield batch


def _frame(rows: Sequence[list[str]], width: int) -> "polars.DataFrame":
    import polars as pl

    columns = list(zip(*rows, strict=True)) if rows else [()] * width
    cells = [[plain(cell) for cell in column] for column in columns]
    return pl.DataFrame({str(at): pl.Series(column, dtype=pl.String) for at, column in enumerate(cells)})
