"""When a request arrived: in time is what arrived in time, however long it then waited for its turn."""

import time
from datetime import datetime, timedelta
from typing import Any

ARRIVED = "arrived"


def note_arrival(state: dict[str, Any]) -> None:
    """Keep the moment in a request's state, by a clock that is never set."""
    state[ARRIVED] = time.monotonic()


def arrived_at(now: datetime, since: float) -> datetime:
    """The database's time at the moment ``since``, where it is ``now``: less what has passed.

    At a deadline everybody submits, and a request may wait for seconds before anything can be asked of the database.
    """
    return now - timedelta(seconds=time.monotonic() - since)
