"""A later step on tables that are full: nothing is lost, and where it fails everything is as it was."""

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, inspect, text
from sqlalchemy.exc import IntegrityError

from ladderboard.core.errors import DatabaseError
from ladderboard.server.db import migrations
from ladderboard.server.db.database import Database
from ladderboard.server.db.migrations import list_revisions, read_revision, upgrade
from ladderboard.server.db.schema import members
from tests.contracts.store_cases import everything
from tests.hosting.competitions import NOON
from tests.store.history import with_history

STEP = """
import sqlalchemy as sa
from alembic import op

revision, down_revision, branch_labels, depends_on = "9001", {before!r}, None, None

def upgrade():
    op.create_table("visits", sa.Column("team_id", sa.Text(), sa.ForeignKey("teams.id"), primary_key=True))
    op.execute("INSERT INTO visits SELECT id FROM teams")
    # A table that others refer to is built anew.
    with op.batch_alter_table("teams", recreate={recreate!r}) as teams:
        teams.add_column(sa.Column("colour", sa.Text(), nullable=False, server_default="red"))
        teams.create_check_constraint("colour", "colour <> ''")
    {last}
"""


@pytest.fixture
def next_step(database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes Ladderboard a version newer, with a step that changes a table in the middle of everything."""

    def add(last: str = "pass") -> None:
        folder = tmp_path / "later"
        folder.mkdir(exist_ok=True)
        recreate = "always" if database.is_sqlite else "never"
        step = STEP.format(before=list_revisions()[-1], recreate=recreate, last=last)
        (folder / "9001_colours.py").write_text(step)
        monkeypatch.setattr(migrations, "STEPS", [*migrations.STEPS, folder])

    return add


def test_a_step_changes_full_tables_and_loses_nothing(database: Database, tmp_path: Path, next_step: Any) -> None:
    served = with_history(database, tmp_path / "data")
    before = everything(database)
    next_step()
    upgrade(database)
    assert everything(database) == before
    with database.reading() as connection:
        assert read_revision(connection) == "9001"
        assert set(connection.scalars(text("SELECT colour FROM teams"))) == {"red"}
        assert sorted(connection.scalars(text("SELECT team_id FROM visits"))) == ["a", "b"]
        assert "ix_teams_board" in {index["name"] for index in inspect(connection).get_indexes("teams")}
    served.check(acknowledged=[served.send("b", 30).content])


def test_references_are_followed_again_afterwards(database: Database, tmp_path: Path, next_step: Any) -> None:
    with_history(database, tmp_path / "data")
    next_step()
    upgrade(database)
    row = {"competition": "pets", "account_id": "nobody", "team_id": "no team", "joined_at": NOON}
    with database.transaction() as connection, pytest.raises(IntegrityError):
        connection.execute(insert(members).values(row))


def test_a_step_that_fails_leaves_full_tables_as_they_were(database: Database, tmp_path: Path, next_step: Any) -> None:
    served = with_history(database, tmp_path / "data")
    before, revision = everything(database), list_revisions()[-1]
    next_step("raise OSError('the disk is full')")
    with pytest.raises(OSError, match="full"):
        upgrade(database)
    assert everything(database) == before
    with database.reading() as connection:
        assert read_revision(connection) == revision
        assert "visits" not in inspect(connection).get_table_names()
        assert "colour" not in {column["name"] for column in inspect(connection).get_columns("teams")}
    served.check(acknowledged=[served.send("b", 30).content])


def test_a_step_that_breaks_references_is_undone(database: Database, tmp_path: Path, next_step: Any) -> None:
    with_history(database, tmp_path / "data")
    before = everything(database)
    next_step("op.execute(\"DELETE FROM teams WHERE id = 'b'\")")
    with pytest.raises(DatabaseError) as error:
        upgrade(database)
    assert "teams" in f"{error.value} {error.value.__cause__}"
    assert everything(database) == before


def test_the_version_before_refuses_what_the_next_one_has_upgraded(
    database: Database, tmp_path: Path, next_step: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_history(database, tmp_path / "data")
    next_step()
    upgrade(database)
    monkeypatch.undo()
    with pytest.raises(DatabaseError, match=r"at revision 9001.*a newer version has upgraded it"):
        upgrade(database)
