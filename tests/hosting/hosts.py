"""A host on a test's database, with a clock that tests set."""

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, select

from ladderboard.competition import Competition
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.competitions.opening import enter
from ladderboard.server.db.database import Database
from ladderboard.server.db.schema import ledger, teams
from ladderboard.server.services import Services, files_for
from ladderboard.server.settings import Settings
from ladderboard.server.submissions.records import Answer, IncomingSubmission
from ladderboard.server.submissions.referee import Referee
from tests.hosting.competitions import NOON, SECRET, a_competition, a_file, predictions


class Stage:
    """One competition being served. ``moment`` is the time, for the database too."""

    def __init__(self, database: Database, folder: Path, competition: Competition) -> None:
        self.moment = NOON
        url = database.url.render_as_string(hide_password=False)
        self.database = Database(url, clock=lambda: self.moment)
        settings = Settings(data=folder, database=url)
        files = files_for(settings, self.database)
        self.services = Services(settings, self.database, files, Referee(self.database))
        self.services.serve([enter(self.database, files, competition, secret=SECRET)])

    @classmethod
    def of(cls, database: Database, folder: Path, **settings: Any) -> "Stage":
        return cls(database, folder, a_competition(**settings))

    @property
    def slug(self) -> str:
        return next(iter(self.services.competitions))

    @property
    def live(self) -> LiveCompetition:
        return self.services.competition(self.slug)

    @property
    def competition(self) -> Competition:
        return self.live.competition

    def pass_time(self, span: timedelta) -> datetime:
        self.moment += span
        return self.moment

    def team(self, name: str, **values: Any) -> str:
        row = {
            "id": f"id-{name}",
            "competition": self.slug,
            "name": name,
            "name_key": name.casefold(),
            "salt": "5a17",
            "created_at": NOON,
        }
        with self.database.transaction() as connection:
            connection.execute(insert(teams).values(row | values))
        return f"id-{name}"

    def send(self, team: str, share: float, *, seed: int = 0, **more: Any) -> Answer:
        """A submission that is right on this share of the rows; the team is made where there is none."""
        return self.send_values(team, predictions(self.competition, share, seed=seed), **more)

    def send_values(self, team: str, values: Any, **more: Any) -> Answer:
        return self.send_file(team, a_file(self.competition, values), **more)

    def send_file(self, team: str, content: bytes, **more: Any) -> Answer:
        team_id = f"id-{team}"
        if not any(row.id == team_id for row in self.rows(teams)):
            self.team(team)
        attempt = IncomingSubmission(team_id, content, self.moment, **more)
        return self.services.referee.submit(self.live, attempt)

    def rows(self, table: Any) -> list[Any]:
        with self.database.reading() as connection:
            return list(connection.execute(select(table)).all())

    def ledger_kinds(self) -> list[str]:
        return [entry.kind for entry in sorted(self.rows(ledger), key=lambda entry: entry.seq)]


Begin = Callable[..., Stage]
"""What the fixture `begin` is: settings of a competition in, a stage out."""

on_sqlite = pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
"""For what does not depend on the database: the statements were tried on both, the rest is arithmetic."""
