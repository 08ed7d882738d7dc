"""E-mail addresses as they are accepted here: the plain kind that mail servers of today carry."""

import re

from ladderboard.core.errors import ParameterError

LONGEST_ADDRESS = 254
LONGEST_LOCAL = 64
# Dots only between words; a domain of at least two labels. Quotes, comments and blanks are legal and never meant.
_PLAIN = re.compile(
    r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*"
    r"@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])"
)


def normalize_address(given: str) -> str:
    """Normalize an address (no blanks around it); raises `ParameterError` where it is none.

    Case stays, because other systems that know the person compare it; here two addresses are one without it.

    >>> normalize_address(" Ada@Example.org ")
    'Ada@Example.org'
    """
    address = given.strip()
    if len(address) > LONGEST_ADDRESS or len(address.partition("@")[0]) > LONGEST_LOCAL:
        raise ParameterError("this address is too long; an address has at most 254 characters, 64 before the @")
    if not _PLAIN.fullmatch(address):
        raise ParameterError(f"{given.strip()[:60]!r} is not an email address; write one such as ada@example.org")
    return address
