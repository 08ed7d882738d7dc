"""The names of people and teams: what may be one, and when two are the same."""

import unicodedata

from ladderboard.errors import ParameterError

SHORTEST, LONGEST = 2, 40
MOST_MARKS = 3
"""Marks on one letter; more of them run over their neighbours."""


def name_of(given: str, word: str = "name") -> str:
    """A name as it is kept: one spelling (NFKC), single blanks; raises `ParameterError` with what is wrong.

    >>> name_of("  Ada\u2003Lovelace ")
    'Ada Lovelace'
    """
    name = " ".join(unicodedata.normalize("NFKC", given).split(" "))
    name = " ".join(part for part in name.split(" ") if part)
    problem = _problem(name)
    if problem is not None:
        raise ParameterError(f"the {word} {problem}; choose {SHORTEST} to {LONGEST} letters, digits, blanks and signs")
    return name


def name_key(name: str) -> str:
    """What two names that people would take for the same have in common: no case, no width.

    >>> name_key("Straße") == name_key("STRASSE") == name_key("ｓｔｒａｓｓｅ")
    True
    """
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def _problem(name: str) -> str | None:
    if not SHORTEST <= len(name) <= LONGEST or len(name_key(name)) > 3 * LONGEST:
        return f"is too {'short' if len(name) < SHORTEST else 'long'} ({len(name)})"
    if not any(character.isalnum() for character in name):
        return "has no letter or digit"
    if any(character in "/\\" for character in name):
        return "has a slash, which would break its address"
    # C…: control and format characters, among them those that turn the direction of writing; Zl, Zp: line ends.
    if any(unicodedata.category(one)[0] == "C" or unicodedata.category(one) in ("Zl", "Zp") for one in name):
        return "has a character that cannot be seen"
    marks = 0
    for character in name:
        marks = marks + 1 if unicodedata.category(character)[0] == "M" else 0
        if marks > MOST_MARKS:
            return f"has more than {MOST_MARKS} marks on one letter"
    return None
