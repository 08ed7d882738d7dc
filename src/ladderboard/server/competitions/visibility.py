"""The visible part of a competition: its rules and its status, and nothing of its labels."""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from ladderboard.core.gains import Gains
from ladderboard.core.records import Budget
from ladderboard.server.boards.board_page import count_teams
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.competitions.records import CompetitionRecord
from ladderboard.server.db.rows import competitions, teams
from ladderboard.server.db.rows.teams import find_team_id
from ladderboard.server.lifecycle import Status, find_status
from ladderboard.server.people.roles import Person, may, require
from ladderboard.server.services import Services
from ladderboard.server.submissions.eligibility import Quota, compute_budget, compute_quota
from ladderboard.server.submissions.outcomes import find_gains
from ladderboard.server.teams.records import TeamRecord


@dataclass(frozen=True, eq=False)
class VisibleCompetition:
    """A competition as one reader sees it; ``team``, ``quota`` and ``budget`` are the reader's own.

    They are None without a team. What only some pages show is computed when it is asked for.
    """

    services: Services

    live: LiveCompetition
    status: Status
    record: CompetitionRecord
    ranked_teams: int
    """How many teams are on the board."""
    now: datetime
    team: TeamRecord | None = None

    @cached_property
    def quota(self) -> Quota | None:
        return None if self.team is None else compute_quota(self.live, self.team, self.now)

    @cached_property
    def budget(self) -> Budget | None:
        """None also where the mechanism has none for each team."""
        if self.team is None:
            return None
        with self.services.database.reading() as connection:
            return compute_budget(connection, self.live, self.team, now=self.now)

    @cached_property
    def gains(self) -> Gains:
        """What the board usually shows and proves at the next attempt of the reader's team, or at a new one's first."""
        with self.services.database.reading() as connection:
            return find_gains(connection, self.live, self.team)

    @property
    def is_first(self) -> bool:
        """Whether ``gains`` are over the baseline, by the test of a first entry."""
        return self.live.mechanism.starts_from_baseline and (self.team is None or self.team.accepts == 0)


def list_competitions(services: Services, person: Person | None) -> list[VisibleCompetition]:
    """List the competitions a person may browse, by title: public ones, those with an own team; all to organisers."""
    with services.database.reading() as connection:
        now = services.database.now(connection)
        mine = [] if person is None else teams.list_memberships(connection, person.id)
        own = {row.competition: row.team_id for row in mine}
        records = competitions.list_competitions(connection, list(services.competitions))
        served = [services.follow_rules(slug, record.rules) for slug, record in records.items()]
        seen = [live for live in served if _is_listed(live, person, own.get(live.slug))]
        visible = [
            VisibleCompetition(
                services,
                live,
                find_status(live.rules, records[live.slug], now),
                records[live.slug],
                count_teams(connection, live),
                now,
            )
            for live in seen
        ]
    return sorted(visible, key=lambda one: (one.live.rules.title.casefold(), one.live.slug))


def find_competition(services: Services, person: Person | None, slug: str) -> VisibleCompetition:
    """Find one competition; raises `NotFoundError` where there is none that the person may know of."""
    services.competition(slug)  # raises where there is none
    with services.database.reading() as connection:
        record, now = competitions.read_competition(connection, slug), services.database.now(connection)
        live = services.follow_rules(slug, record.rules)
        own = None if person is None else teams.find_team_of(connection, slug, person.id)
        require(person, "see_competition", live.rules, own_team=None if own is None else own.id)
        ranked_teams = count_teams(connection, live)
    status = find_status(live.rules, record, now)
    return VisibleCompetition(services, live, status, record, ranked_teams, now, own)


def require_sight(services: Services, slug: str, person: Person | None) -> str | None:
    """Raise `NotFoundError` where the person may not know of the competition; returns the person's own team."""
    services.competition(slug)  # raises where there is none
    with services.database.reading() as connection:
        own_team = None if person is None else find_team_id(connection, slug, person.id)
        live = services.follow_rules(slug, competitions.read_dates(connection, slug).rules)
    require(person, "see_competition", live.rules, own_team=own_team)
    return own_team


def _is_listed(live: LiveCompetition, person: Person | None, own_team: str | None) -> bool:
    if not may(person, "see_competition", live.rules, own_team=own_team):
        return False
    is_known = own_team is not None or (person is not None and person.is_organiser)
    return live.rules.visibility != "unlisted" or is_known
