"""What everybody, or a member, may see of a competition: its rules and where it stands. Nothing of its labels."""

from dataclasses import dataclass

from ladderboard.core.records import Budget
from ladderboard.hosting.lifecycle import Status, status_of
from ladderboard.hosting.live_competition import LiveCompetition
from ladderboard.hosting.people.roles import Person, may, require
from ladderboard.hosting.services import Services
from ladderboard.hosting.submissions.budget import budget_of
from ladderboard.hosting.submissions.quota import Quota, quota_of
from ladderboard.store import competitions, teams
from ladderboard.store.records import TeamRecord


@dataclass(frozen=True, eq=False)
class Shown:
    """A competition as somebody sees it; ``team``, ``quota`` and ``budget`` are the own ones.

    They are None without a team, and ``budget`` where the mechanism has none for each team.
    """

    live: LiveCompetition
    status: Status
    commitment: str
    team: TeamRecord | None = None
    quota: Quota | None = None
    budget: Budget | None = None


def listed(services: Services, person: Person | None) -> list[Shown]:
    """The competitions in a person's list, by title: the public ones, those with an own team; all for an organiser."""
    with services.database.reading() as connection:
        now = services.database.now(connection)
        mine = [] if person is None else teams.list_memberships(connection, person.id)
        own = {row.competition: row.team_id for row in mine}
        seen = [live for live in services.competitions.values() if _is_listed(live, person, own.get(live.slug))]
        rows = competitions.all_of(connection, [live.slug for live in seen])
    shown = [
        Shown(live, status_of(live.rules, rows[live.slug], now), rows[live.slug].commitment)
        for live in seen
        if live.slug in rows
    ]
    return sorted(shown, key=lambda one: (one.live.rules.title.casefold(), one.live.slug))


def found(services: Services, person: Person | None, slug: str) -> Shown:
    """One competition; raises `NotFoundError` where there is none that the person may know of."""
    live = services.competition(slug)
    with services.database.reading() as connection:
        own = None if person is None else teams.find_team_of(connection, slug, person.id)
        require(person, "see_competition", live.rules, own_team=None if own is None else own.id)
        row, now = competitions.get(connection, slug), services.database.now(connection)
        budget = None if own is None else budget_of(connection, live, own, now=now)
    quota = None if own is None else quota_of(live, own, now)
    return Shown(live, status_of(live.rules, row, now), row.commitment, own, quota, budget)


def _is_listed(live: LiveCompetition, person: Person | None, own_team: str | None) -> bool:
    if not may(person, "see_competition", live.rules, own_team=own_team):
        return False
    is_known = own_team is not None or (person is not None and person.is_organiser)
    return live.rules.visibility != "unlisted" or is_known
