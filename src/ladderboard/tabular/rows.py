"""Delimited text → its rows, each with the line it starts on."""

import csv
from collections.abc import Iterator
from io import BytesIO, TextIOWrapper
from itertools import chain, count, islice

from ladderboard.core.words import translatable
from ladderboard.tabular.format import MEBIBYTE, SubmissionFormat
from ladderboard.tabular.header import delimiter_of

LONGEST_LINE = MEBIBYTE

Row = tuple[int, list[str]]
"""The line on which a row starts, and its cells."""
MISQUOTED: list[str] = []
"""The cells of a row that cannot be told apart."""


class UnreadableError(Exception):
    """Nothing can be read from here on; never leaves this package."""

    def __init__(self, kind: str, sentence: str, line: int) -> None:
        super().__init__(kind, sentence, line)
        self.kind, self.sentence, self.line = kind, sentence, line


def table_rows(data: bytes, format: SubmissionFormat, *, by_line: bool = True) -> Iterator[Row]:
    """The rows that are not blank, the header first. By line: each with the line it starts on, else with its number."""
    lines, most = _lines(data), 2 * len(format.ids) + 10_000
    blank, first = next(((before, line) for before, line in enumerate(islice(lines, most)) if line.strip()), (0, ""))
    reader = csv.reader(chain([first], lines), delimiter=delimiter_of(first, format), strict=True)
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
        if number > most:
            words = translatable(
                "there are more than {most:,} rows for {ids:,} ids; the rest was not read",
                most=most,
                ids=len(format.ids),
            )
            raise UnreadableError("too_many_rows", words, start)
        if cells is MISQUOTED or len(cells) > 1 or (cells and cells[0].strip()):
            yield (start if by_line else row), cells
            row += 1


def _lines(data: bytes) -> Iterator[str]:
    """The lines with their ends, as the csv module wants them."""
    text = TextIOWrapper(BytesIO(data), encoding="utf-8-sig", newline="")
    for number in count(1):
        line = text.readline(LONGEST_LINE + 1)
        if len(line) > LONGEST_LINE:
            words = translatable("the line has more than {most:,} characters; this is no table", most=LONGEST_LINE)
            raise UnreadableError("long_line", words, number)
        if not line:
            return
        yield line


def _refuse_endless(message: str, start: int, end: int) -> None:
    """Stop at a cell that has no end; a row with a misplaced quotation mark only is let pass."""
    if "unexpected end" in message or ("field larger" in message and end > start):
        words = translatable("a quotation mark is opened here and never closed, so that nothing after it can be read")
        raise UnreadableError("unclosed_quote", words, start)
    if "field larger" in message:
        words = translatable("a cell has more than 131,072 characters; this is no table")
        raise UnreadableError("long_line", words, start)
