"""Tokens for programs and browsers: 256 random bits, shown once and stored as hashes.

They are long and random, so a plain SHA-256 protects them as well as a slow hash: there is nothing to guess.
"""

import hashlib
import secrets

TOKEN_PREFIX = "lb_"  # noqa: S105 - not a secret: it lets scanners recognise one that was published by mistake


def make_secret() -> str:
    """Make a token of 256 bits for a program or a browser's cookie."""
    return TOKEN_PREFIX + secrets.token_urlsafe(32)


def hash_secret(secret: str) -> str:
    """Hash a token, as it is stored."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
