"""Databases of earlier steps, kept as text, brought to the newest tables of both kinds with everything in them."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import inspect, select, text

from ladderboard.core.ledger import GENESIS, Entry
from ladderboard.server.db import schema
from ladderboard.server.db.backup import restore_backup
from ladderboard.server.db.database import Database
from ladderboard.server.db.migrations import VERSION_TABLE, list_revisions, read_revision, upgrade
from ladderboard.server.services import files_for
from ladderboard.server.settings import Settings
from tests.store.test_migrations import reflected

REVISIONS = sorted(Path(__file__).parent.glob("revisions/*.sql"))


@pytest.fixture(params=REVISIONS, ids=lambda path: path.stem)
def frozen(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A database as that step left it; it is a backup as well."""
    path = tmp_path / "frozen.db"
    connection = sqlite3.connect(path)
    connection.executescript(request.param.read_text())
    connection.close()
    return path


def counts(database: Database) -> dict[str, int]:
    with database.reading() as connection:
        tables = set(inspect(connection).get_table_names()) - {VERSION_TABLE}
        return {name: int(connection.scalar(text(f"SELECT count(*) FROM {name}")) or 0) for name in tables}


def test_every_earlier_step_has_its_frozen_database() -> None:
    assert {path.stem for path in REVISIONS} >= set(list_revisions()[:-1]) | {"0001"}


def test_a_frozen_step_is_never_changed(frozen: Path, tmp_path: Path) -> None:
    kept, fresh = Database(f"sqlite:///{frozen}"), Database(f"sqlite:///{tmp_path}/fresh.db")
    with kept.reading() as connection:
        revision, tables = read_revision(connection), reflected(connection)
    assert revision is not None
    upgrade(fresh, to=revision)
    with fresh.reading() as connection:
        # A step that was never released may still change: python -m scripts.freeze_revision
        assert reflected(connection) == tables
    kept.close()
    fresh.close()


def test_an_earlier_database_is_upgraded_in_place_with_all_its_rows(frozen: Path) -> None:
    database = Database(f"sqlite:///{frozen}")
    before = counts(database)
    assert all(before.values()), "every table has a row"
    upgrade(database)
    after = counts(database)
    assert {name: after[name] for name in before} == before
    check_it_is_ours(database)
    database.close()


def test_a_backup_of_an_earlier_version_is_restored_and_upgraded(frozen: Path, empty_url: str, tmp_path: Path) -> None:
    source, database = Database(f"sqlite:///{frozen}"), Database(empty_url)
    before = counts(source)
    source.close()
    restore_backup(frozen, database, files_for(Settings(data=tmp_path / "data"), database))
    after = counts(database)
    # Each competition's ledger says that it was restored.
    assert {name: after[name] for name in before} == before | {"ledger": before["ledger"] + before["competitions"]}
    check_it_is_ours(database)
    database.close()


def test_the_versions_of_states_keep_their_numbers(empty_url: str, tmp_path: Path) -> None:
    """The column was called `turn` in the first revision."""
    frozen = tmp_path / "frozen.db"
    with closing(sqlite3.connect(frozen)) as source:
        source.executescript((Path(__file__).parent / "revisions/0001.sql").read_text())
        before = source.execute("SELECT competition, key, state, turn FROM instances ORDER BY key").fetchall()
    database = Database(empty_url)
    restore_backup(frozen, database, files_for(Settings(data=tmp_path / "data"), database))
    columns = [schema.instances.c[name] for name in ("competition", "key", "state", "state_version")]
    with database.reading() as connection:
        after = connection.execute(select(*columns).order_by(schema.instances.c.key)).all()
    assert [tuple(row) for row in after] == before
    assert len(before) >= 2
    database.close()


def test_releases_of_the_first_version_keep_their_numbers_and_lose_their_intervals(
    empty_url: str, tmp_path: Path
) -> None:
    """They came from the baseline's standard error and did not cover."""
    frozen = tmp_path / "frozen.db"
    with closing(sqlite3.connect(frozen)) as source:
        source.executescript((Path(__file__).parent / "revisions/0002.sql").read_text())
        before = {name: json.loads(text) for name, text in source.execute("SELECT id, release FROM submissions")}
    database = Database(empty_url)
    restore_backup(frozen, database, files_for(Settings(data=tmp_path / "data"), database))
    with database.reading() as connection:
        rows = connection.execute(select(schema.submissions.c.id, schema.submissions.c.release)).all()
        errors = set(connection.scalars(select(schema.teams.c.standard_error)))
    assert any(release.get("interval") for release in before.values())
    assert {row.id: row.release for row in rows} == {
        name: release | {"interval": None, "standard_error": None} for name, release in before.items()
    }
    assert errors == {None}
    database.close()


def check_it_is_ours(database: Database) -> None:
    """At the newest step, read by today's tables, with sound chains."""
    with database.reading() as connection:
        assert read_revision(connection) == list_revisions()[-1]
        for table in schema.metadata.sorted_tables:
            connection.execute(select(table)).all()
        for competition in connection.execute(select(schema.competitions)):
            head = GENESIS
            mine = select(schema.ledger).where(schema.ledger.c.competition == competition.slug)
            for row in connection.execute(mine.order_by(schema.ledger.c.seq)):
                entry = Entry(row.seq, row.at, row.kind, row.body, row.sealed, row.previous, row.hash)
                assert entry.is_sound(head)
                head = entry.hash
            assert head == competition.ledger_head
