"""Files whose rows are items: lines, lines after a header, the elements of a JSON list, the entries of a JSON object.

A scoring program that knows no values of items can be run on some of the rows alone, where reference and answers have
one for each item.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Literal

from ladderboard.core.errors import InputError

Layout = Literal["lines", "table", "list", "object"]
TABLES = (".csv", ".tsv")
FEWEST = 8


@dataclass(frozen=True)
class RowFile:
    """A file cut into rows. ``names``: of the items, empty where only the order says which is which."""

    name: str
    layout: Layout
    head: str
    rows: tuple[str, ...]
    names: tuple[str, ...] = ()
    ends_with_line: bool = True

    @classmethod
    def read(cls, content: bytes, name: str) -> "RowFile":
        """Cut a file into rows, by its ending; raises `InputError`."""
        suffix = PurePosixPath(name).suffix.lower()
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise InputError(f"{name} is not UTF-8 text") from None
        if suffix == ".json":
            return _read_json(text, name)
        lines = text.split("\n")
        ends = lines[-1] == ""
        rows = [line.removesuffix("\r") for line in (lines[:-1] if ends else lines)]
        is_table = suffix in TABLES
        head, rows = (rows[0], rows[1:]) if is_table and rows else ("", rows)
        return cls(name, "table" if is_table else "lines", head, tuple(rows), ends_with_line=ends)

    def write(self, rows: Sequence[str], names: Sequence[str] = ()) -> str:
        """A file of the same kind with these rows."""
        if self.layout == "list":
            return f"[{', '.join(rows)}]"
        if self.layout == "object":
            return "{" + ", ".join(f"{json.dumps(n)}: {row}" for n, row in zip(names, rows, strict=True)) + "}"
        lines = [*([self.head] if self.layout == "table" else []), *rows]
        return "\n".join(lines) + ("\n" if self.ends_with_line and lines else "")


def _read_json(text: str, name: str) -> RowFile:
    try:
        found: Any = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError(f"{name} is not JSON") from None
    if isinstance(found, list):
        return RowFile(name, "list", "", tuple(json.dumps(one) for one in found))
    if isinstance(found, dict):
        return RowFile(name, "object", "", tuple(json.dumps(one) for one in found.values()), tuple(found))
    raise InputError(f"{name} is neither a list nor an object of JSON, so it has no rows")
