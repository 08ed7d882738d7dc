"""A catalogue of translated messages that cannot break a page: what does not fit its message is left in English."""

import gettext
import re
from functools import lru_cache
from string import Formatter

Gap = tuple[str, str, str]
"""Its name, its conversion (r in ``{name!r}``), and how it is written (, in ``{total:,}``)."""

_NAMED = re.compile(r"%\((\w+)\)s")


class Catalogue(gettext.GNUTranslations):
    """The messages of a ``.mo`` file."""

    def gettext(self, message: str) -> str:
        found = super().gettext(message)
        if found == message:
            # A message that elsewhere has a plural; early versions of Python 3.11 overlook it.
            found = super().ngettext(message, message, 1)
        return found if fits(found, message) else message

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        found = super().ngettext(msgid1, msgid2, n)
        return found if fits(found, msgid1, msgid2) else (msgid1 if n == 1 else msgid2)


@lru_cache(maxsize=4096)
def fits(translation: str, *messages: str) -> bool:
    """Whether a translation uses only placeholders that its message has.

    >>> fits("{name!r} ist vergeben", "the name {name!r} is taken"), fits("{nam!r} ist vergeben", "{name!r} is taken")
    (True, False)
    >>> fits("%(rows)s Zeilen, 100 %", "%(rows)s rows")
    False
    """
    if any(_NAMED.search(message) for message in messages):
        known = {name for message in messages for name in _NAMED.findall(message)}
        bare = _NAMED.sub("", translation).replace("%%", "")
        return set(_NAMED.findall(translation)) <= known and "%" not in bare
    given = [_gaps(message) for message in messages]
    if not any(given):  # nothing is filled in, and braces are only braces
        return True
    known_gaps = {gap for gaps in given if gaps is not None for gap in gaps}
    found = _gaps(translation)
    return found is not None and found <= known_gaps | {(name, "", "") for name, _, _ in known_gaps}


def _gaps(message: str) -> set[Gap] | None:
    """The gaps of a message; None where its braces do not match."""
    try:
        return {(name, kind or "", how or "") for _, name, how, kind in Formatter().parse(message) if name is not None}
    except ValueError:
        return None
