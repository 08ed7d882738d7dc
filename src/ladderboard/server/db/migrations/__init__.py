"""Bringing a database to the tables this version knows: made where it is empty, upgraded where it is older.

The steps are in `versions/`, one file each, frozen once released: a step never imports `schema`, which moves on.
A new one is written by ``python -m scripts.new_migration "what it does"`` and then read and corrected by a person.
"""

import os
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text

from ladderboard.core.errors import DatabaseError
from ladderboard.server.db.database import Database

HERE = Path(__file__).parent
STEPS = [HERE / "versions"]
VERSION_TABLE = "schema_version"


def upgrade(database: Database, *, to: str = "head") -> None:
    """Bring ``database`` to the newest tables, all or nothing.

    Several processes may do so at once: one does the work, the others wait for it and find it done.

    Raises
    ------
    DatabaseError
        where a newer version of Ladderboard has been there, or tables that are not ours have our names.
    """
    with database.reshaping() as connection:
        upgrade_within(connection, to=to)


def upgrade_within(connection: Connection, *, to: str = "head") -> None:
    """As `upgrade`, as a part of a transaction that is `Database.reshaping`."""
    _refuse_what_is_not_ours(connection)
    command.upgrade(configuration(connection), to)


def read_revision(connection: Connection) -> str | None:
    """The step this database is at; None where it has none of our tables."""
    if VERSION_TABLE not in inspect(connection).get_table_names():
        return None
    revision: str | None = connection.scalar(text(f"SELECT version_num FROM {VERSION_TABLE}"))  # noqa: S608 - a constant
    return revision


def list_revisions() -> list[str]:
    """All steps of this version, the first one first."""
    return sorted(step.revision for step in ScriptDirectory(HERE, version_locations=STEPS).walk_revisions())


def configuration(connection: Connection) -> Config:
    """Alembic's settings for these steps and this connection; there is no alembic.ini."""
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(HERE).replace("%", "%%"))
    config.set_main_option("version_locations", os.pathsep.join(map(str, STEPS)).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


def _refuse_what_is_not_ours(connection: Connection) -> None:
    revision = read_revision(connection)
    if revision is None:
        taken = {"competitions", "submissions", "accounts"} & set(inspect(connection).get_table_names())
        if taken:
            raise DatabaseError(
                f"this database has a table {min(taken)!r} that was not made by Ladderboard; "
                "give it a database of its own"
            )
        return
    if revision not in list_revisions():
        raise DatabaseError(
            f"this database is at revision {revision}, and this version of Ladderboard knows only "
            f"{', '.join(list_revisions())}: a newer version has upgraded it; install that version, or restore a "
            "backup that was made before"
        )
