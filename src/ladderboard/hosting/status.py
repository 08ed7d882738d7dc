"""Where a competition is in its life, in one word."""

from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Row

from ladderboard.hosting.hosted import Hosted

Status = Literal["upcoming", "open", "closed", "finalized", "revealed", "spent"]


def status_of(hosted: Hosted, row: Row[Any], now: datetime) -> Status:
    """The word for it; ``row`` is the competition's.

    What has happened to it goes before what the clock says; "spent" before "open" and "closed", as no more numbers are
    told in either.
    """
    if row.revealed_at is not None:
        return "revealed"
    if row.finalized_at is not None:
        return "finalized"
    if row.spent_at is not None:
        return "spent"
    phase = hosted.phase(now)
    if row.frozen_at is not None or phase == "late":
        return "closed"
    return "upcoming" if phase == "upcoming" else "open"
