"""Transactions and clocks, the same on both databases."""

import re
import sqlite3
import threading
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import insert, select, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.pool import QueuePool

from ladderboard.core.errors import (
    DamagedDatabaseError,
    DatabaseError,
    OutcomeUnknownError,
    ParameterError,
    UnavailableError,
)
from ladderboard.server.db.columns import new_id
from ladderboard.server.db.database import Database
from ladderboard.server.db.schema import facts
from ladderboard.server.settings import Settings
from tests.postgres import Cluster


def add(database: Database, name: str) -> None:
    with database.transaction() as connection:
        connection.execute(insert(facts).values(name=name, value=""))


def names(database: Database) -> list[str]:
    with database.reading() as connection:
        return sorted(connection.scalars(select(facts.c.name)))


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:", "mysql://x/y", "board.db", ""])
def test_what_is_no_lasting_database_is_refused_with_what_to_give(url: str) -> None:
    with pytest.raises(ParameterError, match=r"give sqlite:///path/to/file\.db"):
        Database(url)


def test_an_error_leaves_nothing_of_the_transaction(database: Database) -> None:
    def fail() -> None:
        with database.transaction() as connection:
            connection.execute(insert(facts).values(name="a", value=""))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert names(database) == []
    add(database, "b")
    assert names(database) == ["b"]


def test_an_error_does_not_say_the_values_of_its_statement(database: Database) -> None:
    add(database, "twice")

    def add_again() -> None:
        with database.transaction() as connection:
            connection.execute(insert(facts).values(name="twice", value="a secret"))

    with pytest.raises(DatabaseError, match="refused a statement") as error:
        add_again()
    assert isinstance(error.value.__cause__, IntegrityError)
    assert "a secret" not in f"{error.value} {error.value.__cause__}"


def test_a_damaged_page_is_told_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "ladderboard.db"
    with closing(sqlite3.connect(path)) as plain:
        plain.execute("CREATE TABLE facts AS SELECT hex(zeroblob(5000)) AS value")
        plain.commit()
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xff" * 4096 + content[8192:])
    with (
        closing(Database(f"sqlite:///{path}")) as damaged,
        pytest.raises(DamagedDatabaseError, match=r"ladderboard restore BACKUP --data"),
        damaged.reading() as connection,
    ):
        connection.execute(text("SELECT value FROM facts")).all()


@pytest.mark.parametrize("code", ["XX001", "XX002"])
def test_a_damaged_postgresql_database_is_restored_into_a_new_one(database: Database, code: str) -> None:
    if database.is_sqlite:
        pytest.skip("the codes are PostgreSQL's")
    raising = text(f"DO $$ BEGIN RAISE EXCEPTION 'invalid page' USING ERRCODE = '{code}'; END $$")
    with (
        pytest.raises(DamagedDatabaseError, match=r"`ladderboard restore BACKUP --database NEW_DATABASE`"),
        database.reading() as connection,
    ):
        connection.execute(raising)


def test_the_guide_allows_as_many_open_files_as_a_process_may_hold(tmp_path: Path) -> None:
    guide = (Path(__file__).parents[2] / "docs" / "guide" / "reverse-proxy.md").read_text()
    with closing(Database(f"sqlite:///{tmp_path / 'ladderboard.db'}")) as database:
        pool = database.engine.pool
        assert isinstance(pool, QueuePool)
        most = pool.size() + pool._max_overflow
    allowed = int(re.findall(r"`LimitNOFILE=(\d+)`", guide)[0])
    assert f"up to {most} of SQLite's, each two" in guide
    assert allowed - Settings().max_connections - 2 * most >= 800


def test_a_reader_keeps_its_view_while_others_write(database: Database) -> None:
    with database.reading() as connection:
        before = connection.scalars(select(facts.c.name)).all()
        add(database, "written meanwhile")
        assert connection.scalars(select(facts.c.name)).all() == before == []
    assert names(database) == ["written meanwhile"]


def test_a_connection_that_has_read_can_write_afterwards(database: Database) -> None:
    one = Database(str(database.url.render_as_string(hide_password=False)), pool_size=1)
    with one.reading() as connection:
        connection.scalars(select(facts.c.name)).all()
    add(one, "a")
    with one.transaction() as connection:
        if not one.is_sqlite:
            assert connection.scalar(text("SHOW transaction_isolation")) == "read committed"
    one.close()


@pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True)
def test_reading_cannot_write_on_postgresql(database: Database) -> None:
    def write() -> None:
        with database.reading() as connection:
            connection.execute(insert(facts).values(name="a", value=""))

    with pytest.raises(DatabaseError) as error:
        write()
    assert "read-only transaction" in str(error.value.__cause__)


def test_what_goes_alone_goes_one_after_another(database: Database) -> None:
    inside, most = [0], [0]

    def go() -> None:
        for _ in range(5):
            with database.transaction() as connection:
                database.go_alone(connection, "test")
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                connection.execute(select(facts)).all()
                inside[0] -= 1

    threads = [threading.Thread(target=go) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1]


def test_what_is_acknowledged_is_on_disk(database: Database) -> None:
    with database.reading() as connection:
        if database.is_sqlite:
            assert connection.scalar(text("PRAGMA journal_mode")) == "wal"
            assert connection.scalar(text("PRAGMA synchronous")) == 2  # FULL
            assert connection.scalar(text("PRAGMA foreign_keys")) == 1
        else:
            assert connection.scalar(text("SHOW synchronous_commit")) == "on"
            assert connection.scalar(text("SHOW fsync")) == "on"


def test_postgresql_is_durable_also_where_its_default_is_not(postgres: Cluster) -> None:
    database = Database(postgres.address("postgres"))
    name = postgres.create()
    with database.transaction() as connection:
        connection.execute(text(f"ALTER DATABASE {name} SET synchronous_commit = off"))
    database.close()
    careless = Database(postgres.address(name))
    with careless.reading() as connection:
        assert connection.scalar(text("SHOW synchronous_commit")) == "on"
    careless.close()


@pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True)
def test_a_commit_whose_answer_is_lost_is_not_called_a_failure(database: Database) -> None:
    def lose_the_connection() -> None:
        with database.transaction() as connection:
            connection.execute(insert(facts).values(name="a", value=""))
            backend = connection.scalar(text("SELECT pg_backend_pid()"))
            with database.transaction() as other:
                other.execute(text("SELECT pg_terminate_backend(:backend, 120000)"), {"backend": backend})

    with pytest.raises(OutcomeUnknownError, match="send it again: if it was stored, you get the stored answer"):
        lose_the_connection()
    assert names(database) == []
    add(database, "afterwards")


def test_a_writer_waits_for_another_one(database: Database) -> None:
    waiting = threading.Thread(target=add, args=(database, "second"))
    with database.transaction() as connection:
        connection.execute(insert(facts).values(name="first", value=""))
        waiting.start()
    waiting.join()
    assert names(database) == ["first", "second"]


def test_a_new_file_that_another_process_is_writing_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "new.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("CREATE TABLE theirs (name TEXT)")
        other.execute("BEGIN IMMEDIATE")
        waits = []

        def end_the_other(seconds: float) -> None:
            waits.append(seconds)
            other.rollback()

        monkeypatch.setattr(time, "sleep", end_the_other)
        database = Database(f"sqlite:///{path}")
        with database.transaction() as connection:
            assert connection.scalar(text("PRAGMA journal_mode")) == "wal"
        database.close()
    assert len(waits) == 1


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_full_disk_leaves_the_database_usable(database: Database) -> None:
    with database.transaction() as connection:
        pages = connection.scalar(text("PRAGMA page_count"))

    def fill() -> None:
        with database.transaction() as connection:
            connection.execute(text(f"PRAGMA max_page_count = {pages}"))
            connection.execute(insert(facts).values(name="large", value="x" * 1_000_000))

    with pytest.raises(UnavailableError) as error:
        fill()
    assert "full" in str(error.value.__cause__)
    assert names(database) == []
    with database.transaction() as connection:
        connection.execute(text("PRAGMA max_page_count = 1000000"))
    add(database, "small")
    assert names(database) == ["small"]


def test_the_database_has_the_clock(database: Database) -> None:
    before = datetime.now(UTC) - timedelta(seconds=1)
    with database.transaction() as connection:
        first, second = database.now(connection), database.now(connection)
    assert before < first <= second <= database.now() < before + timedelta(minutes=10)


def test_a_clock_can_be_given(tmp_path: Path) -> None:
    moment = datetime(2026, 1, 2, tzinfo=UTC)
    assert Database(f"sqlite:///{tmp_path}/x.db", clock=lambda: moment).now() == moment


def test_ids_sort_by_time() -> None:
    moment = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    ids = [new_id(moment + timedelta(milliseconds=number)) for number in range(200)]
    assert ids == sorted(ids)
    assert len(set(map(len, ids))) == 1
