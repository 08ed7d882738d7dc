"""JSON Lines → delimited text: an object in each line, whose keys are the columns."""

import csv
import json
import re
from collections.abc import Iterator
from io import StringIO
from typing import Any, NoReturn

from ladderboard.tabular.lines import LONGEST_LINE
from ladderboard.tabular.problems import Problems, join_names, quote

START = re.compile(rb"(\xef\xbb\xbf)?\s*\{\s*\"")
"""How JSON Lines begin."""
SHOWN_KEYS = 6


def json_lines_as_text(pieces: Iterator[bytes], problems: Problems) -> tuple[bytes, list[int]]:
    """The same table in comma-separated text, and the line of each row; or stop at the first line that is no row of it.

    A list in a cell becomes its entries with blanks between them, and null an empty cell.
    """
    text, lines, columns = StringIO(), list[int](), list[str]()
    writer = csv.writer(text, lineterminator="\n")
    for number, line in _number_lines(pieces, problems):
        row = _read_object(line, number, problems)
        if not columns:
            columns = [*row]
            writer.writerow(columns)
        if row.keys() != set(columns):
            _refuse_other_keys(row, columns, number, problems)
        writer.writerow([_write_cell(row[name], name, number, problems) for name in columns])
        lines.append(number)
    return text.getvalue().encode("utf-8", "surrogatepass"), lines


def _number_lines(pieces: Iterator[bytes], problems: Problems) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers."""
    rest, number = b"", 0
    for piece in pieces:
        *whole, rest = (rest + piece).split(b"\n")
        if len(rest) > LONGEST_LINE:
            problems.stop("long_line", "the line has more than 1 MiB; JSON Lines has an object in each", number + 1)
        for line in whole:
            number += 1
            if line.strip():
                yield number, line
    if rest.strip():
        yield number + 1, rest


def _read_object(line: bytes, number: int, problems: Problems) -> dict[str, Any]:
    def take(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            problems.stop("bad_json", "a key appears twice in an object", number)
        return dict(pairs)

    try:
        # Numbers stay as they are written: the reader of tables reads them.
        found = json.loads(
            line.decode("utf-8-sig"), object_pairs_hook=take, parse_float=str, parse_int=str, parse_constant=str
        )
    except UnicodeDecodeError:
        problems.stop("wrong_encoding", "the line is not UTF-8 text; write the file as UTF-8", number)
    except (json.JSONDecodeError, RecursionError):
        _refuse_line(number, problems)
    return found if isinstance(found, dict) else _refuse_line(number, problems)


def _refuse_line(number: int, problems: Problems) -> NoReturn:
    words = "the line is not a JSON object; JSON Lines has one in each line (pandas: to_json(…, orient='records', "
    problems.stop("bad_json", f"{words}lines=True))", number)


def _refuse_other_keys(row: dict[str, Any], columns: list[str], number: int, problems: Problems) -> NoReturn:
    expected = join_names([quote(name) for name in columns[:SHOWN_KEYS]], len(columns))
    found = join_names([quote(name) for name in [*row][:SHOWN_KEYS]], len(row))
    problems.stop("bad_json", f"the object has the keys {found}, but those before it have {expected}", number)


def _write_cell(value: Any, name: str, number: int, problems: Problems) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        entries = [_write_cell(one, name, number, problems) for one in value if not isinstance(one, list | dict)]
        if len(entries) < len(value) or any(len(entry.split()) != 1 for entry in entries):
            words = f"key {quote(name)}: the entries of a list must be numbers or texts without blanks"
            problems.stop("bad_json", words, number)
        return " ".join(entries)
    if isinstance(value, dict):
        problems.stop("bad_json", f"key {quote(name)} holds an object; a cell is a text, a number or a list", number)
    return str(value).lower() if isinstance(value, bool) else str(value)
