"""Limits on how fast somebody may ask, counted in the database so that they hold over all server processes.

Wrong passwords are counted for a name *and* an address together: whoever guesses from elsewhere slows only himself
down, and nobody can lock somebody else out. A window lasts a minute or an hour, and ends by itself.
"""

import hashlib
import secrets
from datetime import timedelta

from ladderboard.core.errors import TooManyRequestsError
from ladderboard.core.words import translatable
from ladderboard.store import throttles
from ladderboard.store.database import Database

LONGEST_WINDOW = timedelta(hours=1)
SWEEP_ONE_IN = 500
"""How often old counts are swept out, so that they do not pile up."""


class Throttle:
    """Counts under keys made of words, such as ``("sign-in", name, address)``; kept hashed, as some are addresses."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def count(self, *words: str, most: int, window: timedelta, doing: str) -> None:
        """Count one more; raises `TooManyRequestsError` where it is more than ``most`` in ``window``.

        In a transaction of its own: what is refused or fails later has been counted.
        """
        with self._database.transaction() as connection:
            now = self._database.now(connection)
            if secrets.randbelow(SWEEP_ONE_IN) == 0:
                throttles.forget_before(connection, now - LONGEST_WINDOW)
            number, ends = throttles.count(connection, _key(words), now=now, window=window)
        if number > most:
            seconds = max(1.0, (ends - now).total_seconds())
            raise TooManyRequestsError(
                translatable("too many {doing} from here; try again in {seconds:.0f} s", doing=doing, seconds=seconds),
                retry_after=seconds,
            )

    def forget(self, *words: str) -> None:
        with self._database.transaction() as connection:
            throttles.forget(connection, _key(words))


def _key(words: tuple[str, ...]) -> str:
    return hashlib.sha256("\x1f".join(words).encode("utf-8", "surrogatepass")).hexdigest()[:32]
