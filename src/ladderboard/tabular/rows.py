"""Delimited text → its rows, each with the line it starts on."""

import csv
from collections.abc import Iterator
from io import BytesIO, TextIOWrapper
from itertools import chain, count, islice

from ladderboard.tabular.format import MEBIBYTE
from ladderboard.tabular.problems import Kind

LONGEST_LINE = MEBIBYTE
MOST_BLANK_LINES = 100_000
"""Before the header."""

TextRow = tuple[int, list[str]]
"""The line on which a row starts, and its cells."""
MISQUOTED: list[str] = []
"""The cells of a row that cannot be told apart."""
BLANK: list[str] = []
"""The cells of a blank line."""


class UnreadableError(Exception):
    """Nothing can be read from here on; never leaves this package."""

    def __init__(self, kind: Kind, sentence: str, line: int) -> None:
        super().__init__(kind, sentence, line)
        self.kind, self.sentence, self.line = kind, sentence, line


def first_line(data: bytes) -> str:
    """The first line that is not blank."""
    return next((line for line in islice(_lines(data), MOST_BLANK_LINES) if line.strip()), "")


def table_rows(data: bytes, delimiter: str, *, ids: int | None = None, by_line: bool = True) -> Iterator[TextRow]:
    """The rows, the header first; a blank line after it has no cells.

    By line: each with the line it starts on, else with its number. With ``ids``, the number of ids, far more rows than
    that are refused.
    """
    most = None if ids is None else 2 * ids + 10_000
    lines = _lines(data)
    blank, first = next(
        ((before, line) for before, line in enumerate(islice(lines, MOST_BLANK_LINES)) if line.strip()), (0, "")
    )
    reader = csv.reader(chain([first], lines), delimiter=delimiter, strict=True)
    row = 0
    for number in count():
        start = blank + reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as problem:
            _refuse_endless(str(problem), start, blank + reader.line_num)
            cells = MISQUOTED
        if most is not None and number > most:
            words = f"there are more than {most:,} rows for {ids:,} ids; the rest was not read"
            raise UnreadableError("too_many_rows", words, start)
        is_blank = cells is not MISQUOTED and len(cells) < 2 and not (cells and cells[0].strip())
        if is_blank and number:
            yield start, BLANK
        elif not is_blank:
            yield (start if by_line else row), cells
            row += 1


def _lines(data: bytes) -> Iterator[str]:
    """The lines with their ends, as the csv module wants them."""
    text = TextIOWrapper(BytesIO(data), encoding="utf-8-sig", newline="")
    for number in count(1):
        line = text.readline(LONGEST_LINE + 1)
        if len(line) > LONGEST_LINE:
            words = f"the line has more than {LONGEST_LINE:,} characters; this is not a table"
            raise UnreadableError("long_line", words, number)
        if not line:
            return
        yield line


def _refuse_endless(message: str, start: int, end: int) -> None:
    """Stop at a cell that has no end; a row with a misplaced quotation mark only is let pass."""
    if "unexpected end" in message or ("field larger" in message and end > start):
        words = "a quotation mark is opened here and never closed, so that nothing after it can be read"
        raise UnreadableError("unclosed_quote", words, start)
    if "field larger" in message:
        words = "a cell has more than 131,072 characters; this is not a table"
        raise UnreadableError("long_line", words, start)
