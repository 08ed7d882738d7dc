"""What happens by itself when its time has come: opening, finalizing and revealing, as the rules announce.

Nothing has to run for it. Whoever looks at a competition calls `advance` first; a light task calls it once in a while
for those that nobody looks at. Several processes may do so at the same time: what is written is written once.
"""

import logging
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Row

from ladderboard.competition import Rules, load_competition, solution_digest
from ladderboard.errors import ConflictError, LadderboardError
from ladderboard.hosting.finalizing import finalize
from ladderboard.hosting.host import Host
from ladderboard.hosting.hosted import Hosted
from ladderboard.hosting.lifecycle import GRACE, Status, closing_time, is_closed, record, record_reveal, status_of
from ladderboard.store import results, standings, turns
from ladderboard.store.versions import Dates

Step = Literal["open", "finalize", "reveal"]

TRIES = 8
"""More than there are steps, fewer than for ever."""

log = logging.getLogger("ladderboard.clockwork")


def due_step(rules: Rules, row: Row[Any] | Dates, now: datetime) -> Step | None:
    """What the rules say should have happened by now and has not."""
    if rules.opens is not None and row.opened_at is None and now >= rules.opens:
        return "open"
    if row.revealed_at is not None or not is_closed(rules, row, now):
        return None
    closed = closing_time(rules, row)
    assert closed is not None
    when = closed + GRACE if rules.reveal == "deadline" else rules.reveal
    if not isinstance(when, datetime) or now < max(when, closed + GRACE):
        return None
    return "reveal" if row.finalized_at is not None else "finalize"


def advance(host: Host, slug: str) -> Status:
    """Do what is due, and say where the competition stands now."""
    hosted = host.hosted(slug)
    for _ in range(TRIES):
        with host.database.reading() as connection:
            row, now = standings.version_of(connection, slug), host.database.now(connection)
        step = due_step(hosted.rules, row, now)
        if step is None or row.scoring_version != hosted.scoring_version:
            break  # nothing is due, or a process that has read the corrected folder does it
        try:
            if step == "open":
                _open(host, slug)
            elif step == "finalize":
                finalize(host, slug, by="rules")
            else:
                _reveal(host, slug)
        except ConflictError:
            # Another process did it between our look and our writing.
            continue
    return status_of(hosted.rules, row, now)


def advance_all(host: Host) -> None:
    """Do what is due in every competition. One that cannot be finalized does not keep the others."""
    for slug in list(host.competitions):
        try:
            read_correction(host, slug)
            advance(host, slug)
        except LadderboardError as error:
            # The kind, not the words: they are for the organiser, who gets them from `finalize`.
            log.error("advance competition=%s failed kind=%s", slug, type(error).__name__)


def read_correction(host: Host, slug: str) -> bool:
    """Read the folder again where another process has published a correction of it; whether it is at hand now."""
    hosted = host.hosted(slug)
    with host.database.reading() as connection:
        row = results.competition_row(connection, slug)
    if row.scoring_version == hosted.scoring_version:
        return True
    if hosted.competition.folder is None:
        return False
    corrected = load_competition(hosted.competition.folder)
    if solution_digest(corrected) != row.solution_digest:
        return False
    host.serve([Hosted(corrected, row.secret, host.files, row.scoring_version)])
    return True


def _open(host: Host, slug: str) -> None:
    hosted = host.hosted(slug)
    with host.database.transaction() as connection:
        row, now = turns.hold(connection, slug), host.database.now(connection)
        if due_step(hosted.rules, row, now) == "open":
            record(connection, hosted, "opened", now, body={"by": "rules"}, opened_at=now)


def _reveal(host: Host, slug: str) -> None:
    hosted = host.hosted(slug)
    with host.database.transaction() as connection:
        row, now = turns.hold(connection, slug), host.database.now(connection)
        if due_step(hosted.rules, row, now) == "reveal":
            record_reveal(connection, hosted, now, by="rules")
