"""Names that look like another: letters of other alphabets that are drawn as Latin ones.

Only the letters that most typefaces draw alike are listed, as in the table of confusables of Unicode's technical
standard 39 (https://www.unicode.org/reports/tr39/). Names that exist already stay as they are.
"""

import unicodedata
from collections.abc import Callable, Iterator

from ladderboard.core.errors import ConflictError, ParameterError
from ladderboard.server.people.names import name_key

LATIN = {
    "CYRILLIC": dict(zip("авсԁеһіјкӏмоԛрѕтԝхуг", "abcdehijklmoqpstwxyr", strict=True)) | {"н": "h", "ѵ": "v"},
    "GREEK": dict(zip("αεηικνορτυχγω", "aenikvoptuxyw", strict=True)) | {"β": "b", "ζ": "z", "μ": "m"},
    "ARMENIAN": dict(zip("օսհցոյ", "ouhgnj", strict=True)),
}
"""By alphabet: its small letters that are drawn as a Latin one, or whose capital is."""
ALPHABETS = ("LATIN", *LATIN)


def refuse_look_alike(name: str, is_taken: Callable[[str], bool]) -> None:
    """Raise `ParameterError` or `ConflictError` for a new name that could be taken for another; keys are looked up."""
    mixture = find_mixture(name)
    if mixture is not None:
        raise ParameterError(f"the name {mixture}; use one alphabet")
    if any(is_taken(key) for key in list_look_alikes(name)):
        raise ConflictError(f"the name {name!r} looks like one that is taken; choose another")


def find_mixture(name: str) -> str | None:
    """What is wrong with a name that has a word in letters of two such alphabets; None where nothing is.

    >>> find_mixture("Ada"), find_mixture("Ада"), find_mixture("Team Ада"), find_mixture("東京 Team") is None
    (None, None, None, True)
    >>> str(find_mixture("Аda"))
    'mixes LATIN and CYRILLIC letters in one word'
    """
    for word in name.split():
        found = {alphabet for letter in word for alphabet in ALPHABETS if _is_of(letter, alphabet)}
        if len(found) > 1:
            first, second = (alphabet for alphabet in ALPHABETS if alphabet in found)
            return f"mixes {first} and {second} letters in one word"
    return None


def list_look_alikes(name: str) -> Iterator[str]:
    """The keys of other names that look like this one, each in a single alphabet.

    >>> list(list_look_alikes("Сара")), "сара" in list_look_alikes("capa"), list(list_look_alikes("Grace"))
    (['capa'], True, [])
    """
    key = name_key(name)
    latin = "".join(_to_latin(letter) for letter in key)
    variants = [latin, *(_write_in(latin, alphabet) for alphabet in LATIN)]
    yield from dict.fromkeys(one for one in variants if one is not None and one != key)


def _to_latin(letter: str) -> str:
    return next((letters[letter] for letters in LATIN.values() if letter in letters), letter)


def _write_in(latin: str, alphabet: str) -> str | None:
    """The name in letters of another alphabet; None where one of its letters has no look-alike there."""
    others = {plain: letter for letter, plain in reversed(LATIN[alphabet].items())}
    if not all(letter in others for letter in latin if letter.isalpha()):
        return None
    return "".join(others.get(letter, letter) for letter in latin)


def _is_of(letter: str, alphabet: str) -> bool:
    return letter.isalpha() and unicodedata.name(letter, "").startswith(f"{alphabet} ")
