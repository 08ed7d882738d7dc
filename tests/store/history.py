"""A server with some history, to be copied and upgraded."""

from pathlib import Path

from sqlalchemy import insert, update

from ladderboard.server.db.database import Database
from ladderboard.server.db.schema import facts, teams
from tests.contracts.store_cases import Served


def with_history(database: Database, folder: Path) -> Served:
    """A server with two teams, one of which went into a team that was made later."""
    served = Served(database, folder)
    served.add_teams("a", "b")
    served.send_all("a", range(4))
    served.send_all("b", range(2))
    with database.transaction() as connection:
        connection.execute(update(teams).where(teams.c.id == "a").values(merged_into="b"))
        connection.execute(insert(facts).values(name="key", value="ключ ☃ '\"\\"))
    return served
