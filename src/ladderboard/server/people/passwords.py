"""Passwords hashed with argon2, rehashed when its parameters change, and equally slow to check for unknown names."""

import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from threading import BoundedSemaphore
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from ladderboard.core.errors import ParameterError, TooManyRequestsError

SHORTEST, LONGEST = 8, 200
AT_ONCE = 2
"""Hashes computed at the same time: each takes 64 MiB, and a flood of sign-ins must not exhaust memory."""
MOST_WAITING = 8
"""Beyond so many, others are asked to come back: each one that waits holds a thread, and every page needs one."""
PATIENCE_SECONDS = 10

Result = TypeVar("Result")


class Passwords:
    """Password hashes. ``hasher``: argon2-cffi's defaults; tests pass a faster one."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()
        self._places, self._queue = BoundedSemaphore(AT_ONCE), BoundedSemaphore(AT_ONCE + MOST_WAITING)

    def hash(self, password: str, *, name: str = "") -> str:
        """Hash a password for storage; raises `ParameterError` if it is too easy or too long."""
        spelled = _normalise(password)
        if not SHORTEST <= len(spelled) <= LONGEST:
            raise ParameterError(f"a password has {SHORTEST} to {LONGEST} characters; this one has {len(spelled)}")
        if spelled.casefold() == name.casefold():
            raise ParameterError("the password is the same as the name; choose another one")
        return self._wait_for_turn(lambda: self._hasher.hash(spelled))

    def is_right(self, kept: str | None, password: str) -> bool:
        """Whether the password is right. Without ``kept`` (nobody has the name): False, after the same work."""
        kept = kept or None  # nobody signs in with a password to an account without one
        against = self._nobodys if kept is None else kept
        fits = self._wait_for_turn(lambda: self._verify(against, _normalise(password)[: LONGEST + 1]))
        return fits and kept is not None

    def is_outdated(self, kept: str) -> bool:
        """Whether the hash was made with outdated parameters."""
        return self._hasher.check_needs_rehash(kept)

    @cached_property
    def _nobodys(self) -> str:
        return self._hasher.hash("nobody has this password")

    def _verify(self, kept: str, password: str) -> bool:
        try:
            return self._hasher.verify(kept, password)
        except (VerificationError, InvalidHashError):
            return False

    def _wait_for_turn(self, work: Callable[[], Result]) -> Result:
        with _take_place(self._queue, timeout=0), _take_place(self._places, timeout=PATIENCE_SECONDS):
            return work()


@contextmanager
def _take_place(places: BoundedSemaphore, *, timeout: float) -> Iterator[None]:
    if not places.acquire(timeout=timeout):
        raise TooManyRequestsError("too many people are signing in right now; try again in a moment", retry_after=5)
    try:
        yield
    finally:
        places.release()


def _normalise(password: str) -> str:
    """One spelling for what looks the same on different keyboards."""
    return unicodedata.normalize("NFKC", password)
