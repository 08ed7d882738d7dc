"""The steps that make the tables: equal to the schema, done once by many processes, and never on what is not ours."""

import subprocess
import sys
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, inspect, text
from sqlalchemy.engine.interfaces import ReflectedIndex

from ladderboard.core.errors import DatabaseError
from ladderboard.server.db import schema
from ladderboard.server.db.database import Database
from ladderboard.server.db.migrations import VERSION_TABLE, read_revision, upgrade


def reflected(connection: Connection) -> dict[str, dict[str, Any]]:
    """All that the database itself says of its tables, sorted."""
    found = inspect(connection)
    return {
        table: {
            "columns": sorted(
                (one["name"], str(one["type"]), one["nullable"], one["default"]) for one in found.get_columns(table)
            ),
            "primary key": found.get_pk_constraint(table),
            "foreign keys": sorted(map(str, found.get_foreign_keys(table))),
            "unique": sorted(map(str, found.get_unique_constraints(table))),
            "checks": sorted(map(str, found.get_check_constraints(table))),
            "indexes": sorted(_described(one) for one in found.get_indexes(table)),
        }
        for table in found.get_table_names()
        if table != VERSION_TABLE
    }


def _described(index: ReflectedIndex) -> str:
    """With the condition of a partial index as text: the object itself is another one each time."""
    conditions = {name: str(value) for name, value in index.get("dialect_options", {}).items()}
    return str({**index, "dialect_options": conditions})


def test_the_steps_make_the_tables_of_the_schema(database: Database) -> None:
    with database.reading() as connection:
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "version_table": VERSION_TABLE, "target_metadata": schema.metadata}
        )
        assert compare_metadata(context, schema.metadata) == []


def test_the_steps_also_make_the_same_constraints(database: Database, empty_url: str) -> None:
    direct = Database(empty_url)
    with direct.transaction() as connection:
        schema.metadata.create_all(connection)
        wanted = reflected(connection)
    with database.reading() as connection:
        assert reflected(connection) == wanted
    direct.close()


def test_upgrading_again_changes_nothing(database: Database) -> None:
    with database.reading() as connection:
        before = read_revision(connection), reflected(connection)
    upgrade(database)
    with database.reading() as connection:
        assert (read_revision(connection), reflected(connection)) == before


def test_processes_that_start_at_once_make_the_tables_once(empty_url: str) -> None:
    code = (
        "import sys\n"
        "from ladderboard.server.db.database import Database\n"
        "from ladderboard.server.db.migrations import upgrade\n"
        "print('ready', flush=True)\n"
        "sys.stdin.read()\n"
        "upgrade(Database(sys.argv[1]))\n"
    )
    starting = [
        subprocess.Popen(
            [sys.executable, "-c", code, empty_url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    for process in starting:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in starting:
        assert process.stdin is not None
        process.stdin.close()
        process.stdin = None  # all of them begin now; communicate() has nothing to send
    ends = [(*process.communicate(timeout=300), process.returncode) for process in starting]
    assert [code for *_, code in ends] == [0] * 3, ends
    database = Database(empty_url)
    with database.reading() as connection:
        assert set(inspect(connection).get_table_names()) == {*schema.metadata.tables, VERSION_TABLE}
    database.close()


def test_a_newer_database_is_refused_and_left_alone(database: Database) -> None:
    with database.transaction() as connection:
        connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '9999'"))
    with pytest.raises(DatabaseError, match=r"at revision 9999.*a newer version has upgraded it; install that version"):
        upgrade(database)
    with database.reading() as connection:
        assert read_revision(connection) == "9999"


def test_tables_of_another_program_are_not_touched(empty_url: str) -> None:
    database = Database(empty_url)
    with database.transaction() as connection:
        connection.execute(text("CREATE TABLE accounts (owner TEXT)"))
    with pytest.raises(DatabaseError, match="'accounts' that was not made by Ladderboard; give it a database of its"):
        upgrade(database)
    with database.reading() as connection:
        assert inspect(connection).get_table_names() == ["accounts"]
    database.close()


def test_a_step_that_fails_leaves_nothing(empty_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from alembic.operations import Operations

    made: list[str] = []
    real = Operations.create_table

    def create(self: Operations, name: str, *parts: Any, **options: Any) -> Any:
        made.append(name)
        if len(made) > 5:
            raise OSError("the disk is full")
        return real(self, name, *parts, **options)

    monkeypatch.setattr(Operations, "create_table", create)
    database = Database(empty_url)
    with pytest.raises(OSError, match="full"):
        upgrade(database)
    with database.reading() as connection:
        assert inspect(connection).get_table_names() == []
    monkeypatch.undo()
    upgrade(database)
    with database.reading() as connection:
        assert set(inspect(connection).get_table_names()) >= set(schema.metadata.tables)
    database.close()
