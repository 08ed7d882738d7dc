"""Edits of competition.toml: values of keys, with every other line and its explanation left as it is."""

import json
import re
import tomllib
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from ladderboard.core.errors import ParameterError

Key = tuple[str, str]
"""A table's name, empty above all tables, and a key in it."""
TomlValue = str | int | float | bool | datetime | list[str]

_HEADER = re.compile(r"\s*\[\s*([A-Za-z_]+)\s*\]\s*(?:#.*)?")
_VALUE = r"""(?:"(?:[^"\\]|\\.)*"|'[^']*'|\[[^\]#]*\]|[^"'\[#]*?)"""


def set_values(text: str, values: Mapping[Key, TomlValue | None]) -> str:
    r"""Set keys to values, where the template has them; None puts a key back to its default.

    Raises `ParameterError` where a key is written in a way that is not understood here, such as over several lines.

    >>> set_values("title = 'a'\n# finals = 2   # picks\n[limits]\n", {("", "finals"): 3, ("limits", "total"): 9})
    "title = 'a'\nfinals = 3   # picks\n[limits]\ntotal = 9\n"
    """
    lines = text.removesuffix("\n").split("\n")  # and nowhere else: a text may hold other line ends
    for key, value in values.items():
        _set(lines, key, value)
    edited = "\n".join(lines) + "\n"
    _refuse_misread(text, edited, values)
    return edited


def quote(text: str) -> str:
    """A text as a basic string: TOML's are JSON's, but for the one control character that JSON leaves as it is."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _set(lines: list[str], key: Key, value: TomlValue | None) -> None:
    begins, ends = _find_table(lines, key[0])
    active = re.compile(rf"{re.escape(key[1])}\s*=\s*{_VALUE}(\s*#.*)?")
    dormant = re.compile(rf"# {re.escape(key[1])} = {_VALUE}(\s*#.*)?")
    for pattern in (active, dormant):
        for number in range(begins, ends):
            found = pattern.fullmatch(lines[number])
            if found is not None:
                if value is not None:
                    lines[number] = f"{key[1]} = {_write(value)}{found[1] or ''}"
                elif pattern is active:
                    lines[number] = f"# {lines[number]}"
                return
    if value is not None:
        lines.insert(ends, f"{key[1]} = {_write(value)}")


def _find_table(lines: list[str], name: str) -> tuple[int, int]:
    """The lines of a table, without blank ones at its end; makes one that is missing."""
    headers = [(number, found[1]) for number, line in enumerate(lines) if (found := _HEADER.fullmatch(line))]
    if name and name not in [header for _, header in headers]:
        lines += ["", f"[{name}]"]
        return len(lines), len(lines)
    begins = next((number + 1 for number, header in headers if header == name), 0)
    ends = next((number for number, _ in headers if number >= begins), len(lines))
    while ends > begins and not lines[ends - 1].strip():
        ends -= 1
    return begins, ends


def _write(value: TomlValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    if isinstance(value, list):
        return f"[{', '.join(map(quote, value))}]"
    return quote(value) if isinstance(value, str) else repr(value)


def _refuse_misread(before: str, after: str, values: Mapping[Key, TomlValue | None]) -> None:
    """Raise unless the text says what was asked for, and all the rest as before."""
    expected: dict[str, Any] = tomllib.loads(before)
    for (table, key), value in values.items():
        inside = expected.setdefault(table, {}) if table else expected
        if value is None:
            inside.pop(key, None)
        else:
            inside[key] = value
    try:
        found = tomllib.loads(after)
    except tomllib.TOMLDecodeError:
        found = {}
    if _drop_empty(found) != _drop_empty(expected):
        names = ", ".join(key for _, key in values)
        raise ParameterError(f"competition.toml cannot be edited here: it writes one of {names} in an unusual way")


def _drop_empty(values: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value != {}}
