r"""CSV that a spreadsheet opens as text and numbers, never as formulas.

A team may call itself ``=HYPERLINK(…)``, and a spreadsheet would run that. A cell that begins like a formula therefore
gets an apostrophe before it, which spreadsheets read as "this is text". Numbers stay numbers.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

FORMULA_STARTS = frozenset("=+-@\t\r\n|%＝＋－＠")
"""Characters that some spreadsheet, locale or version takes for the beginning of a formula or a command."""


def make_safe_cell(value: Any) -> Any:
    """Make a value safe for a cell.

    >>> [make_safe_cell(one) for one in ("=1+1", "-5", -5, 0.1, "Whales", None, True)]
    ["'=1+1", "'-5", -5, 0.1, 'Whales', '', 'true']
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return value
    if isinstance(value, datetime):
        return value.isoformat()
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    # Blanks before a formula do not stop every spreadsheet.
    begins = text.lstrip(" \u00a0\ufeff")[:1]
    return f"'{text}" if begins in FORMULA_STARTS and begins else text


def write_csv_lines(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    r"""Write the lines of a CSV file, one at a time.

    >>> list(write_csv_lines(["team", "value"], [("=a", 0.5)]))
    ['team,value\r\n', "'=a,0.5\r\n"]
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    for row in _chain(columns, rows):
        writer.writerow([make_safe_cell(cell) for cell in row])
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()


def _chain(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[Sequence[Any]]:
    yield columns
    yield from rows
