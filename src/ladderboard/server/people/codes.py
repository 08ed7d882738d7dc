"""Codes that people type, such as an invitation's. Shown once, stored as hashes, as tokens are."""

import secrets

from ladderboard.core.tokens import hash_secret

_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
"""Without characters that look alike: 0 and o, 1, l and i."""
_GROUPS, _GROUP = 4, 5


def make_code() -> str:
    """Make a code of 99 bits that can be read out and typed, such as ``7kq2m-…``."""
    return "-".join("".join(secrets.choice(_ALPHABET) for _ in range(_GROUP)) for _ in range(_GROUPS))


def hash_code(code: str) -> str:
    """Hash a code that a person typed: case, blanks and hyphens do not matter.

    >>> hash_code(" 7KQ2M-abcde ") == hash_code("7kq2mabcde")
    True
    """
    return hash_secret("".join(character for character in code.casefold() if character.isalnum()))
