"""Arrival times of requests, so that a deadline counts the arrival and not the wait that followed."""

import time
from datetime import datetime, timedelta
from typing import Any

ARRIVED = "arrived"


def note_arrival(state: dict[str, Any]) -> None:
    """Store the arrival time in a request's state, by a monotonic clock."""
    state[ARRIVED] = time.monotonic()


def arrived_at(now: datetime, since: float) -> datetime:
    """The database's time of an arrival: ``now`` less the time that has passed since.

    At a deadline everybody submits, and a request may wait for seconds before anything can be asked of the database.
    """
    return now - timedelta(seconds=time.monotonic() - since)
