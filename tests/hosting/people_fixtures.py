"""A clock to set, quick passwords, and people with accounts, for tests on either database."""

from datetime import datetime, timedelta

import pytest
from argon2 import PasswordHasher

from ladderboard.server.db.database import Database
from ladderboard.server.people.records import Role
from ladderboard.server.people.roles import SCOPES_OF, Person
from ladderboard.server.people.sql import accounts
from tests.hosting.competitions import NOON

QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
"""For tests only: a real argon2 that takes no time."""


class Clock:
    """The database's clock, set by hand."""

    def __init__(self, database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
        self.moment: datetime = NOON
        monkeypatch.setattr(database, "_clock", lambda: self.moment)

    def advance(self, **by: float) -> None:
        self.moment += timedelta(**by)


def a_person(database: Database, name: str, role: Role = "participant") -> Person:
    """Somebody with an account, who can do what the role allows."""
    with database.transaction() as connection:
        row = accounts.add(connection, name=name, name_key=name, password_hash="none", role=role, now=NOON)
    assert row is not None
    return Person(row.id, name, role, SCOPES_OF[role])
