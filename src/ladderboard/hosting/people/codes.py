"""Secrets that people carry: tokens for programs, codes to be typed. Shown once, kept as hashes.

They are random and long, so a plain SHA-256 keeps them as well as a slow hash would: there is nothing to guess.
"""

import hashlib
import secrets

TOKEN_PREFIX = "lb_"  # noqa: S105 - not a secret: it lets scanners recognise one that was published by mistake
_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
"""Without what looks alike: 0 and o, 1 and l and i."""
_GROUPS, _GROUP = 4, 5


def new_token() -> str:
    """A token of 256 bits for a program or a browser's cookie."""
    return TOKEN_PREFIX + secrets.token_urlsafe(32)


def new_code() -> str:
    """A code of 99 bits that can be read out and typed, such as ``7kq2m-…``."""
    return "-".join("".join(secrets.choice(_ALPHABET) for _ in range(_GROUP)) for _ in range(_GROUPS))


def hash_of(secret: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def hash_of_code(code: str) -> str:
    """As `hash_of`, for what a person typed: case, blanks and hyphens do not matter.

    >>> hash_of_code(" 7KQ2M-abcde ") == hash_of_code("7kq2mabcde")
    True
    """
    return hash_of("".join(character for character in code.casefold() if character.isalnum()))
