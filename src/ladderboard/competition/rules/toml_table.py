"""Reader of one table of competition.toml; a wrong value becomes a finding at its line."""

import math
from collections.abc import Iterable, Sequence
from datetime import datetime, tzinfo
from difflib import get_close_matches
from typing import Any, TypeVar

from ladderboard.competition.checks.findings import Findings
from ladderboard.competition.rules.times import attach_zone
from ladderboard.competition.rules.toml_text import TomlText
from ladderboard.core.errors import ParameterError

T = TypeVar("T")

FILE = "competition.toml"
NONE = "none"
"""TOML has no null: this word says "no limit"."""


class TableReader:
    """A reader of a table's keys. Every getter returns its default if the key is missing or wrong."""

    def __init__(self, toml: TomlText, findings: Findings, *path: str) -> None:
        values: Any = toml.values
        for word in path:
            values = values.get(word, {})
        self.values: dict[str, Any] = values if isinstance(values, dict) else {}
        self._toml, self._findings, self._path = toml, findings, path
        self._known: list[str] = []

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def error(self, key: str, message: str) -> None:
        """Report an error about a key's value."""
        self._findings.error(FILE, self._toml.line(*self._path, key), message)

    def warn(self, key: str, message: str) -> None:
        self._findings.warn(FILE, self._toml.line(*self._path, key), message)

    def text(self, key: str, default: str) -> str:
        given = self._take(key, default)
        return given if isinstance(given, str) else self._wrong(key, given, "text in quotes", default)

    def plain_value(self, key: str) -> str | int | float | bool | None:
        """Read a text, a number or true or false: a class as it is written in the labels."""
        given = self._take(key, None)
        if given is None or (isinstance(given, str | int | float) and given != ""):
            return given
        return self._wrong(key, given, "a text in quotes, a number, or true or false", None)

    def optional_text(self, key: str) -> str | None:
        return self.text(key, "") or None

    def texts(self, key: str) -> tuple[str, ...]:
        """Read a text or a list of texts."""
        given = self._take(key, ())
        words = (given,) if isinstance(given, str) else given
        if isinstance(words, list | tuple) and all(isinstance(word, str) and word for word in words):
            return tuple(words)
        return self._wrong(key, given, "a text in quotes, or a list of them", tuple[str, ...]())

    def flag(self, key: str, default: bool) -> bool:
        given = self._take(key, default)
        return given if isinstance(given, bool) else self._wrong(key, given, "true or false", default)

    def integer(self, key: str, default: int, *, at_least: int = 1) -> int:
        given = self._take(key, default)
        if isinstance(given, int) and not isinstance(given, bool) and given >= at_least:
            return given
        return self._wrong(key, given, f"a whole number, at least {at_least}", default)

    def optional_integer(self, key: str, default: int | None, *, at_least: int = 1) -> int | None:
        """Read a whole number, or "none" for no limit."""
        given = self._take(key, default)
        if given is None or given == NONE:
            return None
        if isinstance(given, int) and not isinstance(given, bool) and given >= at_least:
            return given
        return self._wrong(key, given, f'a whole number, at least {at_least}, or "{NONE}"', default)

    def optional_number(self, key: str, default: float | None, *, above: float = -math.inf) -> float | None:
        given = self._take(key, default)
        if given is None or given == NONE:
            return None
        if _is_number(given) and given > above:
            return float(given)
        limit = "" if above == -math.inf else f" above {above:g}"
        return self._wrong(key, given, f"a number{limit}", default)

    def choice(self, key: str, choices: Sequence[str], default: str) -> str:
        given = self._take(key, default)
        if given in choices:
            return str(given)
        near = get_close_matches(str(given), choices, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        return self._wrong(key, given, f"one of {', '.join(map(repr, choices))}{hint}", default)

    def time(self, key: str, zone: tzinfo) -> datetime | None:
        given = self._take(key, None)
        if given is None:
            return None
        try:
            return attach_zone(given, zone)
        except ParameterError as problem:
            self.error(key, f"{key}: {problem}")
            return None

    def read_others(self, *named: str) -> dict[str, Any]:
        """Return all keys but these, unchecked, such as a mechanism's parameters."""
        self._known.extend(self.values)
        return {key: value for key, value in self.values.items() if key not in named}

    def skip(self, *keys: str) -> None:
        """Mark keys as known, because they are read elsewhere."""
        self._known.extend(keys)

    def refuse_unknown(self, elsewhere: Iterable[str] = ()) -> None:
        """Report every unknown key; ``elsewhere`` are keys that belong above all tables."""
        where = f" in [{'.'.join(self._path)}]" if self._path else ""
        for key in self.values:
            if key in self._known:
                continue
            if key in elsewhere:
                hint = f"it belongs at the top: move the line above the first [table], before [{self._path[0]}]"
            else:
                near = get_close_matches(key, self._known, n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"known keys: {', '.join(sorted(self._known))}"
            self.error(key, f"there is no key {key!r}{where}; {hint}")

    def _take(self, key: str, default: Any) -> Any:
        self._known.append(key)
        return self.values.get(key, default)

    def _wrong(self, key: str, given: object, expected: str, default: T) -> T:
        self.error(key, f"{key} is {given!r}; it must be {expected}")
        return default


def _is_number(given: object) -> bool:
    return isinstance(given, int | float) and not isinstance(given, bool) and math.isfinite(given)
