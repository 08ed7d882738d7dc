"""The rows by which a person is known again: sessions of browsers, tokens of programs, one-time codes.

All are kept as hashes; what they are hashes of is shown once and known to its owner alone.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, func, insert, or_, select, update

from ladderboard.store.columns import new_id
from ladderboard.store.schema import accounts, reset_codes, sessions, tokens

Found = Row[*tuple[Any, ...]]

_PERSON = (accounts.c.id.label("account_id"), accounts.c.name, accounts.c.role)
_IS_ENABLED = accounts.c.disabled_at.is_(None)
_OF_SESSION = (
    select(*_PERSON)
    .join_from(sessions, accounts)
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
    """A new session of a browser; the account's sessions that are over are swept out."""
    is_over = sessions.c.ended_at.is_not(None) | (sessions.c.expires_at <= now)
    connection.execute(delete(sessions).where((sessions.c.account_id == account_id) & is_over))
    connection.execute(insert(sessions).values(hash=hashed, account_id=account_id, created_at=now, expires_at=until))


def person_of_session(connection: Connection, hashed: str, now: datetime) -> Found | None:
    """The account (account_id, name, role) that a living session belongs to."""
    return connection.execute(_OF_SESSION, {"hashed": hashed, "now": now}).one_or_none()


def sessions_of(connection: Connection, account_id: str, now: datetime) -> list[Row[Any]]:
    """An account's living sessions, newest first."""
    lives = (sessions.c.account_id == account_id) & sessions.c.ended_at.is_(None) & (sessions.c.expires_at > now)
    return list(connection.execute(select(sessions).where(lives).order_by(sessions.c.created_at.desc())))


def end_session(connection: Connection, hashed: str, now: datetime) -> None:
    """End one session; nothing happens where it has ended."""
    connection.execute(
        update(sessions).where((sessions.c.hash == hashed) & sessions.c.ended_at.is_(None)).values(ended_at=now)
    )


def end_sessions(connection: Connection, account_id: str, now: datetime, *, but: str | None = None) -> None:
    """End all sessions of an account; ``but``: the hash of the one that stays."""
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
) -> Row[Any]:
    """A new token; returns its row."""
    made = new_id(now)
    connection.execute(
        insert(tokens).values(
            id=made, account_id=account_id, name=name, hash=hashed, scopes=scopes, created_at=now, expires_at=until
        )
    )
    return connection.execute(select(tokens).where(tokens.c.id == made)).one()


def person_of_token(connection: Connection, hashed: str, now: datetime) -> Found | None:
    """The account (account_id, name, role) of a living token, with its token_id, scopes and last_used_at."""
    return connection.execute(_OF_TOKEN, {"hashed": hashed, "now": now}).one_or_none()


def note_use(connection: Connection, token_id: str, now: datetime) -> None:
    """Remember when a token was last used."""
    connection.execute(update(tokens).where(tokens.c.id == token_id).values(last_used_at=now))


def tokens_of(connection: Connection, account_id: str, *, limit: int, offset: int) -> list[Row[Any]]:
    """An account's tokens that are not revoked, newest first."""
    mine = select(tokens).where(_living(account_id)).order_by(tokens.c.id.desc())
    return list(connection.execute(mine.limit(limit).offset(offset)))


def number_of_tokens(connection: Connection, account_id: str) -> int:
    """How many tokens of an account are not revoked."""
    return int(connection.scalar(select(func.count()).select_from(tokens).where(_living(account_id))) or 0)


def revoke_token(connection: Connection, account_id: str, token_id: str, now: datetime) -> bool:
    """Revoke one of the account's tokens; False where it has no such token."""
    mine = _living(account_id) & (tokens.c.id == token_id)
    return connection.execute(update(tokens).where(mine).values(revoked_at=now)).rowcount == 1


def revoke_tokens(connection: Connection, account_id: str, now: datetime) -> None:
    """Revoke all tokens of an account."""
    connection.execute(update(tokens).where(_living(account_id)).values(revoked_at=now))


def _living(account_id: str) -> Any:
    return (tokens.c.account_id == account_id) & tokens.c.revoked_at.is_(None)


# -- one-time codes ---------------------------------------------------------------------------------------------------


def add_reset_code(connection: Connection, *, hashed: str, account_id: str, now: datetime, until: datetime) -> None:
    """A code with which a password can be set once; it replaces the account's earlier ones."""
    earlier = (reset_codes.c.account_id == account_id) & reset_codes.c.used_at.is_(None)
    connection.execute(update(reset_codes).where(earlier).values(used_at=now))
    connection.execute(insert(reset_codes).values(hash=hashed, account_id=account_id, created_at=now, expires_at=until))


def use_reset_code(connection: Connection, hashed: str, now: datetime) -> str | None:
    """Spend a code; returns its account, or None where the code is unknown, used or expired."""
    good = (reset_codes.c.hash == hashed) & reset_codes.c.used_at.is_(None) & (reset_codes.c.expires_at > now)
    if connection.execute(update(reset_codes).where(good).values(used_at=now)).rowcount != 1:
        return None
    return connection.scalar(select(reset_codes.c.account_id).where(reset_codes.c.hash == hashed))
