"""Secrets: tokens for programs and codes that people type. Shown once, stored as hashes.

They are long and random, so a plain SHA-256 protects them as well as a slow hash: there is nothing to guess.
"""

import hashlib
import secrets

TOKEN_PREFIX = "lb_"  # noqa: S105 - not a secret: it lets scanners recognise one that was published by mistake
_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
"""Without characters that look alike: 0 and o, 1, l and i."""
_GROUPS, _GROUP = 4, 5


def make_secret() -> str:
    """Make a token of 256 bits for a program or a browser's cookie."""
    return TOKEN_PREFIX + secrets.token_urlsafe(32)


def make_code() -> str:
    """Make a code of 99 bits that can be read out and typed, such as ``7kq2m-…``."""
    return "-".join("".join(secrets.choice(_ALPHABET) for _ in range(_GROUP)) for _ in range(_GROUPS))


def hash_secret(secret: str) -> str:
    """Hash a token, as it is stored."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def hash_code(code: str) -> str:
    """Hash a code that a person typed: case, blanks and hyphens do not matter.

    >>> hash_code(" 7KQ2M-abcde ") == hash_code("7kq2mabcde")
    True
    """
    return hash_secret("".join(character for character in code.casefold() if character.isalnum()))
