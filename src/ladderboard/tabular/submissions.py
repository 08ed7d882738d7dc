"""A submission's file → Predictions, or every problem of the file."""

from functools import partial
from pathlib import Path
from typing import BinaryIO

from ladderboard.tabular.blocks import read_block
from ladderboard.tabular.cell_columns import CellColumns
from ladderboard.tabular.containers import Content, open_content
from ladderboard.tabular.delimiters import has_decimal_commas
from ladderboard.tabular.format import Predictions, SubmissionFormat
from ladderboard.tabular.header import Layout, find_delimiter_in, find_layout
from ladderboard.tabular.json_lines import json_lines_as_text
from ladderboard.tabular.lines import MOST, Lines, UnreadableError
from ladderboard.tabular.parquet import parquet_as_text
from ladderboard.tabular.problems import Problems
from ladderboard.tabular.rows import BAD_QUOTE, MISQUOTED, NOTHING, Header, read_header
from ladderboard.tabular.submission_rows import SubmissionRows
from ladderboard.tabular.text_files import text_files_as_text
from ladderboard.tabular.typed_block import read_typed


def read_predictions(
    file: bytes | Path | BinaryIO,
    format: SubmissionFormat,
    *,
    name: str = "",
) -> Predictions:
    r"""Read and check a submission.

    CSV (any delimiter, UTF-8) or JSON Lines, gzip or zip of one, or Parquet; the type is found from the content.
    Columns are found by name and rows by id, each in any order. ``name``: what to call the file in messages.

    Raises `SubmissionError` with all problems of the whole file; what it says depends on nothing but file and format.

    >>> import numpy as np
    >>> format = SubmissionFormat("id", np.array([4, 7]), ("prediction",), "numbers")
    >>> read_predictions(b"prediction;id\n0.5;7\n1e-3;4.0\n", format).values.tolist()
    [0.001, 0.5]
    >>> read_predictions(b"id,prediction\n4,1\n4,2\n", format, name="mine.csv")
    Traceback (most recent call last):
        ...
    ladderboard.core.errors.SubmissionError: mine.csv has 2 problems:
      1 id has no row: 7
      line 3: id 4 appears twice (first on line 2)
    """
    problems = Problems(name)
    content = open_content(
        file,
        problems,
        most=format.max_bytes,
        most_unpacked=format.max_unpacked_bytes,
        read_files=partial(text_files_as_text, format=format, problems=problems) if format.takes == "text" else None,
    )
    if content.is_parquet:
        problems.place = "row"
        content = Content.of_text(parquet_as_text(content.read(), format, problems))
    elif content.is_json:
        text, _ = json_lines_as_text(content.pieces(), problems)
        problems.place = "row"  # a text may have several lines, and there was no header
        content = Content.of_text(text)
    return _read_text(content, format, problems)


def _read_text(content: Content, format: SubmissionFormat, problems: Problems) -> Predictions:
    """The predictions in delimited text, or every problem of it (`SubmissionError`)."""
    try:
        lines = Lines(content.pieces(), problems)
        header = read_header(lines, lambda line: find_delimiter_in(line, format))
        if header is None:
            problems.stop("empty_file", NOTHING)
        layout = _find_layout(header, format, problems)
        cells = CellColumns(format, lambda: has_decimal_commas(content.pieces(), header.delimiter))
        rows = SubmissionRows(format, layout, problems, cells)
        _read_rows(lines, header.delimiter, rows)
    except UnreadableError as problem:
        problems.stop(problem.kind, problem.sentence, problem.line)
    return rows.predictions()


def _read_rows(lines: Lines, delimiter: str, rows: SubmissionRows) -> None:
    """Take all rows, in large blocks as long as nothing is unusual."""
    times = 1
    while text := lines.peek(times):
        typed = read_typed(text, delimiter, rows.layout, rows.format, rows.cells.has_decimal_commas)
        if typed is not None and rows.take_typed(typed, lines.number):
            lines.skip(text, typed.lines)
            times = MOST
        elif times > 1:
            times = 1
        else:
            _take_cells(lines, delimiter, rows)


def _take_cells(lines: Lines, delimiter: str, rows: SubmissionRows) -> None:
    block = read_block(lines.read_block(), lines, delimiter, width=len(rows.layout.names), id_at=rows.layout.id)
    rows.take(block)
    if block.end is not None:
        raise block.end


def _find_layout(header: Header, format: SubmissionFormat, problems: Problems) -> Layout:
    if header.names is MISQUOTED:
        problems.stop("bad_quote", BAD_QUOTE, header.line)
    # The header of a Parquet file stands in no row.
    layout = find_layout(header.names, format, problems, header.line if problems.place == "line" else None)
    if layout is None:
        raise problems.error()
    return layout
