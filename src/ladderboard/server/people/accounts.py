"""Accounts: signing up (openly, by code or by list), signing in, passwords, and how an organiser manages them.

Rate limits are stored in the database, so they hold across server processes. Wrong passwords are counted for a name
*and* an address together: an attacker slows down only their own address, and nobody can lock another person out. An
address of IPv6 counts as its network. A window lasts a minute or an hour.
"""

import hashlib
import secrets
from datetime import timedelta

from ladderboard.core.errors import (
    ConflictError,
    ForbiddenError,
    NotFoundError,
    SignInRequiredError,
    TooManyRequestsError,
)
from ladderboard.core.networks import find_network
from ladderboard.server.db.database import Connection, Database
from ladderboard.server.db.rows import teams
from ladderboard.server.people.identities import hash_code, make_code
from ladderboard.server.people.names import LONGER, name_key, normalize_name, refuse_look_alike
from ladderboard.server.people.passwords import Passwords
from ladderboard.server.people.records import Account, Role
from ladderboard.server.people.sql import accounts, sessions
from ladderboard.server.settings import Settings
from ladderboard.server.teams.records import Membership

LONGEST_WINDOW = timedelta(hours=1)
SWEEP_ONE_IN = 500
"""Old counters are deleted once in so many counts."""


def count_use(database: Database, *words: str, most: int, window: timedelta, doing: str) -> None:
    """Count one more use of a key made of words, such as ``("sign-in", name, address)``, which is stored hashed.

    Raises `TooManyRequestsError` if there are more than ``most`` in ``window``. It has its own transaction: a request
    that fails later has been counted.
    """
    with database.transaction() as connection:
        now = database.now(connection)
        if secrets.randbelow(SWEEP_ONE_IN) == 0:
            accounts.forget_uses_before(connection, now - LONGEST_WINDOW)
        number, ends = accounts.count_use(connection, _key(words), now=now, window=window)
    if number > most:
        seconds = max(1.0, (ends - now).total_seconds())
        raise TooManyRequestsError(
            f"too many {doing} from here; try again in {seconds:.0f} s",
            retry_after=seconds,
        )


def forget_uses(database: Database, *words: str) -> None:
    """Forget how often a key was used."""
    with database.transaction() as connection:
        accounts.forget_uses(connection, _key(words))


def _key(words: tuple[str, ...]) -> str:
    return hashlib.sha256("\x1f".join(words).encode("utf-8", "surrogatepass")).hexdigest()[:32]


MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
NAMES_PER_ADDRESS = 10
"""An address may try this many times as often as one name: a whole classroom may share an address."""

WRONG = "the name or the password is wrong"


class Accounts:
    """What people do with their own accounts. ``address``: where a request comes from, for rate limits."""

    def __init__(self, database: Database, settings: Settings, *, passwords: Passwords | None = None) -> None:
        self.database, self.settings = database, settings
        self.passwords = passwords or Passwords()

    def sign_up(self, name: str, password: str, *, code: str | None = None, address: str = "") -> Account:
        """Create a participant's account.

        Raises `ParameterError` for a name or password that cannot be used, `ForbiddenError` if sign-up needs a code
        or a place on the list, `ConflictError` if the name is taken, `TooManyRequestsError`.
        """
        self._require_passwords()
        spelled = normalize_name(name)
        most = self.settings.sign_ups_per_hour
        count_use(self.database, "sign-up", find_network(address), most=most, window=HOUR, doing="new accounts")
        hashed = self.passwords.hash(password, name=spelled)
        with self.database.transaction() as connection:
            self.admit(connection, spelled, code)
            return self.insert(connection, spelled, hashed, role="participant")

    def insert(self, connection: Connection, name: str, password_hash: str, *, role: Role) -> Account:
        """Add an account; raises `ConflictError` if the name is taken."""
        now = self.database.now(connection)
        refuse_look_alike(name, accounts.list_names(connection, (len(name) // LONGER, LONGER * len(name))))
        added = accounts.add(
            connection, name=name, name_key=name_key(name), password_hash=password_hash, role=role, now=now
        )
        if added is None:
            raise ConflictError(f"the name {name!r} is taken; choose another one, or sign in")
        return added.without_secrets

    def sign_in(self, name: str, password: str, *, address: str = "") -> Account:
        """Check name and password, and return the account; raises `SignInRequiredError`, `TooManyRequestsError`."""
        self._require_passwords()
        key, address = name_key(name), find_network(address)
        most = self.settings.sign_in_tries_per_minute
        count_use(
            self.database, "address", address, most=most * NAMES_PER_ADDRESS, window=MINUTE, doing="attempts to sign in"
        )
        count_use(self.database, "sign-in", key, address, most=most, window=MINUTE, doing="attempts to sign in")
        with self.database.reading() as connection:
            account = accounts.find_named(connection, key)
        if not self.passwords.is_right(None if account is None else account.password_hash, password) or account is None:
            raise SignInRequiredError(WRONG)
        if account.disabled_at is not None:
            raise ForbiddenError("this account is disabled; ask the organiser")
        forget_uses(self.database, "sign-in", key, address)
        if self.passwords.is_outdated(account.password_hash):
            self._rehash(account.id, password)
        return account.without_secrets

    def change_password(
        self,
        account_id: str,
        *,
        password: str,
        new_password: str,
        address: str = "",
        session: str | None = None,
        revoke_tokens: bool = False,
    ) -> None:
        """Change one's own password; every session ends but the one with the hash ``session``, and tokens if asked."""
        account = self.get(account_id)
        self.sign_in(account.name, password, address=address)
        hashed = self.passwords.hash(new_password, name=account.name)
        with self.database.transaction() as connection:
            accounts.change(connection, account_id, password_hash=hashed)
            now = self.database.now(connection)
            sessions.end_sessions(connection, account_id, now, but=session)
            if revoke_tokens:
                sessions.revoke_tokens(connection, account_id, now)

    def reset_password(self, code: str, password: str, *, revoke_tokens: bool = False, address: str = "") -> Account:
        """Set a password with a one-time code; all sessions end. Raises `ForbiddenError` for an invalid code."""
        self._require_passwords()
        most = self.settings.sign_in_tries_per_minute
        count_use(self.database, "reset", find_network(address), most=most, window=MINUTE, doing="attempts with a code")
        hashed = self.passwords.hash(password)
        with self.database.transaction() as connection:
            now = self.database.now(connection)
            account_id = sessions.use_reset_code(connection, hash_code(code), now)
            account = None if account_id is None else accounts.find(connection, account_id)
            if account is None:
                raise ForbiddenError("this code is wrong, used or expired; ask the organiser for a new one")
            accounts.change(connection, account.id, password_hash=hashed)
            sessions.end_sessions(connection, account.id, now)
            if revoke_tokens:
                sessions.revoke_tokens(connection, account.id, now)
            return account.without_secrets

    def get(self, account_id: str) -> Account:
        """The account of a person who is signed in."""
        with self.database.reading() as connection:
            account = accounts.find(connection, account_id)
        assert account is not None, "a signed-in person has an account"
        return account.without_secrets

    def list_memberships(self, account_id: str) -> list[Membership]:
        """List the teams a person is in, by competition."""
        with self.database.reading() as connection:
            return teams.list_memberships(connection, account_id)

    def has_password(self, account_id: str) -> bool:
        """Whether somebody can sign in to this account with a password."""
        with self.database.reading() as connection:
            return self.has_password_in(connection, account_id)

    def has_password_in(self, connection: Connection, account_id: str) -> bool:
        """The same, within a transaction."""
        account = accounts.find(connection, account_id)
        return self.settings.password_sign_in and account is not None and bool(account.password_hash)

    def hold(self, connection: Connection, account_id: str) -> None:
        """Let other transactions that hold this account wait until the caller's ends."""
        accounts.hold(connection, account_id)

    def has_organiser(self) -> bool:
        """Whether this server has an organiser's account."""
        with self.database.reading() as connection:
            return accounts.has_role(connection, "organiser")

    def admit(self, connection: Connection, name: str, code: str | None) -> None:
        """Spend the code or the place on the list that signing up needs; raises `ForbiddenError` without one."""
        by = self.settings.sign_up
        if by == "code" and not accounts.use_admission(connection, kind="code", key=hash_code(code or "")):
            raise ForbiddenError("a valid sign-up code is needed; ask the organiser for one")
        if by == "list" and not accounts.use_admission(connection, kind="name", key=name_key(name)):
            raise ForbiddenError("this name is not on the organiser's list; ask to be added")

    def _require_passwords(self) -> None:
        if not self.settings.password_sign_in:
            raise ForbiddenError(
                "passwords are switched off here; sign in on the web page, and create a token on your account page for "
                "the command line and programs"
            )

    def _rehash(self, account_id: str, password: str) -> None:
        hashed = self.passwords.hash(password)
        with self.database.transaction() as connection:
            accounts.change(connection, account_id, password_hash=hashed)


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
            account, now = find_account(connection, name), self._database.now(connection)
            sessions.add_reset_code(
                connection, hashed=hash_code(code), account_id=account.id, now=now, until=now + RESET_LASTS
            )
        return code

    def disable(self, name: str) -> Account:
        """Disable an account at once: no sign-in, sessions end, tokens stop working. Submissions stay."""
        with self._database.transaction() as connection:
            account, now = find_account(connection, name), self._database.now(connection)
            accounts.change(connection, account.id, disabled_at=account.disabled_at or now)
            sessions.end_sessions(connection, account.id, now)
            return find_account(connection, name)

    def enable(self, name: str) -> Account:
        """Enable a disabled account; its tokens work again, its sessions have ended."""
        with self._database.transaction() as connection:
            accounts.change(connection, find_account(connection, name).id, disabled_at=None)
            return find_account(connection, name)

    def set_role(self, name: str, role: Role) -> Account:
        """Change an account's role; it takes effect with the next request."""
        with self._database.transaction() as connection:
            accounts.change(connection, find_account(connection, name).id, role=role)
            return find_account(connection, name)

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


def find_account(connection: Connection, name: str) -> Account:
    """The account of a name that was given; raises `NotFoundError`."""
    account = accounts.find_named(connection, name_key(name))
    if account is None:
        raise NotFoundError(f"there is no account {name!r}; `ladderboard users list` shows all")
    return account.without_secrets
