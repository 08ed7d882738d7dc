"""Teams: creating, renaming, leaving, returning, withdrawing. A person is in one team of a competition.

Every change is one transaction that holds the competition's row and adds an entry to its ledger.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from ladderboard.core.errors import ConflictError, DeadlinePassedError, NotFoundError
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.competitions.records import CompetitionRecord
from ladderboard.server.db.database import Connection, Database
from ladderboard.server.db.rows import competitions, ledger, teams
from ladderboard.server.lifecycle import is_closed
from ladderboard.server.people.names import LONGER, name_key, normalize_name, refuse_look_alike
from ladderboard.server.people.roles import Action, Person, may, require
from ladderboard.server.submissions.eligibility import STATUS_WORDS, compute_budget, compute_quota
from ladderboard.server.teams.records import BudgetBody, MemberRecord, TeamBody, TeamOverview, TeamRecord
from ladderboard.server.teams.sql import members

Ruling = Literal["active", "withdrawn", "disqualified"]

LEDGER_WORD: dict[Ruling, str] = {
    "active": "reinstated",
    "withdrawn": "withdrawn",
    "disqualified": "disqualified",
}


@dataclass(frozen=True, eq=False)
class TeamTransaction:
    """An open transaction on a competition's teams, with the database's time."""

    connection: Connection
    live: LiveCompetition
    competition: CompetitionRecord
    now: datetime

    @property
    def is_closed(self) -> bool:
        """Whether the competition is closed, by its deadline or by the organiser."""
        return is_closed(self.live.rules, self.competition, self.now)

    def enter_in_ledger(self, kind: str, team: TeamRecord, **body: Any) -> None:
        """Record the change in the ledger. A team's id and name are public; names of people are not."""
        ledger.append(
            self.connection, self.live.slug, kind=kind, at=self.now, body={"team": team.id, **body}, team_id=team.id
        )
        competitions.renew_board(self.connection, self.live.slug)

    def find_team(self, person: Person, name: str, action: Action) -> TeamRecord:
        """Find a team by name for somebody who may do ``action`` with it; raises `NotFoundError` for others."""
        return _find_team(self.connection, self.live, person, name, action)

    def read_team(self, team_id: str) -> TeamBody:
        """Read a team as it is now, after the change."""
        return _describe(self, teams.get(self.connection, team_id))


@contextmanager
def open_for_change(database: Database, live: LiveCompetition) -> Iterator[TeamTransaction]:
    """Open a transaction that changes teams of a competition, one at a time."""
    with database.transaction() as connection:
        held = competitions.hold(connection, live.slug)
        yield TeamTransaction(connection, live, held, database.now(connection))


@contextmanager
def open_for_reading(database: Database, live: LiveCompetition) -> Iterator[TeamTransaction]:
    """Open the competition for reading only, without a lock."""
    with database.reading() as connection:
        competition = competitions.read_competition(connection, live.slug)
        yield TeamTransaction(connection, live, competition, database.now(connection))


def create_team(database: Database, live: LiveCompetition, person: Person, name: str) -> TeamBody:
    """Create a team with ``person`` as its first member; one that an organiser makes starts empty."""
    with open_for_change(database, live) as change:
        own = members.find_membership(change.connection, live.slug, person.id)
        is_on_staff = may(person, "assist", live.rules)
        if not is_on_staff:
            require(person, "join", live.rules, own_team=None if own is None else own.team_id)
        # Not earlier: what is wrong with a name would tell strangers that a private competition is here.
        spelled = normalize_name(name, "team's name")
        _refuse_after_the_end(change)
        _refuse_second_team(change, own)
        _refuse_look_alike(change, spelled)
        team = teams.add(change.connection, live.slug, name=spelled, name_key=name_key(spelled), now=change.now)
        if team is None:
            raise ConflictError(f"there is already a team {spelled!r}; choose another name")
        change.enter_in_ledger("team_created", team, name=spelled)
        if not is_on_staff:
            members.enter(change.connection, live.slug, account_id=person.id, team_id=team.id, now=change.now)
        return change.read_team(team.id)


def find_team(database: Database, live: LiveCompetition, person: Person, name: str) -> TeamBody:
    """Find a team, for its members and for organisers."""
    with open_for_reading(database, live) as view:
        return view.read_team(view.find_team(person, name, "see_team").id)


def find_own_team(database: Database, live: LiveCompetition, person: Person) -> TeamBody | None:
    """Find the team that a person is in."""
    with open_for_reading(database, live) as view:
        team = teams.find_team_of(view.connection, live.slug, person.id)
        require(person, "see_competition", live.rules, own_team=None if team is None else team.id)
        return None if team is None else view.read_team(team.id)


def list_teams(
    database: Database, slug: str, query: str = "", *, offset: int = 0, limit: int
) -> tuple[list[TeamOverview], int]:
    """List teams of every status whose name contains ``query``, the most active first, and count all of them."""
    with database.reading() as connection:
        return members.list_teams(connection, slug, name_key(query) if query else "", offset=offset, limit=limit)


def read_names(database: Database, ids: Collection[str]) -> dict[str, str]:
    """Read the current names of teams, by id."""
    with database.reading() as connection:
        return members.read_names(connection, ids)


def rename_team(database: Database, live: LiveCompetition, person: Person, name: str, new_name: str) -> TeamBody:
    """Rename a team: its id, attempts and place stay."""
    with open_for_change(database, live) as change:
        team = change.find_team(person, name, "change_team")
        spelled = normalize_name(new_name, "team's name")
        refuse_inactive(team)
        same = teams.find_named(change.connection, live.slug, name_key(spelled))
        if same is not None and same.id != team.id:
            raise ConflictError(f"there is already a team {spelled!r}; choose another name")
        if spelled != team.name:
            _refuse_look_alike(change, spelled, but=team.id)
            teams.change(change.connection, team.id, name=spelled, name_key=name_key(spelled))
            change.enter_in_ledger("renamed", team, name=spelled)
        return change.read_team(team.id)


def leave_team(database: Database, live: LiveCompetition, person: Person) -> None:
    """Leave one's own team. It gives no fresh start: a person can only return to the same team."""
    with open_for_change(database, live) as change:
        team = teams.find_team_of(change.connection, live.slug, person.id)
        if team is None:
            require(person, "see_competition", live.rules)
            raise NotFoundError("you have no team in this competition")
        require(person, "change_team", live.rules, own_team=team.id, team=team.id)
        members.leave(change.connection, live.slug, account_id=person.id, now=change.now)
        change.enter_in_ledger("left", team)


def return_to_team(database: Database, live: LiveCompetition, person: Person) -> TeamBody:
    """Return to the team one left as its last member; others need an invitation from a member."""
    with open_for_change(database, live) as change:
        own = members.find_membership(change.connection, live.slug, person.id)
        if own is None or own.left_at is None:
            require(person, "see_competition", live.rules, own_team=None if own is None else own.team_id)
            raise NotFoundError("you have not left a team in this competition")
        require(person, "join", live.rules, own_team=own.team_id)
        team = teams.get(change.connection, own.team_id)
        if members.count_members(change.connection, team.id) > 0:
            raise ConflictError(f"{team.name!r} has other members now; ask one of them for an invitation")
        members.enter(change.connection, live.slug, account_id=person.id, team_id=team.id, now=change.now)
        change.enter_in_ledger("joined", team)
        return change.read_team(team.id)


def rule_on_team(
    database: Database, live: LiveCompetition, person: Person, name: str, *, status: Ruling, reason: str = ""
) -> TeamBody:
    """Withdraw, disqualify or reinstate a team, as an organiser. The ledger keeps the decision."""
    require(person, "assist", live.rules)
    with open_for_change(database, live) as change:
        team = change.find_team(person, name, "assist")
        if team.status == "merged":
            raise ConflictError(f"the team {team.name!r} was merged into another team; decide about that one")
        if team.status != status:
            teams.change(change.connection, team.id, status=status)
            change.enter_in_ledger(LEDGER_WORD[status], team, reason=reason)
        return change.read_team(team.id)


def refuse_inactive(team: TeamRecord) -> None:
    """Raise `ConflictError` if a team is withdrawn, disqualified or merged."""
    if team.status != "active":
        raise ConflictError(
            f"the team {team.name!r} is {STATUS_WORDS[team.status]}",
            status=team.status,
        )


def refuse_member(own: MemberRecord, team: TeamRecord) -> None:
    """Raise `ConflictError` for a person who is in this team now."""
    if own.left_at is None:
        raise ConflictError(f"you are in the team {team.name!r}; a person can be in only one team of a competition")


def _refuse_look_alike(change: TeamTransaction, name: str, *, but: str | None = None) -> None:
    lengths = (len(name) // LONGER, LONGER * len(name))
    refuse_look_alike(name, members.list_names(change.connection, change.live.slug, lengths, but=but))


def _refuse_after_the_end(change: TeamTransaction) -> None:
    if change.is_closed and not change.live.rules.late_submissions:
        raise DeadlinePassedError("this competition is over; no new teams can be created")


def _refuse_second_team(change: TeamTransaction, own: MemberRecord | None) -> None:
    if own is None:
        return
    team = teams.get(change.connection, own.team_id)
    refuse_member(own, team)
    raise ConflictError(f"you left the team {team.name!r}; leaving gives no fresh start, but you can return to it")


def _find_team(connection: Connection, live: LiveCompetition, person: Person, name: str, action: Action) -> TeamRecord:
    own = teams.find_team_of(connection, live.slug, person.id)
    team = teams.find_named(connection, live.slug, name_key(name))
    require(
        person,
        action,
        live.rules,
        own_team=None if own is None else own.id,
        team=None if team is None else team.id,
    )
    if team is None:
        raise NotFoundError("there is no such team")
    return team


def _describe(change: TeamTransaction, team: TeamRecord) -> TeamBody:
    connection, live, now = change.connection, change.live, change.now
    budget = compute_budget(connection, live, team, now=now)
    return TeamBody(
        id=team.id,
        competition=live.slug,
        name=team.name,
        status=team.status,
        created_at=team.created_at,
        members=members.list_members(connection, team.id),
        quota=compute_quota(live, team, now).body,
        board_value=team.board_value,
        budget=None if budget is None else BudgetBody(**budget.to_dict()),
    )
