"""A rate limit for each account: a whole minute's share at once after a rest, then more as the minute passes."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

from ladderboard.core.errors import TooManyRequestsError

MOST_REMEMBERED = 10_000
"""Accounts whose pace is remembered; those that have rested for a minute are forgotten first."""


@dataclass
class _Rest:
    """The share that is left to an account at a time."""

    left: float
    at: float


class Pace:
    """What each account has used of its share of a minute. Safe to use from several threads."""

    def __init__(self, per_minute: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = per_minute, clock
        self._rests: dict[str, _Rest] = {}
        self._guard = Lock()

    def find_left(self, account_id: str) -> float:
        """What the account may use now; below zero where it has used more than its share."""
        with self._guard:
            rest = self._rests.get(account_id)
            return self._most if rest is None else self._refill(rest, self._clock())

    def find_wait(self, left: float, account_id: str) -> float:
        """How long it takes until so much is left; 0 where it is."""
        return max(0.0, (left - self.find_left(account_id)) * 60 / self._most)

    def count(self, account_id: str, amount: float = 1) -> None:
        """Count so much more."""
        with self._guard:
            now = self._clock()
            rest = self._rests.setdefault(account_id, _Rest(self._most, now))
            rest.left, rest.at = self._refill(rest, now) - amount, now
            if len(self._rests) > MOST_REMEMBERED:
                self._rests = {name: one for name, one in self._rests.items() if self._refill(one, now) < self._most}

    def _refill(self, rest: _Rest, now: float) -> float:
        return min(self._most, rest.left + (now - rest.at) * self._most / 60)


class UploadPaces:
    """The two paces of uploads: how many of them, and how much processor time they take."""

    def __init__(self, *, uploads: float, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._most_uploads, self._most_seconds = uploads, seconds
        self.uploads, self.seconds = Pace(uploads, clock), Pace(seconds, clock)

    def find_refusal(self, account_id: str) -> TooManyRequestsError | None:
        """What to raise where one more upload would be too many."""
        wait = self.uploads.find_wait(1, account_id)
        if wait:
            words = f"one account may upload at most {self._most_uploads} files a minute, scored or not"
            return TooManyRequestsError(words, retry_after=wait)
        wait = self.seconds.find_wait(0, account_id)
        if wait:
            words = (
                f"your last uploads took more than {self._most_seconds} seconds of the server's time within a minute; "
                "wait a little"
            )
            return TooManyRequestsError(words, retry_after=wait)
        return None
