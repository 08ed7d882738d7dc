"""Names of people and teams: which are valid, when two count as the same, and which look like another.

Look-alikes are letters of other alphabets drawn as Latin ones, 0 and O, 1 and l and I, rn and m. The idea is that of
Unicode's technical standard 39 (https://www.unicode.org/reports/tr39/): two names are confusable where their skeletons
are equal. Only what most typefaces draw alike is listed. Names that exist already stay as they are, so skeletons are
compared where a name is chosen, and stored nowhere.
"""

import unicodedata
from collections.abc import Iterable

from ladderboard.core.errors import ConflictError, ParameterError

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


LATIN = {
    "CYRILLIC": dict(zip("авсԁеһіјкӏмоԛрѕтԝхуг", "abcdehijklmoqpstwxyr", strict=True)) | {"н": "h", "ѵ": "v"},
    "GREEK": dict(zip("αεηικνορτυχγω", "aenikvoptuxyw", strict=True)) | {"β": "b", "ζ": "z", "μ": "m"},
    "ARMENIAN": dict(zip("օսհցոյ", "ouhgnj", strict=True)),
}
"""By alphabet: its small letters that are drawn as a Latin one, or whose capital is."""
ALPHABETS = ("LATIN", *LATIN)
SIGNS = str.maketrans("I1|0", "lllo")
"""As they are written: a capital I is drawn as l, a small i is not."""
PAIRS = (("rn", "m"), ("vv", "w"))
LONGER = 2
"""A name may be this many times as long as one that looks like it."""


def refuse_look_alike(name: str, taken: Iterable[str]) -> None:
    """Raise `ParameterError` or `ConflictError` for a new name that could be taken for another one."""
    mixture = find_mixture(name)
    if mixture is not None:
        raise ParameterError(f"the name {mixture}; use one alphabet")
    key, skeleton = name_key(name), find_skeleton(name)
    for other in taken:
        if find_skeleton(other) == skeleton and name_key(other) != key:
            raise ConflictError(f"the name {name!r} looks like {other!r}, which is taken; choose another")


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


def find_skeleton(name: str) -> str:
    """What a name looks like, whatever letters it is written in.

    >>> find_skeleton("Сара") == find_skeleton("capa"), find_skeleton("Teams 0ne") == find_skeleton("teams One")
    (True, True)
    >>> find_skeleton("Modern") == find_skeleton("Modem"), find_skeleton("Ali") == find_skeleton("All")
    (True, False)
    """
    written = unicodedata.normalize("NFKC", name).translate(SIGNS)
    for pair, letter in PAIRS:
        written = written.replace(pair, letter)
    return name_key(written).translate(_TO_LATIN)


def _is_of(letter: str, alphabet: str) -> bool:
    return letter.isalpha() and unicodedata.name(letter, "").startswith(f"{alphabet} ")


_TO_LATIN = str.maketrans({letter: plain for letters in LATIN.values() for letter, plain in letters.items()})
