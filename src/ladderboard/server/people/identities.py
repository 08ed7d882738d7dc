"""Sessions of browsers, tokens of programs, and codes that people type. Each is shown once and stored as a hash."""

import secrets
from collections.abc import Collection
from datetime import datetime, timedelta

from ladderboard.core.errors import ConflictError, ForbiddenError, NotFoundError, ParameterError, UnavailableError
from ladderboard.core.tokens import hash_secret, make_secret
from ladderboard.server.db.database import Database
from ladderboard.server.db.rows.enrolments import list_roles
from ladderboard.server.people.records import Account, Scope, SessionSummary, TokenBody
from ladderboard.server.people.roles import Person, find_scopes
from ladderboard.server.people.sql import sessions

_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
"""Without characters that look alike: 0 and o, 1, l and i."""
_GROUPS, _GROUP = 4, 5


def make_code() -> str:
    """Make a code of 99 bits that can be read out and typed, such as ``7kq2m-…``."""
    return "-".join("".join(secrets.choice(_ALPHABET) for _ in range(_GROUP)) for _ in range(_GROUPS))


def hash_code(code: str) -> str:
    """Hash a code that a person typed: case, blanks and hyphens do not matter.

    >>> hash_code(" 7KQ2M-abcde ") == hash_code("7kq2mabcde")
    True
    """
    return hash_secret("".join(character for character in code.casefold() if character.isalnum()))


SESSION_LASTS = timedelta(days=30)
LONGEST_DAYS = 3650
USUAL_DAYS = 180
"""How long a new token is good unless its owner says otherwise. Those from before keep the time they have."""
MOST_TOKENS = 100
NOTE_USE_EVERY = timedelta(minutes=1)


# -- sessions ---------------------------------------------------------------------------------------------------------


def begin_session(database: Database, account: Account) -> str:
    """Begin a session; returns its secret, for a cookie."""
    secret = make_secret()
    with database.transaction() as connection:
        now = database.now(connection)
        sessions.begin_session(
            connection, hashed=hash_secret(secret), account_id=account.id, now=now, until=now + SESSION_LASTS
        )
    return secret


def end_session(database: Database, secret: str) -> None:
    """End a session."""
    with database.transaction() as connection:
        sessions.end_session(connection, hash_secret(secret), database.now(connection))


def find_person_by_session(database: Database, secret: str) -> Person | None:
    """The person a session belongs to; None if it has ended."""
    with database.reading() as connection:
        owner = sessions.find_session_owner(connection, hash_secret(secret), database.now(connection))
    if owner is None:
        return None
    scopes = find_scopes(owner.role, owner.roles)
    return Person(owner.account_id, owner.name, owner.role, scopes, owner.roles)


def list_sessions(database: Database, person: Person, *, current: str | None) -> list[SessionSummary]:
    """List a person's active sessions, newest first. ``current``: the hash of the one that asks."""
    with database.reading() as connection:
        return sessions.list_sessions(connection, person.id, database.now(connection), current=current)


def end_sessions(database: Database, person: Person, *, but: str | None = None) -> None:
    """End all of a person's sessions, except the one with the hash ``but``."""
    with database.transaction() as connection:
        sessions.end_sessions(connection, person.id, database.now(connection), but=but)


# -- tokens -----------------------------------------------------------------------------------------------------------


def make_token(
    database: Database,
    account: Account,
    *,
    label: str = "",
    scopes: Collection[Scope] | None = None,
    days: int | None = USUAL_DAYS,
) -> tuple[str, TokenBody]:
    """Make a token; returns its secret, to be shown once, and the token itself.

    ``scopes`` None: read, and submit if the account's role allows it; organise must be asked for. ``days`` None: it
    is good until it is revoked.
    Raises `ForbiddenError` for a scope that the account's role does not allow, `ConflictError` for too many tokens.
    """
    secret = make_secret()
    with database.transaction() as connection:
        now = database.now(connection)
        allowed = find_scopes(account.role, list_roles(connection, account.id))
        if scopes is None:
            scopes = allowed - {"organise"}
        _refuse_scopes(account, scopes, allowed)
        if sessions.count_tokens(connection, account.id) >= MOST_TOKENS:
            raise ConflictError(f"this account has {MOST_TOKENS} tokens; revoke those you do not need")
        token = sessions.add_token(
            connection,
            account_id=account.id,
            name=label,
            hashed=hash_secret(secret),
            scopes=" ".join(sorted(scopes)),
            now=now,
            until=None if days is None else now + timedelta(days=days),
        )
    return secret, token


def find_person_by_token(database: Database, secret: str) -> Person | None:
    """The person a token belongs to; None if it is unknown, expired or revoked."""
    with database.reading() as connection:
        now = database.now(connection)
        owner = sessions.find_token_owner(connection, hash_secret(secret), now)
    if owner is None:
        return None
    if _is_to_note(owner.last_used_at, now):
        _note_use(database, owner.token_id, now)
    # A role may have changed since the token was made: a token never allows more than its owner may do.
    scopes = find_scopes(owner.role, owner.roles) & frozenset(owner.scopes.split())
    return Person(owner.account_id, owner.name, owner.role, scopes, owner.roles)


def list_tokens(database: Database, person: Person, *, limit: int, offset: int = 0) -> tuple[list[TokenBody], int]:
    """List a page of a person's tokens, newest first, and count all of them."""
    with database.reading() as connection:
        found = sessions.list_tokens(connection, person.id, limit=limit, offset=offset)
        return found, sessions.count_tokens(connection, person.id)


def renew_token(database: Database, person: Person, token_id: str, *, days: int = USUAL_DAYS) -> None:
    """Let a token that is not revoked be good for so many days from now."""
    with database.transaction() as connection:
        until = database.now(connection) + timedelta(days=days)
        if not sessions.renew_token(connection, person.id, token_id, until):
            raise NotFoundError("you have no such token")


def revoke_token(database: Database, person: Person, token_id: str) -> None:
    """Revoke one of a person's own tokens; raises `NotFoundError`."""
    with database.transaction() as connection:
        if not sessions.revoke_token(connection, person.id, token_id, database.now(connection)):
            raise NotFoundError("you have no such token")


def _note_use(database: Database, token_id: str, now: datetime) -> None:
    try:
        with database.transaction() as connection:
            sessions.note_use(connection, token_id, now)
    except UnavailableError:
        # Only a note for the owner: a database in trouble refuses the request itself where that matters.
        return


def _is_to_note(used_at: datetime | None, now: datetime) -> bool:
    return used_at is None or now - used_at > NOTE_USE_EVERY


def _refuse_scopes(account: Account, scopes: Collection[Scope], allowed: Collection[Scope]) -> None:
    if not scopes:
        raise ParameterError("a token needs at least one scope: read, submit or organise")
    refused = sorted(set(scopes) - set(allowed))
    if refused:
        raise ForbiddenError(
            f"the role {account.role!r} cannot have the scope {refused[0]!r}",
            scope=refused[0],
        )
