"""A competition with people and teams, for tests on either database."""

from pathlib import Path
from typing import Any

from sqlalchemy import select

from ladderboard.competition import Competition
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.competitions.opening import enter
from ladderboard.server.db.database import Database
from ladderboard.server.db.schema import competitions, ledger
from ladderboard.server.people.roles import Person
from ladderboard.server.services import files_for
from ladderboard.server.settings import Settings
from ladderboard.server.submissions.incoming import Answer, IncomingSubmission
from ladderboard.server.submissions.referee import Referee
from ladderboard.server.teams.invitations import Invitations
from ladderboard.server.teams.merging import merge
from ladderboard.server.teams.teams import Team, Teams
from tests.hosting.competitions import SECRET, a_file, predictions
from tests.hosting.people_fixtures import Clock, a_person


class Club:
    """A competition and its teams."""

    def __init__(self, database: Database, clock: Clock, folder: Path, competition: Competition) -> None:
        self.database, self.clock, self.competition = database, clock, competition
        self.live: LiveCompetition = enter(
            database, files_for(Settings(data=folder), database), competition, secret=SECRET
        )
        self.teams = Teams(database)
        self.invitations = Invitations(self.teams)
        self.referee = Referee(database)

    def person(self, name: str, role: Any = "participant") -> Person:
        return a_person(self.database, name, role)

    def found(self, *names: str, team: str) -> tuple[Team, list[Person]]:
        """A team with these members."""
        people = [self.person(name) for name in names]
        made = self.teams.create(self.live, people[0], team)
        for person in people[1:]:
            made = self.join(people[0], person, team)
        return made, people

    def join(self, inside: Person, comer: Person, team: str) -> Team:
        code, _ = self.invitations.invite(self.live, inside, team)
        return self.invitations.accept(self.live, comer, code)

    def merge(self, kept: Person, other: Person, *, into: str, team: str) -> Team:
        code, _ = self.invitations.invite(self.live, other, team, kind="merge")
        return merge(self.teams, self.live, kept, into, code)

    def send(self, team: Team, share: float, *, seed: int = 0) -> Answer:
        return self.submit(team, predictions(self.competition, share, seed=seed))

    def submit(self, team: Team, values: Any) -> Answer:
        return self.referee.submit(
            self.live, IncomingSubmission(team.id, a_file(self.competition, values), self.clock.moment)
        )

    def board_version(self) -> int:
        with self.database.reading() as connection:
            return int(connection.scalars(select(competitions.c.board_version)).one())

    def entries(self) -> list[Any]:
        with self.database.reading() as connection:
            return list(connection.execute(select(ledger).order_by(ledger.c.seq)))

    def kinds(self) -> list[str]:
        return [row.kind for row in self.entries()][1:]
