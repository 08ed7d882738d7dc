"""Delimited text → columns of text, of a table whose columns are not known beforehand."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ladderboard.core.records import IntArray
from ladderboard.tabular.blocks import Block, read_block
from ladderboard.tabular.delimiters import DelimiterError, find_delimiter
from ladderboard.tabular.lines import SAMPLE, Lines, UnreadableError
from ladderboard.tabular.problems import Problems
from ladderboard.tabular.rows import BAD_QUOTE, MISQUOTED, NOTHING, Header, read_header
from ladderboard.tabular.submission_rows import describe_ragged
from ladderboard.tabular.text_cells import plain, strip_cells

if TYPE_CHECKING:
    import polars

SAMPLE_LINES = 100
NO_NAME_FOR_FIRST = (
    "the row has one cell more than the header has names; add a name for the first column (in R: write.csv, or "
    "write.table with col.names = NA)"
)


@dataclass(frozen=True, eq=False)
class TextTable:
    """The header, and the cells below it in columns that are named by their place."""

    header: tuple[str, ...]
    frame: "polars.DataFrame"
    delimiter: str
    lines: IntArray
    """Of each row."""


def read_text(pieces: Iterator[bytes], problems: Problems) -> TextTable:
    """The table in text, or stop at the first thing that is wrong with it."""
    try:
        lines = Lines(pieces, problems)
        header = read_header(lines, lambda _: find_delimiter(_sample(lines.sample)))
        if header is None:
            problems.stop("empty_file", NOTHING)
        if header.names is MISQUOTED:
            problems.stop("bad_quote", BAD_QUOTE, header.line)
        return _read_rows(lines, header, problems)
    except DelimiterError as ambiguous:
        problems.stop("missing_header", str(ambiguous), 1)
    except UnreadableError as problem:
        problems.stop(problem.kind, problem.sentence, problem.line)


def _read_rows(lines: Lines, header: Header, problems: Problems) -> TextTable:
    import polars as pl

    width = len(header.names)
    frames = [pl.DataFrame({str(at): pl.Series([], dtype=pl.String) for at in range(width)})]
    numbers = [np.empty(0, dtype=np.intp)]
    for text in iter(lines.read_block, b""):
        block = read_block(text, lines, header.delimiter, width=width)
        _refuse_odd(block, width, is_first=sum(map(len, numbers)) == 0, problems=problems)
        frame = pl.DataFrame({str(at): strip_cells(cells) for at, cells in enumerate(block.columns)})
        found = block.lines
        if width == 1 and len(block.blank):  # a blank line is an empty cell
            order = np.argsort(np.append(found, block.blank))
            frame = pl.concat([frame, pl.DataFrame({"0": [""] * len(block.blank)})])[order]
            found = np.append(found, block.blank)[order]
        frames.append(frame)
        numbers.append(found)
        if block.end is not None:
            raise block.end
    return TextTable(tuple(map(plain, header.names)), pl.concat(frames), header.delimiter, np.concatenate(numbers))


def _refuse_odd(block: Block, width: int, *, is_first: bool, problems: Problems) -> None:
    if not block.odd:
        return
    row = block.odd[0]
    if not row.cells:
        problems.stop("bad_quote", BAD_QUOTE, row.line)
    is_first = is_first and not (block.lines < row.line).any()
    words = NO_NAME_FOR_FIRST if is_first and row.cells == width + 1 else describe_ragged(row.cells, width)
    problems.stop("ragged_row", words, row.line)


def _sample(start: bytes) -> str:
    lines = start.decode(errors="ignore").splitlines(keepends=True)
    whole = lines if len(start) < SAMPLE else lines[:-1] or lines
    return "".join(whole[:SAMPLE_LINES])
