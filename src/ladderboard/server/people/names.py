"""Names of people and teams: which are valid, and when two count as the same."""

import unicodedata

from ladderboard.core.errors import ParameterError

NAME = "name"
SHORTEST, LONGEST = 2, 40
MOST_MARKS = 3
"""Combining marks on one letter; more would run over its neighbours."""


def normalize_name(given: str, word: str = NAME) -> str:
    """Normalize a name (NFKC, single blanks); raises `ParameterError` that says what is wrong with it.

    >>> normalize_name("  Ada\u2003Lovelace ")
    'Ada Lovelace'
    """
    name = " ".join(unicodedata.normalize("NFKC", given).split(" "))
    name = " ".join(part for part in name.split(" ") if part)
    problem = _problem(name)
    if problem is not None:
        raise ParameterError(
            f"the {word} {problem}; choose {SHORTEST} to {LONGEST} letters, digits, spaces and symbols"
        )
    return name


def name_key(name: str) -> str:
    """The key under which names that look the same are equal: without case and width.

    >>> name_key("Straße") == name_key("STRASSE") == name_key("ｓｔｒａｓｓｅ")
    True
    """
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def _problem(name: str) -> str | None:
    if not SHORTEST <= len(name) <= LONGEST or len(name_key(name)) > 3 * LONGEST:
        too_short = len(name) < SHORTEST
        return f"is too short ({len(name)})" if too_short else f"is too long ({len(name)})"
    if not any(character.isalnum() for character in name):
        return "has no letter or digit"
    if any(character in "/\\" for character in name):
        return "has a slash, which would break its address"
    # C…: control and format characters, among them those that turn the direction of writing; Zl, Zp: line ends.
    if any(unicodedata.category(one)[0] == "C" or unicodedata.category(one) in ("Zl", "Zp") for one in name):
        return "has an invisible character"
    marks = 0
    for character in name:
        marks = marks + 1 if unicodedata.category(character)[0] == "M" else 0
        if marks > MOST_MARKS:
            return f"has more than {MOST_MARKS} marks on one letter"
    return None
