"""In time is what arrived in time."""

import time
from datetime import timedelta
from pathlib import Path

from ladderboard.store.database import Database
from ladderboard.web.arrival import arrived_at
from tests.hosting.competitions import NOON


def test_what_a_request_has_waited_is_not_held_against_it(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'clock.db'}", clock=lambda: NOON)
    waited = NOON - arrived_at(database, time.monotonic() - 5)
    assert timedelta(seconds=5) <= waited < timedelta(minutes=10)
    database.close()
