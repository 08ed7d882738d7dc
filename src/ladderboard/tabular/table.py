"""A table in a file → columns of text, with the line of each row: what solutions, guards, matrices and boards read."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ladderboard.core.errors import InputError, SubmissionError
from ladderboard.core.records import FloatArray, IntArray
from ladderboard.metrics.inputs import Array
from ladderboard.tabular.columns import (
    DECIMAL_COMMA,
    THOUSANDS,
    find_thousands,
    is_gap_among_numbers,
    is_no_number,
    make_comparable,
    numbers_in,
    read_moment,
    replace_decimal_commas,
    truths_in,
    whole_numbers,
)
from ladderboard.tabular.containers import open_content
from ladderboard.tabular.header import add_repeated, describe_unwanted_column
from ladderboard.tabular.json_lines import json_lines_as_text
from ladderboard.tabular.parquet import parquet_as_frame
from ladderboard.tabular.problems import Problems
from ladderboard.tabular.text_table import read_text

if TYPE_CHECKING:
    import polars


_ROW = re.compile(r"row (?P<row>\d+): ")


class UnreadableTableError(InputError):
    """A file that is not a table. ``sentence`` says why; ``line`` is where, if known."""

    code = "bad_table"

    def __init__(self, sentence: str, *, file: str = "", line: int | None = None) -> None:
        place = ", ".join([file] * bool(file) + [f"line {line}"] * (line is not None))
        super().__init__(f"{place}: {sentence}" if place else sentence)
        self.sentence, self.line = sentence, line


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of text without blanks around them; an empty cell is null. Decimal commas have become points."""

    name: str
    """What to call the file in messages."""
    frame: "polars.DataFrame"
    is_parquet: bool = False
    lines: IntArray | None = None
    """The line of each row; None for Parquet, and where there is one row in each line after the header."""

    def __len__(self) -> int:
        return int(self.frame.height)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.frame.columns)

    def column(self, name: str) -> "polars.Series":
        """The text of a column."""
        if name not in self.columns:
            raise InputError(f"{self.name} has no column {name!r}; it has {', '.join(self.columns)}")
        return self.frame[name]

    def line(self, row: int) -> int:
        """The line (Parquet: the row, from 1) of a row that counts from 0."""
        if self.lines is not None:
            return int(self.lines[row])
        return row + 1 if self.is_parquet else row + 2

    def place(self, row: int) -> str:
        """Where a row is, for messages."""
        return f"{'row' if self.is_parquet else 'line'} {self.line(row)}"

    def error(self, sentence: str, row: int, column: str) -> InputError:
        """What is wrong with a cell, with its place."""
        return InputError(f"{self.name}, {self.place(row)}, column {column!r}: {sentence}")

    def numbers(self, name: str, *, hint: str = "") -> FloatArray:
        """A column as float64: NaN where a cell is missing; true and false, where there is nothing else, as 1 and 0.

        ``hint``: what to do about a cell that is no number.
        """
        cells = self.column(name)
        bad = is_no_number(cells)
        if not bad.any():
            return numbers_in(cells)
        truths = truths_in(cells)
        if truths is None:
            raise self._make_number_error(cells, bad, hint)
        return np.where(cells.is_null().to_numpy(), np.nan, truths)

    def values(self, name: str) -> Array:
        """A column as what it holds: truth values, whole numbers, numbers (missing: NaN), or text (missing: None)."""
        cells = self.column(name)
        if not cells.null_count():
            for typed in (truths_in(cells), whole_numbers(cells)):
                if typed is not None:
                    return typed
        if not is_no_number(cells).any():
            return numbers_in(cells)
        gaps = is_gap_among_numbers(cells)
        if gaps.any():
            row = int(np.argmax(gaps))
            raise self.error(f"{cells[row]!r} among numbers; leave the cell empty if it is missing", row, name)
        values = np.empty(len(cells), dtype=object)
        values[:] = cells.to_list()
        return values

    def read_filled(self, name: str) -> Array:
        """The values of a column that has rows and no empty cell."""
        self._refuse_empty(name)
        return self.values(name)

    def names(self, name: str) -> list[str]:
        """The text of a column that has rows and no empty cell, such as ids."""
        self._refuse_empty(name)
        return [str(cell) for cell in self.column(name).to_list()]

    def moments(self, name: str, rows: IntArray) -> Array:
        """Numbers, or dates in the form of ISO 8601, in these rows of a column."""
        cells = self.column(name)[rows]
        if not is_no_number(cells).any() and not cells.null_count():
            return numbers_in(cells)
        found = [read_moment(cell or "") for cell in cells.to_list()]
        if None in found:
            row = found.index(None)
            word = "nothing" if cells[row] is None else repr(cells[row])
            raise self.error(f"{word} is neither a number nor a date like 2024-01-31", int(rows[row]), name)
        moments = np.empty(len(cells), dtype=object)
        try:
            moments[:] = make_comparable([each for each in found if each is not None])
        except TypeError:
            raise InputError(f"{self.name}, column {name!r}: some times have a time zone and some have none") from None
        return moments

    def refuse_row_index(self) -> None:
        """Raise where a column is a row index that nobody named, which would be taken for a column of values."""
        for name in self.columns:
            if not name or name.startswith("Unnamed:") or name == "__index_level_0__":
                words = describe_unwanted_column(name, is_last=name == self.columns[-1])
                raise UnreadableTableError(words, file=self.name, line=None if self.is_parquet else 1)

    def _make_number_error(self, cells: "polars.Series", bad: Array, hint: str) -> InputError:
        """Where words and decimal commas are mixed, the words are the mistake."""
        commas = cells.str.contains(DECIMAL_COMMA).fill_null(value=False).to_numpy()
        row = int(np.argmax(bad & ~commas if (bad & ~commas).any() else bad))
        if commas[row] and re.fullmatch(THOUSANDS, cells[row]):
            hint = "write it without a sign between thousands, and with a decimal point if it has decimals"
        elif commas[row]:
            hint = "write it with a decimal point"
        elif not hint and is_gap_among_numbers(cells).any():
            hint = "leave the cell empty if it is missing"
        return self.error("; ".join([f"{cells[row]!r} is not a number", *filter(None, [hint])]), row, cells.name)

    def _refuse_empty(self, name: str) -> None:
        absent = self.column(name).is_null().to_numpy()
        if not len(self):
            raise InputError(f"{self.name} has no rows")
        if absent.any():
            raise self.error("the cell is empty", int(np.argmax(absent)), name)


def read_table(file: bytes | str | Path, *, name: str = "") -> Table:
    r"""The table in a file: delimited text, JSON Lines or Parquet, as it is or packed with gzip or zip.

    The type is found from the content. Delimiters are comma, semicolon, tab and pipe; in a semicolon file, numbers may
    have decimal commas. ``name``: what to call the file in messages.

    Raises `UnreadableTableError` for what is no table or could be misread.

    >>> table = read_table(b"id;label\n1; yes \n2;")
    >>> table.columns, table.column("label").to_list(), table.line(1)
    (('id', 'label'), ['yes', None], 3)
    """
    _require_polars()
    path = Path(file) if isinstance(file, str) else file
    name = name or (path.name if isinstance(path, Path) else "")
    try:
        return _read(path, name)
    except FileNotFoundError:
        raise InputError(f"there is no file {file!s}") from None
    except OSError as problem:
        raise UnreadableTableError(f"it cannot be read: {problem.strerror}", file=name) from None
    except SubmissionError as refusal:  # of the parts that submissions are read with too
        first = refusal.problems[0]
        raise UnreadableTableError(first.sentence, file=name, line=first.line) from None


def locate_error(error: InputError, file: str, place: Callable[[int], str]) -> InputError:
    """An error about an array with the file's name and, where it has a row (``row 3: …``, from 0), its place there."""
    found = _ROW.match(str(error))
    if found is None:
        return type(error)(f"{file}: {error}")
    return type(error)(f"{file}, {place(int(found['row']))}: {str(error)[found.end() :]}")


def _read(file: bytes | Path, name: str) -> Table:
    problems = Problems(name)
    content = open_content(file, problems)
    if content.is_parquet:
        return Table(name, _strip_cells(parquet_as_frame(content.read(), problems)), is_parquet=True)
    if content.is_json:
        rows, numbers = json_lines_as_text(content.pieces(), problems)
        text = read_text(iter([rows]), problems)
        text = replace(text, lines=np.array(numbers, dtype=np.intp))
    else:
        text = read_text(content.pieces(), problems)
    header, frame = _drop_blank_columns(text.header, _drop_blank_end(_strip_cells(text.frame)))
    _refuse_repeated(header, problems)
    frame.columns = list(header)
    if text.delimiter == ";":
        _refuse_thousands(frame, name, text.lines)
        frame = replace_decimal_commas(frame)
    return Table(name, frame, lines=text.lines[: frame.height])


def _strip_cells(frame: "polars.DataFrame") -> "polars.DataFrame":
    """Without blanks around cells, and null where nothing is left."""
    import polars as pl

    cells = pl.all().str.strip_chars()
    return frame.with_columns(pl.when(cells != "").then(cells).name.keep())


def _drop_blank_end(frame: "polars.DataFrame") -> "polars.DataFrame":
    """Without the rows of nothing with which spreadsheets end."""
    import polars as pl

    filled = frame.select(~pl.all_horizontal(pl.all().is_null())).to_series().arg_true()
    return frame.head(int(filled[-1]) + 1 if len(filled) else 0)


def _drop_blank_columns(
    header: tuple[str, ...], frame: "polars.DataFrame"
) -> tuple[tuple[str, ...], "polars.DataFrame"]:
    """Without the columns of nothing, not even a name, with which spreadsheets end."""
    width = len(header)
    while width > 1 and frame.height and not header[width - 1] and frame[:, width - 1].null_count() == frame.height:
        width -= 1
    return header[:width], frame[:, :width]


def _refuse_thousands(frame: "polars.DataFrame", name: str, lines: IntArray | None) -> None:
    found = find_thousands(frame)
    if found is not None:
        column, row = found
        raise Table(name, frame, lines=lines).error(
            f"{frame[column][row]!r} may be a number with three decimals or one in the thousands; write numbers "
            "without a sign between thousands, or divide the columns at commas and write decimal points",
            row,
            column,
        )


def _refuse_repeated(header: Sequence[str], problems: Problems) -> None:
    if len(Counter(header)) == len(header):
        return
    if header.count("") > 1:
        words = f"{header.count('')} columns have no name; delete a title above the names, or name every column"
        problems.stop("missing_header", words, 1)
    if all(name.replace(".", "", 1).isdigit() for name in header):
        words = (
            f"the first line holds numbers ({', '.join(header[:3])}); put a line with the names of the columns above it"
        )
        problems.stop("missing_header", words, 1)
    add_repeated(header, problems, 1)
    problems.refuse()


def _require_polars() -> None:
    try:
        import polars  # noqa: F401 (asked for before anything is read, so that the reason is told)
    except ImportError:
        raise InputError(
            "reading tables needs polars: pip install '.[files]' in Ladderboard's checkout, or give a NumPy file"
        ) from None
