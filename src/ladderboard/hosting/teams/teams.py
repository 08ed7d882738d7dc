"""Teams: made, renamed, left and entered again, withdrawn. One person is in one team of a competition.

Every change is one transaction that holds the competition's row and leaves an entry in its ledger.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Connection, Row

from ladderboard.core.errors import ConflictError, DeadlinePassedError, NotFoundError
from ladderboard.core.records import Budget
from ladderboard.core.words import translatable
from ladderboard.hosting.lifecycle import is_closed
from ladderboard.hosting.live_competition import LiveCompetition
from ladderboard.hosting.people.names import name_key, name_of
from ladderboard.hosting.people.roles import Action, Person, require
from ladderboard.hosting.submissions.eligibility import Quota, budget_of, quota_of
from ladderboard.hosting.teams.status_words import STATUSES
from ladderboard.store import attempts, competitions, ledger, teams
from ladderboard.store.database import Database
from ladderboard.store.records import CompetitionRecord, TeamRecord

TeamStatus = Literal["active", "withdrawn", "disqualified", "merged"]
Ruling = Literal["active", "withdrawn", "disqualified"]

LEDGER_WORD: dict[Ruling, str] = {
    "active": "reinstated",
    "withdrawn": "withdrawn",
    "disqualified": "disqualified",
}


@dataclass(frozen=True)
class Member:
    """A person in a team."""

    name: str
    joined_at: datetime


@dataclass(frozen=True)
class Team:
    """A team as its members see it."""

    id: str
    name: str
    status: TeamStatus
    created_at: datetime
    members: tuple[Member, ...]
    quota: Quota
    board_value: float | None
    budget: Budget | None


@dataclass(frozen=True, eq=False)
class Change:
    """An open transaction that holds the competition's row, and the time at which it goes on."""

    connection: Connection
    live: LiveCompetition
    competition: CompetitionRecord
    now: datetime

    @property
    def is_closed(self) -> bool:
        """Whether the competition is over, by its deadline or by the organiser's word."""
        return is_closed(self.live.rules, self.competition, self.now)

    def enter_in_ledger(self, kind: str, team: TeamRecord, **body: Any) -> None:
        """Record the change. Names of people are nobody's business; a team's id and name are public."""
        ledger.append(
            self.connection, self.live.slug, kind=kind, at=self.now, body={"team": team.id, **body}, team_id=team.id
        )
        teams.renew_board(self.connection, self.live.slug)

    def team_named(self, person: Person, name: str, action: Action) -> TeamRecord:
        """The team, for somebody who may do ``action`` with it; else it is not found."""
        return _team_named(self.connection, self.live, person, name, action)

    def team(self, row: TeamRecord) -> Team:
        """A team as it is now, after what was changed."""
        return _described(self, teams.get(self.connection, row.id))


class Teams:
    """The teams of a database's competitions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @contextmanager
    def changing(self, live: LiveCompetition) -> Iterator[Change]:
        """A transaction in which teams of a competition are changed, one change after another."""
        with self._database.transaction() as connection:
            held = attempts.hold(connection, live.slug)
            yield Change(connection, live, held, self._database.now(connection))

    @contextmanager
    def looking(self, live: LiveCompetition) -> Iterator[Change]:
        """The same without changing anything, and without keeping anybody waiting."""
        with self._database.reading() as connection:
            row = competitions.read_competition(connection, live.slug)
            yield Change(connection, live, row, self._database.now(connection))

    def create(self, live: LiveCompetition, person: Person, name: str) -> Team:
        """A new team with ``person`` as its first member; an organiser makes an empty one and invites others to it."""
        spelled = name_of(name, translatable("team's name"))
        with self.changing(live) as change:
            own = teams.membership(change.connection, live.slug, person.id)
            if not person.is_organiser:
                require(person, "join", live.rules, own_team=None if own is None else own.team_id)
            _refuse_after_the_end(change)
            _refuse_second_team(change, own)
            team = teams.add(change.connection, live.slug, name=spelled, name_key=name_key(spelled), now=change.now)
            if team is None:
                raise ConflictError(
                    translatable("there is a team {spelled!r} already; choose another name", spelled=spelled)
                )
            change.enter_in_ledger("team_created", team, name=spelled)
            if not person.is_organiser:
                teams.enter(change.connection, live.slug, account_id=person.id, team_id=team.id, now=change.now)
            return change.team(team)

    def find(self, live: LiveCompetition, person: Person, name: str) -> Team:
        """A team, for its members and for organisers."""
        with self.looking(live) as view:
            return view.team(view.team_named(person, name, "see_team"))

    def own(self, live: LiveCompetition, person: Person) -> Team | None:
        """The team that a person is in."""
        with self.looking(live) as view:
            row = teams.team_of(view.connection, live.slug, person.id)
            return None if row is None else view.team(row)

    def rename(self, live: LiveCompetition, person: Person, name: str, new_name: str) -> Team:
        """Another name for the same team: its id, attempts and place stay."""
        spelled = name_of(new_name, translatable("team's name"))
        with self.changing(live) as change:
            team = change.team_named(person, name, "change_team")
            refuse_inactive(team)
            same = teams.find_named(change.connection, live.slug, name_key(spelled))
            if same is not None and same.id != team.id:
                raise ConflictError(
                    translatable("there is a team {spelled!r} already; choose another name", spelled=spelled)
                )
            if spelled != team.name:
                teams.change(change.connection, team.id, name=spelled, name_key=name_key(spelled))
                change.enter_in_ledger("renamed", team, name=spelled)
            return change.team(team)

    def leave(self, live: LiveCompetition, person: Person) -> None:
        """Leave the own team. It gives no fresh start: one can only come back to the same team."""
        with self.changing(live) as change:
            team = teams.team_of(change.connection, live.slug, person.id)
            if team is None:
                raise NotFoundError(translatable("you are in no team of this competition"))
            require(person, "change_team", live.rules, own_team=team.id, team=team.id)
            teams.leave(change.connection, live.slug, account_id=person.id, now=change.now)
            change.enter_in_ledger("left", team)

    def come_back(self, live: LiveCompetition, person: Person) -> Team:
        """Enter again the team that one left as its last member; others need an invitation from those inside."""
        with self.changing(live) as change:
            own = teams.membership(change.connection, live.slug, person.id)
            if own is None or own.left_at is None:
                raise NotFoundError(translatable("you have left no team of this competition"))
            require(person, "join", live.rules, own_team=own.team_id)
            team = teams.get(change.connection, own.team_id)
            if teams.number_of_members(change.connection, team.id) > 0:
                raise ConflictError(
                    translatable("there are others in {name!r}; ask one of them for an invitation", name=team.name)
                )
            teams.enter(change.connection, live.slug, account_id=person.id, team_id=team.id, now=change.now)
            change.enter_in_ledger("joined", team)
            return change.team(team)

    def rule(self, live: LiveCompetition, person: Person, name: str, *, status: Ruling, reason: str = "") -> Team:
        """Hide a team (withdrawn, disqualified) or show it again, as an organiser. It stays in the ledger."""
        require(person, "organise", live.rules)
        with self.changing(live) as change:
            team = change.team_named(person, name, "organise")
            if team.status == "merged":
                raise ConflictError(
                    translatable("the team {name!r} was merged into another one; rule about that one", name=team.name)
                )
            if team.status != status:
                teams.change(change.connection, team.id, status=status)
                change.enter_in_ledger(LEDGER_WORD[status], team, reason=reason)
            return change.team(team)


def refuse_inactive(team: TeamRecord) -> None:
    """Raise where a team is withdrawn, disqualified or merged."""
    if team.status != "active":
        raise ConflictError(
            translatable("the team {name!r} is {status}", name=team.name, status=STATUSES[team.status]),
            status=team.status,
        )


def _refuse_after_the_end(change: Change) -> None:
    if change.is_closed and not change.live.rules.late_submissions:
        raise DeadlinePassedError(translatable("this competition is over; no teams are made any more"))


def _refuse_second_team(change: Change, own: Row[Any] | None) -> None:
    if own is None:
        return
    team = teams.get(change.connection, own.team_id)
    if own.left_at is None:
        raise ConflictError(
            translatable("you are in the team {name!r}; one person is in one team of a competition", name=team.name)
        )
    raise ConflictError(
        translatable(
            "you left the team {name!r}; leaving gives no fresh start, but you can return to it", name=team.name
        )
    )


def _team_named(connection: Connection, live: LiveCompetition, person: Person, name: str, action: Action) -> TeamRecord:
    own = teams.team_of(connection, live.slug, person.id)
    team = teams.find_named(connection, live.slug, name_key(name))
    require(
        person,
        action,
        live.rules,
        own_team=None if own is None else own.id,
        team=None if team is None else team.id,
    )
    if team is None:
        raise NotFoundError(translatable("there is no such team"))
    return team


def _described(change: Change, row: TeamRecord) -> Team:
    connection, live, now = change.connection, change.live, change.now
    inside = teams.members_of(connection, row.id)
    return Team(
        id=row.id,
        name=row.name,
        status=row.status,
        created_at=row.created_at,
        members=tuple(Member(one.name, one.joined_at) for one in inside),
        quota=quota_of(live, row, now),
        board_value=row.board_value,
        budget=budget_of(connection, live, row, now=now),
    )
