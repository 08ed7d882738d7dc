"""Sessions of browsers, tokens of programs, and one-time codes.

All are stored as hashes; the secret itself is shown once, to its owner alone.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, insert, or_, select, update

from ladderboard.server.db.columns import new_id
from ladderboard.server.db.schema import accounts, enrolments, reset_codes, sessions, tokens
from ladderboard.server.people.records import (
    CompetitionRole,
    Scope,
    SessionOwner,
    SessionSummary,
    TokenBody,
    TokenOwner,
)

SCOPES: tuple[Scope, ...] = ("organise", "read", "submit")
_PERSON = (
    accounts.c.id.label("account_id"),
    accounts.c.name,
    accounts.c.role,
    enrolments.c.competition.label("enrolled_in"),
    enrolments.c.role.label("enrolled_as"),
)
"""A row for each of the person's roles in competitions; one without, where there is none."""
_IS_ENABLED = accounts.c.disabled_at.is_(None)
_OF_SESSION = (
    select(*_PERSON)
    .join_from(sessions, accounts)
    .outerjoin(enrolments, enrolments.c.account_id == accounts.c.id)
    .where(
        sessions.c.hash == bindparam("hashed"),
        sessions.c.ended_at.is_(None),
        sessions.c.expires_at > bindparam("now"),
        _IS_ENABLED,
    )
)
_OF_TOKEN = (
    select(*_PERSON, tokens.c.id.label("token_id"), tokens.c.scopes, tokens.c.last_used_at)
    .join_from(tokens, accounts)
    .outerjoin(enrolments, enrolments.c.account_id == accounts.c.id)
    .where(
        tokens.c.hash == bindparam("hashed"),
        tokens.c.revoked_at.is_(None),
        or_(tokens.c.expires_at.is_(None), tokens.c.expires_at > bindparam("now")),
        _IS_ENABLED,
    )
)
"""Built once: almost every request runs one of them, and building one takes longer than running it."""


# -- sessions ---------------------------------------------------------------------------------------------------------


def begin_session(connection: Connection, *, hashed: str, account_id: str, now: datetime, until: datetime) -> None:
    """Begin a session of a browser; the account's ended sessions are deleted."""
    is_over = sessions.c.ended_at.is_not(None) | (sessions.c.expires_at <= now)
    connection.execute(delete(sessions).where((sessions.c.account_id == account_id) & is_over))
    connection.execute(insert(sessions).values(hash=hashed, account_id=account_id, created_at=now, expires_at=until))


def find_session_owner(connection: Connection, hashed: str, now: datetime) -> SessionOwner | None:
    """Find the account that an active session belongs to."""
    rows = connection.execute(_OF_SESSION, {"hashed": hashed, "now": now}).all()
    return SessionOwner(*rows[0][:3], _collect_roles(rows)) if rows else None


def list_sessions(
    connection: Connection, account_id: str, now: datetime, *, current: str | None
) -> list[SessionSummary]:
    """List an account's active sessions, newest first. ``current``: the hash of the one that asks."""
    is_active = (sessions.c.account_id == account_id) & sessions.c.ended_at.is_(None) & (sessions.c.expires_at > now)
    wanted = select(sessions.c.created_at, sessions.c.hash).where(is_active).order_by(sessions.c.created_at.desc())
    return [SessionSummary(row.created_at, row.hash == current) for row in connection.execute(wanted)]


def end_session(connection: Connection, hashed: str, now: datetime) -> None:
    """End one session, unless it has ended already."""
    connection.execute(
        update(sessions).where((sessions.c.hash == hashed) & sessions.c.ended_at.is_(None)).values(ended_at=now)
    )


def end_sessions(connection: Connection, account_id: str, now: datetime, *, but: str | None = None) -> None:
    """End all sessions of an account, except the one with the hash ``but``."""
    mine = (sessions.c.account_id == account_id) & sessions.c.ended_at.is_(None)
    if but is not None:
        mine &= sessions.c.hash != but
    connection.execute(update(sessions).where(mine).values(ended_at=now))


# -- tokens -----------------------------------------------------------------------------------------------------------


def add_token(
    connection: Connection,
    *,
    account_id: str,
    name: str,
    hashed: str,
    scopes: str,
    now: datetime,
    until: datetime | None,
) -> TokenBody:
    """Add a token."""
    token_id = new_id(now)
    connection.execute(
        insert(tokens).values(
            id=token_id, account_id=account_id, name=name, hash=hashed, scopes=scopes, created_at=now, expires_at=until
        )
    )
    return _token(connection.execute(select(tokens).where(tokens.c.id == token_id)).one())


def find_token_owner(connection: Connection, hashed: str, now: datetime) -> TokenOwner | None:
    """Find the account that an active token belongs to."""
    rows = connection.execute(_OF_TOKEN, {"hashed": hashed, "now": now}).all()
    if not rows:
        return None
    one = rows[0]
    return TokenOwner(*one[:3], _collect_roles(rows), one.token_id, one.scopes, one.last_used_at)


def _collect_roles(rows: Sequence[Any]) -> dict[str, CompetitionRole]:
    return {row.enrolled_in: row.enrolled_as for row in rows if row.enrolled_in is not None}


def note_use(connection: Connection, token_id: str, now: datetime) -> None:
    """Record when a token was last used."""
    connection.execute(update(tokens).where(tokens.c.id == token_id).values(last_used_at=now))


def list_tokens(connection: Connection, account_id: str, *, limit: int, offset: int) -> list[TokenBody]:
    """List an account's tokens that are not revoked, newest first."""
    mine = select(tokens).where(_is_unrevoked(account_id)).order_by(tokens.c.id.desc())
    return [_token(row) for row in connection.execute(mine.limit(limit).offset(offset))]


def _token(row: Any) -> TokenBody:
    """A token for its owner, with its scopes as a list."""
    scopes = [scope for scope in SCOPES if scope in row.scopes.split()]
    return TokenBody(row.id, row.name, scopes, row.created_at, row.expires_at, row.last_used_at)


def count_tokens(connection: Connection, account_id: str) -> int:
    """Count an account's tokens that are not revoked."""
    return int(connection.scalar(select(func.count()).select_from(tokens).where(_is_unrevoked(account_id))) or 0)


def renew_token(connection: Connection, account_id: str, token_id: str, until: datetime) -> bool:
    """Set when one of the account's tokens expires; False if it has no such token."""
    mine = _is_unrevoked(account_id) & (tokens.c.id == token_id)
    return connection.execute(update(tokens).where(mine).values(expires_at=until)).rowcount == 1


def revoke_token(connection: Connection, account_id: str, token_id: str, now: datetime) -> bool:
    """Revoke one of the account's tokens; False if it has no such token."""
    mine = _is_unrevoked(account_id) & (tokens.c.id == token_id)
    return connection.execute(update(tokens).where(mine).values(revoked_at=now)).rowcount == 1


def revoke_tokens(connection: Connection, account_id: str, now: datetime) -> None:
    """Revoke all tokens of an account."""
    connection.execute(update(tokens).where(_is_unrevoked(account_id)).values(revoked_at=now))


def _is_unrevoked(account_id: str) -> Any:
    return (tokens.c.account_id == account_id) & tokens.c.revoked_at.is_(None)


# -- one-time codes ---------------------------------------------------------------------------------------------------


def add_reset_code(connection: Connection, *, hashed: str, account_id: str, now: datetime, until: datetime) -> None:
    """Add a code that sets a password once; it replaces the account's earlier ones."""
    earlier = (reset_codes.c.account_id == account_id) & reset_codes.c.used_at.is_(None)
    connection.execute(update(reset_codes).where(earlier).values(used_at=now))
    connection.execute(insert(reset_codes).values(hash=hashed, account_id=account_id, created_at=now, expires_at=until))


def use_reset_code(connection: Connection, hashed: str, now: datetime) -> str | None:
    """Spend a code; returns its account, or None if the code is unknown, used or expired."""
    good = (reset_codes.c.hash == hashed) & reset_codes.c.used_at.is_(None) & (reset_codes.c.expires_at > now)
    if connection.execute(update(reset_codes).where(good).values(used_at=now)).rowcount != 1:
        return None
    return connection.scalar(select(reset_codes.c.account_id).where(reset_codes.c.hash == hashed))
