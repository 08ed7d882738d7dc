"""Random generators derived from one secret: reproducible for the organiser, unpredictable for participants."""

import hashlib
import hmac

import numpy as np


def derive_seed(secret: bytes, *purpose: str | int) -> int:
    """Derive a 128-bit seed for one purpose: HMAC-SHA256 of the purpose's words under the secret.

    >>> derive_seed(b"secret", "split") == derive_seed(b"secret", "split")
    True
    >>> derive_seed(b"secret", "team", 12) == derive_seed(b"secret", "team1", 2)
    False
    """
    # Each word is prefixed with its length, so that no two purposes run together.
    words = [str(word).encode() for word in purpose]
    message = b"".join(len(word).to_bytes(4, "big") + word for word in words)
    return int.from_bytes(hmac.new(secret, message, hashlib.sha256).digest()[:16], "big")


def derive_generator(secret: bytes, *purpose: str | int) -> np.random.Generator:
    """Derive the generator for one purpose, such as ``("noise", instance, team, attempt)``."""
    return np.random.default_rng(derive_seed(secret, *purpose))


def secret_from_seed(seed: int) -> bytes:
    """Derive a secret from a user's seed."""
    return hashlib.sha256(f"ladderboard seed {seed}".encode()).digest()
