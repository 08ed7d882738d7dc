"""The delimiter of a table, found from its first lines. A table that can be divided in two ways is refused."""

import csv
import re
from collections.abc import Iterable, Iterator

USUAL_DELIMITERS = (",", "\t", ";", "|", ":", " ")
TABLE_DELIMITERS = (",", ";", "\t", "|")
"""Those of a table whose column names are not known beforehand: blanks and colons are parts of many names."""
NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "pipes", ":": "colons", " ": "blanks"}
LONGEST_NUMBER = 1000
"""More of a line is not kept while its end is sought."""
_NUMBER_WITH_POINT = re.compile(rb'[;\n\r"][ ]*[+-]?[0-9]*\.[0-9]+(?:[eE][+-]?[0-9]+)?[ ]*(?:[;\r\n"]|$)')
_QUOTED = re.compile(r'"[^"]*"')


class DelimiterError(Exception):
    """A table that could be misread; never leaves this package."""


def find_delimiter(sample: str) -> str:
    r"""The delimiter of a table that starts with this text; raises `DelimiterError` where that cannot be told.

    >>> find_delimiter("id;label\n1;0,5\n"), find_delimiter("a,b|c\n1,2\n"), find_delimiter("label\n1\n")
    (';', ',', ',')
    """
    lines = [line for line in _QUOTED.sub('""', sample).splitlines() if line.strip()]
    header, rows = (lines[0], lines[1:]) if lines else ("", [])
    dividing = [sign for sign in TABLE_DELIMITERS if sign in header]
    if not dividing:
        _refuse_hidden_columns(sample, header, rows)
        return ","
    fitting = {sign: sum(row.count(sign) == header.count(sign) for row in rows) for sign in dividing}
    best = [sign for sign in dividing if fitting[sign] == max(fitting.values())]
    if len(best) > 1:
        first, second = (NAMES[sign] for sign in best[:2])
        raise DelimiterError(
            f"the first line can be divided at its {first} and at its {second}; "
            "put names in which the other one occurs in quotation marks, or rename them"
        )
    return best[0]


def find_delimiter_between(line: str, names: Iterable[str]) -> str:
    """The delimiter that finds most of these column names; where none finds any, the most frequent usual one."""
    wanted = {name.lower() for name in names}
    unusual = sorted({sign for sign in line if _may_delimit(sign)} - set(USUAL_DELIMITERS))
    candidates = [sign for sign in (*USUAL_DELIMITERS, *unusual) if sign in line]
    best = max(candidates, key=lambda sign: len(wanted & _fields(line, sign)), default=",")
    if wanted & _fields(line, best):
        return best
    return max(USUAL_DELIMITERS[:4], key=line.count)


def has_decimal_commas(pieces: Iterable[bytes], delimiter: str) -> bool:
    """Whether a comma in a number is a decimal comma: in a semicolon file in which no number has a point."""
    return delimiter == ";" and not any(
        _NUMBER_WITH_POINT.search(text) for text in _whole_lines(pieces) if b"." in text
    )


def _whole_lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes cut at line ends, each part with the line end before it."""
    rest = b"\n"
    for piece in pieces:
        text = rest + piece
        end = text.rfind(b"\n")
        yield text[: end + 1]
        rest = text[end:][-LONGEST_NUMBER:]
    yield rest


def _refuse_hidden_columns(sample: str, header: str, rows: list[str]) -> None:
    """One column, unless somebody meant several: divided at blanks or colons, or all within quotation marks."""
    first = next((line for line in sample.splitlines() if line.strip()), "")
    if any(sign in first for sign in TABLE_DELIMITERS):
        raise DelimiterError(f"the first line names one column, {first.strip()}; are its quotation marks too many?")
    for sign in (" ", ":"):
        times = header.strip().count(sign)
        # R's write.table gives every row a name, and the names none.
        counts = {row.strip().count(sign) for row in rows}
        if times and counts in ({times}, {times + 1}):
            raise DelimiterError(
                f"the columns seem to be divided at {NAMES[sign]}; divide them at commas, semicolons, tabs or pipes, "
                "or put the name in quotation marks if there is only one column"
            )


def _may_delimit(sign: str) -> bool:
    return sign.isascii() and sign.isprintable() and not sign.isalnum() and sign not in "\"'_.-()"


def _fields(line: str, delimiter: str) -> set[str]:
    try:
        return {field.strip().lower() for field in next(csv.reader([line], delimiter=delimiter), [])}
    except csv.Error:
        return set()
