"""Names of people and teams: which are valid, and when two count as the same."""

import unicodedata

from ladderboard.core.errors import ParameterError
from ladderboard.core.words import translatable

NAME = translatable("name")
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
            translatable(
                "the {word} {problem}; choose {shortest} to {longest} letters, digits, spaces and symbols",
                word=word,
                problem=problem,
                shortest=SHORTEST,
                longest=LONGEST,
            )
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
        return (
            translatable("is too short ({n})", n=len(name))
            if too_short
            else translatable("is too long ({n})", n=len(name))
        )
    if not any(character.isalnum() for character in name):
        return translatable("has no letter or digit")
    if any(character in "/\\" for character in name):
        return translatable("has a slash, which would break its address")
    # C…: control and format characters, among them those that turn the direction of writing; Zl, Zp: line ends.
    if any(unicodedata.category(one)[0] == "C" or unicodedata.category(one) in ("Zl", "Zp") for one in name):
        return translatable("has an invisible character")
    marks = 0
    for character in name:
        marks = marks + 1 if unicodedata.category(character)[0] == "M" else 0
        if marks > MOST_MARKS:
            return translatable("has more than {n} marks on one letter", n=MOST_MARKS)
    return None
