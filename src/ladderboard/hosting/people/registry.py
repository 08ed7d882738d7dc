"""The organiser's side of accounts: made by hand, disabled, given a role, helped to a new password; who may sign up."""

from datetime import timedelta

from sqlalchemy import Connection

from ladderboard.core.errors import NotFoundError
from ladderboard.hosting.people.accounts import Account, Accounts
from ladderboard.hosting.people.codes import hash_of_code, new_code
from ladderboard.hosting.people.names import name_key, name_of
from ladderboard.hosting.people.roles import Role
from ladderboard.store import accounts, sessions

RESET_LASTS = timedelta(hours=48)


class Registry:
    """What an organiser does with other people's accounts."""

    def __init__(self, people: Accounts) -> None:
        self._people, self._database = people, people.database

    @property
    def base_url(self) -> str:
        """The address that people see; empty where the server was not told."""
        return self._people.settings.base_url.rstrip("/")

    def add(self, name: str, password: str, *, role: Role) -> Account:
        """An account of any role, whatever is asked of those who sign up by themselves."""
        spelled = name_of(name)
        hashed = self._people.passwords.hash(password, name=spelled)
        with self._database.transaction() as connection:
            return self._people.insert(connection, spelled, hashed, role=role)

    def listed(self, *, limit: int, offset: int = 0) -> tuple[list[Account], int]:
        """A part of all accounts, by name, and how many there are."""
        with self._database.reading() as connection:
            rows = accounts.all_of(connection, limit=limit, offset=offset)
            return [Account.of(row) for row in rows], accounts.number_of(connection)

    def reset_code(self, name: str) -> str:
        """A one-time code with which the person sets a new password, good for 48 hours; earlier ones are void."""
        code = new_code()
        with self._database.transaction() as connection:
            account, now = self._find(connection, name), self._database.now(connection)
            sessions.add_reset_code(
                connection, hashed=hash_of_code(code), account_id=account.id, now=now, until=now + RESET_LASTS
            )
        return code

    def disable(self, name: str) -> Account:
        """Lock somebody out at once: no sign-in, and sessions and tokens stop. What was submitted stays."""
        with self._database.transaction() as connection:
            account, now = self._find(connection, name), self._database.now(connection)
            accounts.change(connection, account.id, disabled_at=account.disabled_at or now)
            sessions.end_sessions(connection, account.id, now)
            return self._find(connection, name)

    def enable(self, name: str) -> Account:
        """Let somebody in again; tokens work again, sessions have ended."""
        with self._database.transaction() as connection:
            accounts.change(connection, self._find(connection, name).id, disabled_at=None)
            return self._find(connection, name)

    def set_role(self, name: str, role: Role) -> Account:
        """Another role; it holds for the next request."""
        with self._database.transaction() as connection:
            accounts.change(connection, self._find(connection, name).id, role=role)
            return self._find(connection, name)

    def sign_up_code(self, *, uses: int | None = None) -> str:
        """A code with which people can sign up, so many times (None: without limit)."""
        code = new_code()
        with self._database.transaction() as connection:
            now = self._database.now(connection)
            accounts.admit(connection, kind="code", key=hash_of_code(code), uses=uses, now=now)
        return code

    def allow(self, name: str) -> str:
        """Put a name on the list of those who may sign up, once; returns it as it is spelled."""
        spelled = name_of(name)
        with self._database.transaction() as connection:
            now = self._database.now(connection)
            accounts.admit(connection, kind="name", key=name_key(spelled), uses=1, now=now)
        return spelled

    def _find(self, connection: Connection, name: str) -> Account:
        row = accounts.find_named(connection, name_key(name))
        if row is None:
            raise NotFoundError(f"there is no account {name!r}; `ladderboard users list` shows all")
        return Account.of(row)
