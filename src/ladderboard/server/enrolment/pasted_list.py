"""A list of people as it is pasted: addresses, names or both, one person a line, from a mail program or a spreadsheet.

A line is `ada@example.org`, `Ada Lovelace <ada@example.org>`, `Ada Lovelace`, or cells with commas, semicolons or tabs
between them. A first line of headings is passed over. Lines that could be misread are told and left out, never guessed.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ladderboard.core.errors import ParameterError
from ladderboard.server.enrolment.addresses import normalize_address
from ladderboard.server.enrolment.records import Invitee, LineProblem

MOST_PEOPLE = 2000
LONGEST_LIST = 300_000
LONGEST_LINE = 1000
LONGEST_NAME = 100
_WITH_NAME = re.compile(r'"?([^"<>]*)"?\s*<([^<>]*)>')
_LOOKS_LIKE_ADDRESS = re.compile(r"\S+\.[A-Za-z]{2,}")
_FIRST, _LAST = ("first name", "given name", "vorname"), ("last name", "surname", "family name", "nachname")
_NAME, _ADDRESS = ("name", "full name", "student"), ("email", "e-mail", "email address", "e-mail address", "address")
_HEADINGS = frozenset((*_FIRST, *_LAST, *_NAME, *_ADDRESS))


@dataclass(frozen=True)
class PastedList:
    """The people who were understood, and what is wrong with the other lines."""

    people: tuple[Invitee, ...]
    problems: tuple[LineProblem, ...]


def read_list(text: str) -> PastedList:
    """Read a pasted list; raises `ParameterError` for one that is too long."""
    if len(text) > LONGEST_LIST:
        raise ParameterError(f"this list has {len(text):,} characters; paste at most {LONGEST_LIST:,} at a time")
    people: list[Invitee] = []
    problems: list[LineProblem] = []
    seen: dict[str, int] = {}
    for line, read in _read_lines(text):
        try:
            person = read()
        except ParameterError as error:
            problems.append(LineProblem(line, str(error)))
            continue
        key = (person.address or f"name {person.name}").casefold()
        if key in seen:
            problems.append(LineProblem(line, f"{person.address or person.name!r} is on line {seen[key]} already"))
            continue
        seen[key] = line
        people.append(person)
    if len(people) > MOST_PEOPLE:
        raise ParameterError(f"this list has {len(people):,} people; paste at most {MOST_PEOPLE:,} at a time")
    return PastedList(tuple(people), tuple(problems))


@dataclass(frozen=True)
class _Line:
    """A line of the list, to be read as a person."""

    text: str
    delimiter: str
    headings: tuple[str, ...]

    def __call__(self) -> Invitee:
        if len(self.text) > LONGEST_LINE:
            raise ParameterError(f"this line has {len(self.text):,} characters; write one person a line")
        named = _WITH_NAME.fullmatch(self.text)
        if named is not None:
            return Invitee(_check_name(named[1]) if named[1].strip() else None, normalize_address(named[2]))
        return _read_cells(_split(self.text, self.delimiter), self.headings)


def write_list(people: Sequence[Invitee]) -> str:
    r"""Write people as a list that is read as the same people.

    >>> write_list([Invitee("Lovelace, Ada", "ada@example.org")])
    'Lovelace, Ada\tada@example.org'
    """
    return "\n".join(f"{one.name or ''}\t{one.address or ''}" for one in people)


def _read_lines(text: str) -> Iterator[tuple[int, _Line]]:
    lines = [line.strip("\ufeff \r") for line in text.splitlines()]
    delimiter = _find_delimiter(lines)
    headings: tuple[str, ...] = ()
    is_first = True
    for number, line in enumerate(lines, 1):
        if not line.strip(" \t,;"):
            continue
        if is_first:
            is_first = False
            headings = _read_headings(line, delimiter)
            if headings:
                continue
        yield number, _Line(line, delimiter, headings)


def _read_headings(line: str, delimiter: str) -> tuple[str, ...]:
    """The headings that a first line has; none where it is a person's."""
    cells = tuple(cell.casefold() for cell in _split(line[:LONGEST_LINE], delimiter))
    return cells if set(cells) & _HEADINGS and not any("@" in cell for cell in cells) else ()


def _find_delimiter(lines: Sequence[str]) -> str:
    """The first of tab, semicolon and comma that is in the first line that has any: one list has one."""
    for line in lines:
        for delimiter in "\t;,":
            if delimiter in line and "<" not in line:
                return delimiter
    return ","


def _split(line: str, delimiter: str) -> list[str]:
    return [" ".join(cell.split()) for cell in next(csv.reader([line], delimiter=delimiter))]


def _read_cells(cells: Sequence[str], headings: Sequence[str]) -> Invitee:
    if headings:
        return _read_named(dict(zip(headings, cells, strict=False)))
    addresses = [cell for cell in cells if "@" in cell]
    if len(addresses) > 1:
        raise ParameterError("this line has two addresses; write one person a line")
    names = [cell for cell in cells if cell and "@" not in cell]
    return _make(" ".join(names), addresses[0] if addresses else "")


def _read_named(row: dict[str, str]) -> Invitee:
    """A row under headings; of columns with other headings nothing is known, so they are passed over."""

    def find(words: Sequence[str]) -> str:
        return next((row[word] for word in words if row.get(word)), "")

    name = find(_NAME) or f"{find(_FIRST)} {find(_LAST)}".strip()
    return _make(name, find(_ADDRESS))


def _make(name: str, address: str) -> Invitee:
    if not name and not address:
        raise ParameterError("this line has neither a name nor an address")
    if not address and _LOOKS_LIKE_ADDRESS.fullmatch(name):
        raise ParameterError(f"{name[:60]!r} looks like an address without an @; mend it, or write the full name")
    return Invitee(_check_name(name) if name else None, normalize_address(address) if address else None)


def _check_name(given: str) -> str:
    name = " ".join(given.split())
    if len(name) > LONGEST_NAME:
        raise ParameterError(f"this name has {len(name)} characters; write at most {LONGEST_NAME}")
    if not name.isprintable() or not any(letter.isalpha() for letter in name) or set(name) & set('<>"'):
        raise ParameterError(f"{name[:60]!r} is not a name; write one such as Ada Lovelace")
    return name


def check_real_name(given: str) -> str:
    """Check the name that somebody gives to the teachers; raises `ParameterError`."""
    if not given.strip():
        raise ParameterError("your name is missing; the teachers need it, and nobody else sees it")
    return _check_name(given)
