"""Accounts as an organiser manages them: adding, disabling, roles, reset codes, and who may sign up."""

from datetime import timedelta

from ladderboard.core.errors import NotFoundError
from ladderboard.server.db.database import Connection
from ladderboard.server.people.accounts import Accounts
from ladderboard.server.people.codes import hash_code, make_code
from ladderboard.server.people.names import name_key, normalize_name
from ladderboard.server.people.records import Account, Role
from ladderboard.server.people.sql import accounts, sessions

RESET_LASTS = timedelta(hours=48)


class Registry:
    """What an organiser does with other people's accounts."""

    def __init__(self, people: Accounts) -> None:
        self._people, self._database = people, people.database

    @property
    def base_url(self) -> str:
        """The address that people see; empty if it is not set."""
        return self._people.settings.base_url.rstrip("/")

    def add(self, name: str, password: str, *, role: Role) -> Account:
        """Add an account of any role, without the rules for signing up."""
        spelled = normalize_name(name)
        hashed = self._people.passwords.hash(password, name=spelled)
        with self._database.transaction() as connection:
            return self._people.insert(connection, spelled, hashed, role=role)

    def list_accounts(self, *, limit: int, offset: int = 0) -> tuple[list[Account], int]:
        """List a page of accounts by name, and count all of them."""
        with self._database.reading() as connection:
            found = accounts.list_accounts(connection, limit=limit, offset=offset)
            return found, accounts.count_accounts(connection)

    def make_reset_code(self, name: str) -> str:
        """Make a one-time code with which the person sets a new password within 48 hours; earlier codes are void."""
        code = make_code()
        with self._database.transaction() as connection:
            account, now = self._find(connection, name), self._database.now(connection)
            sessions.add_reset_code(
                connection, hashed=hash_code(code), account_id=account.id, now=now, until=now + RESET_LASTS
            )
        return code

    def disable(self, name: str) -> Account:
        """Disable an account at once: no sign-in, sessions end, tokens stop working. Submissions stay."""
        with self._database.transaction() as connection:
            account, now = self._find(connection, name), self._database.now(connection)
            accounts.change(connection, account.id, disabled_at=account.disabled_at or now)
            sessions.end_sessions(connection, account.id, now)
            return self._find(connection, name)

    def enable(self, name: str) -> Account:
        """Enable a disabled account; its tokens work again, its sessions have ended."""
        with self._database.transaction() as connection:
            accounts.change(connection, self._find(connection, name).id, disabled_at=None)
            return self._find(connection, name)

    def set_role(self, name: str, role: Role) -> Account:
        """Change an account's role; it takes effect with the next request."""
        with self._database.transaction() as connection:
            accounts.change(connection, self._find(connection, name).id, role=role)
            return self._find(connection, name)

    def make_sign_up_code(self, *, uses: int | None = None) -> str:
        """Make a code with which people can sign up, ``uses`` times (None: without limit)."""
        code = make_code()
        with self._database.transaction() as connection:
            now = self._database.now(connection)
            accounts.admit(connection, kind="code", key=hash_code(code), uses=uses, now=now)
        return code

    def allow(self, name: str) -> str:
        """Allow a name to sign up, once; returns the name as it is stored."""
        spelled = normalize_name(name)
        with self._database.transaction() as connection:
            now = self._database.now(connection)
            accounts.admit(connection, kind="name", key=name_key(spelled), uses=1, now=now)
        return spelled

    def _find(self, connection: Connection, name: str) -> Account:
        account = accounts.find_named(connection, name_key(name))
        if account is None:
            raise NotFoundError(f"there is no account {name!r}; `ladderboard users list` shows all")
        return account.without_secrets
