"""How somebody is known from one request to the next: sessions of browsers, tokens of programs."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row

from ladderboard.core.errors import ConflictError, ForbiddenError, NotFoundError, ParameterError, UnavailableError
from ladderboard.core.words import translatable
from ladderboard.hosting.people.accounts import Account
from ladderboard.hosting.people.codes import hash_of, new_token
from ladderboard.hosting.people.roles import SCOPES_OF, Person, Scope
from ladderboard.store import sessions
from ladderboard.store.database import Database

SESSION_LASTS = timedelta(days=30)
LONGEST_DAYS = 3650
MOST_TOKENS = 100
NOTE_USE_EVERY = timedelta(minutes=1)


@dataclass(frozen=True)
class Token:
    """What is known of a token beside the secret itself."""

    id: str
    label: str
    scopes: tuple[Scope, ...]
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None

    @classmethod
    def of(cls, row: Row[Any]) -> "Token":
        return cls(row.id, row.name, tuple(row.scopes.split()), row.created_at, row.expires_at, row.last_used_at)


class Identities:
    """Sessions and tokens."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # -- sessions -----------------------------------------------------------------------------------------------------

    def begin_session(self, account: Account) -> str:
        """The secret of a new session, for a cookie."""
        secret = new_token()
        with self._database.transaction() as connection:
            now = self._database.now(connection)
            sessions.begin_session(
                connection, hashed=hash_of(secret), account_id=account.id, now=now, until=now + SESSION_LASTS
            )
        return secret

    def end_session(self, secret: str) -> None:
        with self._database.transaction() as connection:
            sessions.end_session(connection, hash_of(secret), self._database.now(connection))

    def person_of_session(self, secret: str) -> Person | None:
        """Who a session belongs to; None where it has ended."""
        with self._database.reading() as connection:
            row = sessions.person_of_session(connection, hash_of(secret), self._database.now(connection))
        return None if row is None else Person(row.account_id, row.name, row.role, SCOPES_OF[row.role])

    # -- tokens -------------------------------------------------------------------------------------------------------

    def make_token(
        self,
        account: Account,
        *,
        label: str = "",
        scopes: Collection[Scope] | None = None,
        days: int | None = None,
    ) -> tuple[str, Token]:
        """A new token: the secret, to be shown once, and what is known of it.

        ``scopes`` None: to read, and to submit where the account's role allows it; to organise must be asked for.
        Raises `ForbiddenError` for a scope that the account's role does not allow, `ConflictError` at too many tokens.
        """
        if scopes is None:
            scopes = SCOPES_OF[account.role] - {"organise"}
        _refuse_scopes(account, scopes)
        secret = new_token()
        with self._database.transaction() as connection:
            now = self._database.now(connection)
            if sessions.number_of_tokens(connection, account.id) >= MOST_TOKENS:
                raise ConflictError(
                    translatable(
                        "this account has {most} tokens; revoke those that are not needed",
                        most=MOST_TOKENS,
                    )
                )
            row = sessions.add_token(
                connection,
                account_id=account.id,
                name=label,
                hashed=hash_of(secret),
                scopes=" ".join(sorted(scopes)),
                now=now,
                until=None if days is None else now + timedelta(days=days),
            )
        return secret, Token.of(row)

    def person_of_token(self, secret: str) -> Person | None:
        """Who a token belongs to; None where it is unknown, expired or revoked."""
        with self._database.reading() as connection:
            now = self._database.now(connection)
            row = sessions.person_of_token(connection, hash_of(secret), now)
        if row is None:
            return None
        if _is_to_note(row._mapping, now):
            self._note_use(row.token_id, now)
        return _owner(row._mapping)

    def tokens_of(self, person: Person, *, limit: int, offset: int = 0) -> tuple[list[Token], int]:
        """A part of a person's tokens, newest first, and how many there are."""
        with self._database.reading() as connection:
            rows = sessions.tokens_of(connection, person.id, limit=limit, offset=offset)
            return [Token.of(row) for row in rows], sessions.number_of_tokens(connection, person.id)

    def revoke_token(self, person: Person, token_id: str) -> None:
        with self._database.transaction() as connection:
            if not sessions.revoke_token(connection, person.id, token_id, self._database.now(connection)):
                raise NotFoundError(translatable("you have no such token"))

    def _note_use(self, token_id: str, now: datetime) -> None:
        try:
            with self._database.transaction() as connection:
                sessions.note_use(connection, token_id, now)
        except UnavailableError:
            # Only a note for the owner: a busy or full database refuses what matters by itself.
            return


def _owner(row: Mapping[Any, Any]) -> Person:
    role = row["role"]
    # The role may have changed since: a token never does more than its owner can.
    return Person(row["account_id"], row["name"], role, SCOPES_OF[role] & frozenset(row["scopes"].split()))


def _is_to_note(row: Mapping[Any, Any], now: datetime) -> bool:
    used_at = row["last_used_at"]
    return used_at is None or now - used_at > NOTE_USE_EVERY


def _refuse_scopes(account: Account, scopes: Collection[Scope]) -> None:
    if not scopes:
        raise ParameterError(translatable("a token needs at least one scope: read, submit or organise"))
    refused = sorted(set(scopes) - SCOPES_OF[account.role])
    if refused:
        raise ForbiddenError(
            translatable("the role {role!r} cannot have the scope {scope!r}", role=account.role, scope=refused[0]),
            scope=refused[0],
        )
