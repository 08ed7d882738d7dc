"""What everybody, or a member, may see of a competition: its rules and where it stands. Nothing of its labels."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row

from ladderboard.hosting.budget import budget_of
from ladderboard.hosting.host import Host
from ladderboard.hosting.hosted import Hosted
from ladderboard.hosting.lifecycle import Status, status_of
from ladderboard.hosting.quota import Quota, quota_of
from ladderboard.hosting.roles import Person, may, require
from ladderboard.records import Budget
from ladderboard.store import competitions, teams


@dataclass(frozen=True, eq=False)
class Shown:
    """A competition as somebody sees it; ``team``, ``quota`` and ``budget`` are the own ones.

    They are None without a team, and ``budget`` where the mechanism has none for each team.
    """

    hosted: Hosted
    status: Status
    commitment: str
    team: Row[Any] | None = None
    quota: Quota | None = None
    budget: Budget | None = None


def listed(host: Host, person: Person | None) -> list[Shown]:
    """The competitions in a person's list, by title: the public ones, those with an own team; all for an organiser."""
    with host.database.reading() as connection:
        now = host.database.now(connection)
        mine = [] if person is None else teams.memberships(connection, person.id)
        own = {row.competition: row.team_id for row in mine}
        seen = [hosted for hosted in host.competitions.values() if _is_listed(hosted, person, own.get(hosted.slug))]
        rows = competitions.all_of(connection, [hosted.slug for hosted in seen])
    shown = [
        Shown(hosted, status_of(hosted.rules, rows[hosted.slug], now), rows[hosted.slug].commitment)
        for hosted in seen
        if hosted.slug in rows
    ]
    return sorted(shown, key=lambda one: (one.hosted.rules.title.casefold(), one.hosted.slug))


def found(host: Host, person: Person | None, slug: str) -> Shown:
    """One competition; raises `NotFoundError` where there is none that the person may know of."""
    hosted = host.hosted(slug)
    with host.database.reading() as connection:
        own = None if person is None else teams.team_of(connection, slug, person.id)
        require(person, "see_competition", hosted.rules, own_team=None if own is None else own.id)
        row, now = competitions.get(connection, slug), host.database.now(connection)
        budget = None if own is None else budget_of(connection, hosted, own, now=now)
    quota = None if own is None else quota_of(hosted, own, now)
    return Shown(hosted, status_of(hosted.rules, row, now), row.commitment, own, quota, budget)


def _is_listed(hosted: Hosted, person: Person | None, own_team: str | None) -> bool:
    if not may(person, "see_competition", hosted.rules, own_team=own_team):
        return False
    is_known = own_team is not None or (person is not None and person.is_organiser)
    return hosted.rules.visibility != "unlisted" or is_known
