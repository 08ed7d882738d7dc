"""A table of the competition's folder as text columns, with the line that each row stands in: CSV, gzip or Parquet."""

import csv
import gzip
import io
import zlib
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ladderboard.core.errors import InputError
from ladderboard.tabular.parquet_child import moment_format

if TYPE_CHECKING:
    import polars

DELIMITERS = (",", ";", "\t", "|")
PARQUET = b"PAR1"
GZIP = b"\x1f\x8b"


class UnreadableTableError(InputError):
    """The file is no table; ``line`` says where that shows."""

    code = "bad_table"

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True, eq=False)
class TableFile:
    """Columns of text without blanks around them; an empty cell is null."""

    frame: "polars.DataFrame"
    text: str | None
    """What the file holds; None for Parquet."""
    delimiter: str = ","

    def __len__(self) -> int:
        return int(self.frame.height)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.frame.columns)

    def column(self, name: str) -> "polars.Series":
        return self.frame[name]

    def line(self, row: int) -> int:
        """The line (Parquet: the row, from 1) of a row that counts from 0."""
        return row + 1 if self.text is None else int(self._lines[row])

    @cached_property
    def _lines(self) -> npt.NDArray[np.int64]:
        """Found only when something is wrong: a cell in quotes may reach over several lines, and lines may be blank."""
        assert self.text is not None
        reader = csv.reader(io.StringIO(self.text, newline=""), delimiter=self.delimiter)
        ends = np.fromiter((reader.line_num for row in reader if any(map(str.strip, row))), dtype=np.int64)[1:]
        return ends if len(ends) == len(self) else np.arange(2, len(self) + 2)


def read_table_file(path: Path) -> TableFile:
    """The table in a file; raises `UnreadableTableError`."""
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise UnreadableTableError(f"it cannot be read: {problem.strerror}") from None
    return table_of(content)


def table_of(content: bytes) -> TableFile:
    r"""The table that the bytes of a file are.

    >>> table = table_of(b"id;label\n1; yes \n2;")
    >>> table.columns, table.column("label").to_list(), table.line(1)
    (('id', 'label'), ['yes', None], 3)
    """
    if content.startswith(PARQUET):
        return TableFile(_parquet(content), None)
    if content.startswith(GZIP):
        content = _unzipped(content)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = content.count(b"\n", 0, problem.start) + 1
        raise UnreadableTableError("this is not UTF-8 text; save the file with that encoding", line) from None
    if "\n" not in text:
        text = text.replace("\r", "\n")  # as old spreadsheets end their lines
    delimiter, header = _header(text)
    return TableFile(_frame(text, delimiter, header), text, delimiter)


def _unzipped(content: bytes) -> bytes:
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error):
        raise UnreadableTableError("the gzip file is damaged or cut short") from None


def _header(text: str) -> tuple[str, list[str]]:
    first = text.lstrip("\r\n").split("\n", 1)[0].rstrip("\r")
    if not first.strip():
        raise UnreadableTableError("the file is empty; the first line must name the columns", 1)
    try:
        delimiter = max(DELIMITERS, key=lambda mark: len(next(csv.reader([first], delimiter=mark))))
        header = [name.strip() for name in next(csv.reader([first], delimiter=delimiter))]
    except csv.Error as problem:
        raise UnreadableTableError(f"this is not the header of a CSV table: {problem}", 1) from None
    _refuse_repeated(header)
    return delimiter, header


def _refuse_repeated(header: list[str]) -> None:
    twice = [name for name, count in Counter(header).items() if count > 1]
    if twice:
        name = f"two columns are called {twice[0]!r}" if twice[0] else "two columns have no name"
        raise UnreadableTableError(f"{name}; the first line must name each by its own", 1)


def _frame(text: str, delimiter: str, header: list[str]) -> "polars.DataFrame":
    import polars as pl

    try:
        frame = pl.read_csv(text.lstrip("\r\n").encode(), separator=delimiter, infer_schema=False, new_columns=header)
    except pl.exceptions.NoDataError:
        raise UnreadableTableError("there is a header but no row", 1) from None
    except pl.exceptions.PolarsError:
        raise UnreadableTableError(*_ragged(text, delimiter, len(header))) from None
    return _stripped(frame).filter(~pl.all_horizontal(pl.all().is_null()))


def _stripped(frame: "polars.DataFrame") -> "polars.DataFrame":
    import polars as pl

    cells = pl.col(pl.String).str.strip_chars()
    return frame.with_columns(pl.when(cells != "").then(cells).name.keep())


def _ragged(text: str, delimiter: str, columns: int) -> tuple[str, int | None]:
    """What is wrong with a text that does not parse: the first line with another number of cells."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        for row in reader:
            if row and len(row) != columns:
                cells = "1 cell" if len(row) == 1 else f"{len(row)} cells"
                return f"{cells}, but the header names {columns} column{'s'[: columns != 1]}", reader.line_num
    except csv.Error as problem:
        return f"this is not a CSV table: {problem}", reader.line_num
    return "this is not a CSV table; is a quotation mark left open?", None


def _parquet(content: bytes) -> "polars.DataFrame":
    import polars as pl

    try:
        frame = pl.read_parquet(io.BytesIO(content))
        whole = frame.with_columns(
            pl.selectors.float().fill_nan(None).map_batches(_shortest, return_dtype=pl.String),
            pl.selectors.datetime().map_batches(_moments, return_dtype=pl.String),
        )
        return _stripped(whole.cast(pl.String))
    except (pl.exceptions.PolarsError, OSError):
        raise UnreadableTableError("the Parquet file is damaged, or has columns that are no text or numbers") from None


def _shortest(numbers: "polars.Series") -> "polars.Series":
    """Numbers as Python writes them, so that none changes on its way through text; whole ones without the point."""
    import polars as pl

    return pl.Series(numbers.name, [_as_text(number) for number in numbers.to_list()], dtype=pl.String)


def _moments(times: "polars.Series") -> "polars.Series":
    """Moments as pandas writes them into a CSV file; those of a submission in Parquet are written so too."""
    return times.dt.strftime(moment_format(times))


def _as_text(number: float | None) -> str | None:
    if number is None:
        return None
    return f"{number:.0f}" if number.is_integer() and abs(number) < 1e15 else repr(number)
