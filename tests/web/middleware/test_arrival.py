"""In time is what arrived in time."""

import time
from datetime import timedelta

from ladderboard.web.middleware.arrival import arrived_at
from tests.hosting.competitions import NOON


def test_what_a_request_has_waited_is_not_held_against_it() -> None:
    assert NOON - arrived_at(NOON, time.monotonic() - 5) >= timedelta(seconds=5)
