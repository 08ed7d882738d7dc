"""The header of a table, read by the rules of the csv module, and what these rules say of a row."""

import csv
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain

from ladderboard.tabular.lines import Lines, UnreadableError

MOST_BLANK_LINES = 100_000
"""Before the header."""
NOTHING = "the file holds nothing but blank lines; was it written to the end?"
BAD_QUOTE = "text follows a closing quotation mark; write a quotation mark in a cell twice"
MISQUOTED: list[str] = []
"""The cells of a row that cannot be told apart."""
_DELIMITER_HINT = re.compile(r'"?sep=([^\w"\r\n])"?\s*', re.IGNORECASE)
"""The line with which Excel is told the delimiter."""


@dataclass(frozen=True)
class Header:
    """The first row that is not blank, and what divides its cells."""

    names: list[str]
    delimiter: str
    line: int


def read_header(lines: Lines, find_delimiter: Callable[[str], str]) -> Header | None:
    """The header; None where there are blank lines only. A line such as ``sep=;`` before it names the delimiter."""
    first = _read_first(lines)
    hint = _DELIMITER_HINT.fullmatch(first)
    if hint is not None:
        first = _read_first(lines)
    if not first:
        return None
    delimiter = find_delimiter(first) if hint is None else hint[1]
    line = lines.number - 1
    try:
        names = next(csv.reader(chain([first], iter(lines.read_line, "")), delimiter=delimiter, strict=True))
    except csv.Error as problem:
        names, end = MISQUOTED, explain_endless(str(problem), line, lines.number - 1)
        if end is not None:
            raise end from None
    return Header(names, delimiter, line)


def _read_first(lines: Lines) -> str:
    for _ in range(MOST_BLANK_LINES):
        line = lines.read_line()
        if not line or line.strip():
            return line
    return ""


def explain_endless(message: str, start: int, end: int) -> UnreadableError | None:
    """Why nothing can be read after a cell that has no end; None for a misplaced quotation mark, which ends one row."""
    if "unexpected end" in message or ("field larger" in message and end > start):
        words = "a quotation mark is opened here and never closed, so that nothing after it can be read"
        return UnreadableError("unclosed_quote", words, start)
    if "field larger" in message:
        words = "a cell has more than 131,072 characters; this is not a table"
        return UnreadableError("long_line", words, start)
    return None
