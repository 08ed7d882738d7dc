"""Accounts: signing up (openly, by code or by list), signing in, and passwords that are lost or changed."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row

from ladderboard.core.errors import ConflictError, ForbiddenError, SignInRequiredError
from ladderboard.core.words import translatable
from ladderboard.hosting.people.codes import hash_of_code
from ladderboard.hosting.people.names import name_key, name_of
from ladderboard.hosting.people.passwords import Passwords
from ladderboard.hosting.people.roles import Role
from ladderboard.hosting.people.throttle import Throttle
from ladderboard.hosting.settings import Settings
from ladderboard.store import accounts, sessions
from ladderboard.store.database import Database

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
NAMES_PER_ADDRESS = 10
"""How many times the tries for one name an address has for all names: a class room may sit behind one address."""

WRONG = translatable("the name or the password is wrong")


@dataclass(frozen=True)
class Account:
    """A person as the others of this server know it."""

    id: str
    name: str
    role: Role
    created_at: datetime
    disabled_at: datetime | None = None

    @classmethod
    def of(cls, row: Row[Any]) -> "Account":
        return cls(row.id, row.name, row.role, row.created_at, row.disabled_at)


class Accounts:
    """What people do with their own accounts. ``address`` is where a request comes from, for the limits."""

    def __init__(self, database: Database, settings: Settings, *, passwords: Passwords | None = None) -> None:
        self.database, self.settings = database, settings
        self.passwords = passwords or Passwords()
        self.throttle = Throttle(database)

    def sign_up(self, name: str, password: str, *, code: str | None = None, address: str = "") -> Account:
        """A new participant.

        Raises `ParameterError` for a name or password that cannot be used, `ForbiddenError` where sign-up needs a code
        or a place on the list, `ConflictError` where the name is taken, `TooManyRequestsError`.
        """
        spelled = name_of(name)
        most = self.settings.sign_ups_per_hour
        self.throttle.count("sign-up", address, most=most, window=HOUR, doing=translatable("new accounts"))
        hashed = self.passwords.hash(password, name=spelled)
        with self.database.transaction() as connection:
            self._admit(connection, spelled, code)
            return self.insert(connection, spelled, hashed, role="participant")

    def insert(self, connection: Connection, name: str, password_hash: str, *, role: Role) -> Account:
        """The row of a new account; raises `ConflictError` where the name is taken."""
        now = self.database.now(connection)
        row = accounts.add(
            connection, name=name, name_key=name_key(name), password_hash=password_hash, role=role, now=now
        )
        if row is None:
            raise ConflictError(translatable("the name {name!r} is taken; choose another one, or sign in", name=name))
        return Account.of(row)

    def sign_in(self, name: str, password: str, *, address: str = "") -> Account:
        """The account of that name and password; raises `SignInRequiredError`, `TooManyRequestsError`."""
        key = name_key(name)
        most = self.settings.sign_in_tries_per_minute
        self.throttle.count(
            "address", address, most=most * NAMES_PER_ADDRESS, window=MINUTE, doing=translatable("tries to sign in")
        )
        self.throttle.count("sign-in", key, address, most=most, window=MINUTE, doing=translatable("tries to sign in"))
        with self.database.reading() as connection:
            row = accounts.find_named(connection, key)
        if not self.passwords.is_right(None if row is None else row.password_hash, password) or row is None:
            raise SignInRequiredError(WRONG)
        if row.disabled_at is not None:
            raise ForbiddenError(translatable("this account is disabled; ask the organiser"))
        self.throttle.forget("sign-in", key, address)
        if self.passwords.is_outdated(row.password_hash):
            self._renew(row, password)
        return Account.of(row)

    def change_password(
        self, account_id: str, *, password: str, new_password: str, address: str = "", session: str | None = None
    ) -> None:
        """Replace the own password; all other sessions end. ``session``: the hash of the one that goes on."""
        with self.database.reading() as connection:
            row = accounts.find(connection, account_id)
        assert row is not None, "a signed-in person has an account"
        self.sign_in(row.name, password, address=address)
        hashed = self.passwords.hash(new_password, name=row.name)
        with self.database.transaction() as connection:
            accounts.change(connection, account_id, password_hash=hashed)
            sessions.end_sessions(connection, account_id, self.database.now(connection), but=session)

    def reset_password(self, code: str, password: str, *, revoke_tokens: bool = False, address: str = "") -> Account:
        """Set a password with a one-time code; all sessions end. Raises `ForbiddenError` where the code is no good."""
        most = self.settings.sign_in_tries_per_minute
        self.throttle.count("reset", address, most=most, window=MINUTE, doing=translatable("codes"))
        hashed = self.passwords.hash(password)
        with self.database.transaction() as connection:
            now = self.database.now(connection)
            account_id = sessions.use_reset_code(connection, hash_of_code(code), now)
            row = None if account_id is None else accounts.find(connection, account_id)
            if row is None:
                raise ForbiddenError(
                    translatable("this code is wrong, used or expired; ask the organiser for a new one")
                )
            accounts.change(connection, row.id, password_hash=hashed)
            sessions.end_sessions(connection, row.id, now)
            if revoke_tokens:
                sessions.revoke_tokens(connection, row.id, now)
            return Account.of(row)

    def _admit(self, connection: Connection, name: str, code: str | None) -> None:
        by = self.settings.sign_up
        if by == "code" and not accounts.use_admission(connection, kind="code", key=hash_of_code(code or "")):
            raise ForbiddenError(translatable("a good sign-up code is needed here; ask the organiser for one"))
        if by == "list" and not accounts.use_admission(connection, kind="name", key=name_key(name)):
            raise ForbiddenError(translatable("this name is not on the organiser's list; ask to be put on it"))

    def _renew(self, row: Row[Any], password: str) -> None:
        hashed = self.passwords.hash(password)
        with self.database.transaction() as connection:
            accounts.change(connection, row.id, password_hash=hashed)
