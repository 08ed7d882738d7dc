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
from ladderboard.server.submissions.records import Answer, IncomingSubmission
from ladderboard.server.submissions.referee import Referee
from ladderboard.server.teams.invitations import accept_invitation, make_invitation
from ladderboard.server.teams.merging import merge
from ladderboard.server.teams.records import TeamBody
from ladderboard.server.teams.teams import create_team
from tests.hosting.competitions import SECRET, a_file, predictions
from tests.hosting.people_fixtures import Clock, a_person


class Club:
    """A competition and its teams."""

    def __init__(self, database: Database, clock: Clock, folder: Path, competition: Competition) -> None:
        self.database, self.clock, self.competition = database, clock, competition
        self.live: LiveCompetition = enter(
            database, files_for(Settings(data=folder), database), competition, secret=SECRET
        )
        self.referee = Referee(database)

    def person(self, name: str, role: Any = "participant") -> Person:
        return a_person(self.database, name, role)

    def found(self, *names: str, team: str) -> tuple[TeamBody, list[Person]]:
        """A team with these members."""
        people = [self.person(name) for name in names]
        made = create_team(self.database, self.live, people[0], team)
        for person in people[1:]:
            made = self.join(people[0], person, team)
        return made, people

    def join(self, inside: Person, comer: Person, team: str) -> TeamBody:
        code, _ = make_invitation(self.database, self.live, inside, team)
        return accept_invitation(self.database, self.live, comer, code)

    def merge(self, kept: Person, other: Person, *, into: str, team: str) -> TeamBody:
        code, _ = make_invitation(self.database, self.live, other, team, kind="merge")
        return merge(self.database, self.live, kept, into, code)

    def send(self, team: TeamBody, share: float, *, seed: int = 0) -> Answer:
        return self.submit(team, predictions(self.competition, share, seed=seed))

    def submit(self, team: TeamBody, values: Any) -> Answer:
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
