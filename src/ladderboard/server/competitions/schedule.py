"""Scheduled steps of a competition: opening, finalizing and revealing, as the rules announce.

Nothing has to run for it. Whoever looks at a competition calls `advance` first; a light task calls it once in a while
for those that nobody looks at. Several processes may do so at the same time: what is written is written once.
"""

import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from ladderboard.competition import Rules
from ladderboard.core.errors import ConflictError, LadderboardError
from ladderboard.server.competitions.records import CompetitionDates
from ladderboard.server.db.rows import competitions, results
from ladderboard.server.lifecycle import GRACE, Status, find_closing_time, find_status, is_closed, record, record_reveal
from ladderboard.server.results.finalizing import finalize
from ladderboard.server.services import Services

DueStep = Literal["open", "finalize", "reveal"]

TRIES = 8
"""More than there are steps, fewer than for ever."""

log = logging.getLogger("ladderboard.schedule")


def due_step(rules: Rules, row: CompetitionDates, now: datetime, *, is_outdated: bool = False) -> DueStep | None:
    """Find the step that is due and has not been taken.

    ``is_outdated``: a corrected solution counts, and the private board is still that of the one before.
    """
    if is_outdated:
        return "finalize"
    if rules.opens is not None and row.opened_at is None and now >= rules.opens:
        return "open"
    if row.revealed_at is not None or not is_closed(rules, row, now):
        return None
    closed = find_closing_time(rules, row)
    assert closed is not None
    when = closed + GRACE if rules.reveal == "deadline" else rules.reveal
    if not isinstance(when, datetime) or now < max(when, closed + GRACE):
        return None
    return "reveal" if row.finalized_at is not None else "finalize"


@dataclass(frozen=True)
class CompetitionState:
    """The status of a competition at one moment, with the versions of its board and solution."""

    status: Status
    board_version: int
    scoring_version: int

    @property
    def board_tag(self) -> str:
        """What names the public board as it is now, and no other."""
        return f"{self.board_version}-{self.scoring_version}-{self.status}"


def advance(services: Services, slug: str) -> Status:
    """Do what is due, and return the competition's status."""
    return read_state(services, slug).status


def read_state(services: Services, slug: str) -> CompetitionState:
    """Do what is due, and return the competition's state."""
    services.competition(slug)  # raises where there is none
    for _ in range(TRIES):
        with services.database.reading() as connection:
            dates, now = competitions.read_dates(connection, slug), services.database.now(connection)
            # The first version of a solution has corrected nothing: boards of most competitions need no second look.
            is_outdated = dates.scoring_version > 1 and results.is_outdated(connection, slug, dates.scoring_version)
        live = services.follow_rules(slug, dates.rules)
        step = due_step(live.rules, dates, now, is_outdated=is_outdated)
        if step is None or dates.scoring_version != live.scoring_version:
            break  # nothing is due, or a process that has read the corrected solution does it
        try:
            if step == "open":
                _open(services, slug)
            elif step == "finalize":
                finalize(services, slug, at_once=is_outdated, by="rescoring" if is_outdated else "rules")
            else:
                _reveal(services, slug)
        except ConflictError:
            # Another process did it, or corrected the solution, between our look and our writing.
            continue
    return CompetitionState(find_status(live.rules, dates, now), dates.board_version, dates.scoring_version)


def advance_all(services: Services) -> None:
    """Do what is due in every competition. One that cannot be finalized does not keep the others."""
    for slug in list(services.competitions):
        try:
            services.follow_correction(slug)
            advance(services, slug)
        except LadderboardError as error:
            # The kind, not the words: they are for the organiser, who gets them from `finalize`.
            log.error("advance competition=%s failed kind=%s", slug, type(error).__name__)


def _open(services: Services, slug: str) -> None:
    with services.database.transaction() as connection:
        row, now = competitions.hold(connection, slug), services.database.now(connection)
        live = services.follow_rules(slug, row.rules)
        if due_step(live.rules, row, now) == "open":
            record(connection, live, "opened", now, body={"by": "rules"}, opened_at=now)


def _reveal(services: Services, slug: str) -> None:
    with services.database.transaction() as connection:
        row, now = competitions.hold(connection, slug), services.database.now(connection)
        live = services.follow_rules(slug, row.rules)
        if due_step(live.rules, row, now) == "reveal":
            record_reveal(connection, live, now, by="rules")
