"""Rate limits stored in the database, so they hold across server processes.

Wrong passwords are counted for a name *and* an address together: an attacker slows down only their own address, and
nobody can lock another person out. An address of IPv6 counts as its network. A window lasts a minute or an hour.
"""

import hashlib
import secrets
from datetime import timedelta

from ladderboard.core.errors import TooManyRequestsError
from ladderboard.server.db.database import Database
from ladderboard.server.people.sql import accounts

LONGEST_WINDOW = timedelta(hours=1)
SWEEP_ONE_IN = 500
"""Old counters are deleted once in so many counts."""


def count_use(database: Database, *words: str, most: int, window: timedelta, doing: str) -> None:
    """Count one more use of a key made of words, such as ``("sign-in", name, address)``, which is stored hashed.

    Raises `TooManyRequestsError` if there are more than ``most`` in ``window``. It has its own transaction: a request
    that fails later has been counted.
    """
    with database.transaction() as connection:
        now = database.now(connection)
        if secrets.randbelow(SWEEP_ONE_IN) == 0:
            accounts.forget_uses_before(connection, now - LONGEST_WINDOW)
        number, ends = accounts.count_use(connection, _key(words), now=now, window=window)
    if number > most:
        seconds = max(1.0, (ends - now).total_seconds())
        raise TooManyRequestsError(
            f"too many {doing} from here; try again in {seconds:.0f} s",
            retry_after=seconds,
        )


def forget_uses(database: Database, *words: str) -> None:
    """Forget how often a key was used."""
    with database.transaction() as connection:
        accounts.forget_uses(connection, _key(words))


def _key(words: tuple[str, ...]) -> str:
    return hashlib.sha256("\x1f".join(words).encode("utf-8", "surrogatepass")).hexdigest()[:32]
