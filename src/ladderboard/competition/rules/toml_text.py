"""TOML text with line numbers: `tomllib`'s values, and the line of each key."""

import re
import tomllib
from dataclasses import dataclass, field
from typing import Any

Key = tuple[str, ...]

_HEADER = re.compile(r"""^\s*\[\s*([^\[\]]+?)\s*\]\s*(?:#.*)?$""")
_WORD = r"""(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')"""
_ASSIGNMENT = re.compile(rf"^\s*({_WORD}(?:\s*\.\s*{_WORD})*)\s*=")
_PLACE = re.compile(r"\s*\(at line (\d+), column \d+\)")


class TomlSyntaxError(ValueError):
    """The text is not TOML; ``line`` is the place, None: at the end."""

    def __init__(self, message: str, line: int | None) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True)
class TomlText:
    """The values of a TOML file and the line of every key and table."""

    values: dict[str, Any]
    lines: dict[Key, int] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str) -> "TomlText":
        r"""Parse a text; raises `TomlSyntaxError`.

        >>> toml = TomlText.parse('title = "x"\n[limits]\nper_day = 3')
        >>> toml.line("limits", "per_day"), toml.line("limits", "unknown"), toml.line("other")
        (3, 2, None)
        """
        try:
            values = tomllib.loads(text + "\n")  # so that an error in the last line has a line, not "the end"
        except tomllib.TOMLDecodeError as problem:
            place = _PLACE.search(str(problem))
            raise TomlSyntaxError(_PLACE.sub("", str(problem)), int(place[1]) if place else None) from None
        except RecursionError:
            raise TomlSyntaxError("brackets are nested too deeply", None) from None
        return cls(values, _find_lines(text))

    def line(self, *key: str) -> int | None:
        """Find the line of a key; for a key of an inline table, the line of the table."""
        while key:
            if key in self.lines:
                return self.lines[key]
            key = key[:-1]
        return None


def _find_lines(text: str) -> dict[Key, int]:
    lines: dict[Key, int] = {}
    table: Key = ()
    quotes = ""  # the quotes of a multi-line string that is open
    for number, line in enumerate(text.splitlines(), start=1):
        if not quotes:
            header, assignment = _HEADER.match(line), _ASSIGNMENT.match(line)
            if header:
                table = _parts(header[1])
                lines.setdefault(table, number)
            elif assignment:
                lines.setdefault(table + _parts(assignment[1]), number)
        quotes = _open_quotes(line, quotes)
    return lines


def _parts(dotted: str) -> Key:
    words = re.findall(_WORD, dotted)
    return tuple(word[1:-1] if word[0] in "\"'" else word for word in words)


def _open_quotes(line: str, quotes: str) -> str:
    """Find which multi-line string is open after this line."""
    for mark in re.findall(r'"""|\'\'\'', line):
        if not quotes:
            quotes = mark
        elif mark == quotes:
            quotes = ""
    return quotes
