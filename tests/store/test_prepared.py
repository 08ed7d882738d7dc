"""Prepared statements: the same rows, types and errors as SQLAlchemy's own way, on both databases."""

from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import Text, bindparam, insert, select, union_all, update
from sqlalchemy.exc import IntegrityError, NoResultFound, OperationalError

from ladderboard.store.columns import Instant, Json
from ladderboard.store.database import Database
from ladderboard.store.migrations import upgrade
from ladderboard.store.prepared import Prepared
from ladderboard.store.schema import accounts, files, teams, webhooks

NOW = datetime(2027, 3, 1, 18, 0, 0, 123457, tzinfo=UTC)
EVENTS = ["a", {"é": [1, 0.1, None]}]

ADD = Prepared(insert(webhooks))
BY_URL = Prepared(
    select(webhooks, webhooks.c.url.label("again"))
    .where((webhooks.c.url == bindparam("url")) & (webhooks.c.secret != "nobody's"))
    .order_by(webhooks.c.id)
    .limit(10)
)


@pytest.fixture
def filled(database: Database) -> Database:
    with database.transaction() as connection:
        for number in range(3):
            ADD.run(connection, a_webhook(str(number)))
    return database


def a_webhook(name: str, **other: Any) -> dict[str, Any]:
    values = {"id": name, "url": "u", "secret": "s", "events": EVENTS, "created_at": NOW, "competition": None}
    return values | other


def test_rows_are_those_of_sqlalchemy(filled: Database) -> None:
    with filled.reading() as connection:
        found = BY_URL.rows(connection, {"url": "u"})
        usual = connection.execute(BY_URL.statement, {"url": "u"}).all()
        assert [row._asdict() for row in found] == [row._asdict() for row in usual]
        assert (found[0].again, found[0].events, found[0].created_at) == ("u", EVENTS, NOW)
        assert tuple(BY_URL.one(connection, {"url": "u"})) == tuple(usual[0])
        assert BY_URL.rows(connection, {"url": "another"}) == []
        assert BY_URL.first(connection, {"url": "another"}) is None
        with pytest.raises(NoResultFound):
            BY_URL.one(connection, {"url": "another"})


def test_parts_of_a_union_keep_their_types(filled: Database) -> None:
    one = select(webhooks.c.id, webhooks.c.created_at).where(webhooks.c.id == bindparam("one"))
    other = select(webhooks.c.id, webhooks.c.created_at).where(webhooks.c.id == bindparam("other"))
    both = Prepared(union_all(one, other))
    with filled.reading() as connection:
        assert sorted(both.rows(connection, {"one": "0", "other": "2"})) == [("0", NOW), ("2", NOW)]


def test_several_rows_are_written_at_once(filled: Database) -> None:
    same: dict[str, Any] = {
        "url": bindparam("url", type_=Text),
        "secret": "s",
        "events": bindparam("events", type_=Json),
        "created_at": bindparam("at", type_=Instant),
    }
    both = Prepared(insert(webhooks).values([same | {"id": bindparam(name)} for name in ("first", "second")]))
    with filled.transaction() as connection:
        given = {"url": "w", "events": EVENTS, "at": NOW, "first": "8", "second": "9"}
        assert both.run(connection, given) == 2
    with filled.reading() as connection:
        found = BY_URL.rows(connection, {"url": "w"})
    assert [(row.id, row.events, row.created_at) for row in found] == [("8", EVENTS, NOW), ("9", EVENTS, NOW)]


def test_what_is_given_says_which_columns_are_written(filled: Database) -> None:
    change = Prepared(update(webhooks).where(webhooks.c.id == bindparam("changed")))
    with filled.transaction() as connection:
        assert change.run(connection, {"changed": "1", "url": "v"}) == 1
        assert change.run(connection, {"changed": "1", "events": [], "created_at": NOW.replace(year=2028)}) == 1
        assert change.run(connection, {"changed": "none of them", "url": "v"}) == 0
    with filled.reading() as connection:
        row = BY_URL.one(connection, {"url": "v"})
        assert (row.id, row.events, row.created_at.year) == ("1", [], 2028)
        assert len(BY_URL.rows(connection, {"url": "u"})) == 2


def test_bytes_come_back_as_they_were(filled: Database) -> None:
    content = bytes(range(256))
    row = {"digest": "d", "size": 256, "content": content, "stored_at": NOW}
    with filled.transaction() as connection:
        Prepared(insert(files)).run(connection, row)
    with filled.reading() as connection:
        found = Prepared(select(files).where(files.c.digest == bindparam("digest"))).one(connection, {"digest": "d"})
        assert bytes(found.content) == content


def test_an_error_is_the_usual_one_and_hides_the_values(filled: Database) -> None:
    with pytest.raises(IntegrityError) as caught, filled.transaction() as connection:
        ADD.run(connection, a_webhook("1", secret="hush"))
    assert "hush" not in str(caught.value)
    with filled.reading() as connection:
        assert [row.id for row in BY_URL.rows(connection, {"url": "u"})] == ["0", "1", "2"]


def test_nothing_of_a_transaction_that_fails_is_kept(filled: Database) -> None:
    with pytest.raises(IntegrityError), filled.transaction() as connection:  # noqa: PT012 - only the second fails
        assert ADD.run(connection, a_webhook("3")) == 1
        ADD.run(connection, a_webhook("3"))
    with filled.reading() as connection:
        assert len(BY_URL.rows(connection, {"url": "u"})) == 3


def test_a_reader_that_only_runs_prepared_statements_ends_its_view(filled: Database) -> None:
    """On SQLite a view that nobody ends would be read again by whoever gets the connection next."""
    with filled.reading() as connection:
        assert len(BY_URL.rows(connection, {"url": "u"})) == 3
        with filled.transaction() as writer:
            ADD.run(writer, a_webhook("3"))
        assert len(BY_URL.rows(connection, {"url": "u"})) == 3
    with filled.reading() as connection:
        assert len(BY_URL.rows(connection, {"url": "u"})) == 4


def test_a_locked_database_is_told_as_usual(tmp_path: Any) -> None:
    database = Database(f"sqlite:///{tmp_path}/a.db")
    upgrade(database)
    with database.reading() as connection:
        connection.exec_driver_sql("PRAGMA query_only=ON")
        with pytest.raises(OperationalError):
            ADD.run(connection, a_webhook("1"))
        connection.exec_driver_sql("PRAGMA query_only=OFF")
    database.close()


def test_what_needs_more_than_its_parameters_is_refused_at_once(tmp_path: Any) -> None:
    database = Database(f"sqlite:///{tmp_path}/a.db")
    upgrade(database)
    with database.reading() as connection:
        with pytest.raises(TypeError, match="more than its parameters"):
            Prepared(insert(teams)).run(connection, {"id": "1", "name": "a"})  # whose defaults SQLAlchemy would fill in
        with pytest.raises(TypeError, match="more than its parameters"):
            Prepared(select(accounts).where(accounts.c.id.in_(["1", "2"]))).rows(connection, {})
    database.close()
