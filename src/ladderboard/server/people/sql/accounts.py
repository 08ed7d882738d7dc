"""Accounts, who may sign up, and the counters of rate limits."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, delete, func, insert, or_, select, update

from ladderboard.server.db.columns import EPOCH, find_record, insert_or_keep, make_records, new_id
from ladderboard.server.db.schema import accounts, admissions, throttles
from ladderboard.server.people.records import Account, AccountRecord


def add(
    connection: Connection, *, name: str, name_key: str, password_hash: str, role: str, now: datetime
) -> AccountRecord | None:
    """Add an account; None if the name is taken."""
    account_id = new_id(now)
    added = insert_or_keep(
        connection,
        accounts,
        id=account_id,
        name=name,
        name_key=name_key,
        password_hash=password_hash,
        role=role,
        created_at=now,
    )
    return find(connection, account_id) if added else None


def find(connection: Connection, account_id: str) -> AccountRecord | None:
    """Find an account by its id."""
    return find_record(AccountRecord, connection.execute(select(accounts).where(accounts.c.id == account_id)))


def hold(connection: Connection, account_id: str) -> None:
    """Lock an account's row until the transaction ends."""
    connection.execute(select(accounts.c.id).where(accounts.c.id == account_id).with_for_update())


def find_named(connection: Connection, name_key: str) -> AccountRecord | None:
    """Find an account by the key of its name."""
    return find_record(AccountRecord, connection.execute(select(accounts).where(accounts.c.name_key == name_key)))


def list_names(connection: Connection, lengths: tuple[int, int]) -> list[str]:
    """List the names that have from so many to so many letters."""
    return list(connection.scalars(select(accounts.c.name).where(func.length(accounts.c.name).between(*lengths))))


def list_accounts(connection: Connection, *, limit: int, offset: int = 0) -> list[Account]:
    """List accounts by name."""
    rows = connection.execute(select(accounts).order_by(accounts.c.name_key).limit(limit).offset(offset))
    return make_records(Account, rows)


def count_accounts(connection: Connection) -> int:
    """Count all accounts."""
    return int(connection.scalar(select(func.count()).select_from(accounts)) or 0)


def has_role(connection: Connection, role: str) -> bool:
    """Whether any account has this role."""
    return connection.scalar(select(accounts.c.id).where(accounts.c.role == role).limit(1)) is not None


def change(connection: Connection, account_id: str, **values: Any) -> None:
    """Set columns of an account, such as ``password_hash``, ``role`` or ``disabled_at``."""
    connection.execute(update(accounts).where(accounts.c.id == account_id).values(**values))


# -- who may sign up --------------------------------------------------------------------------------------------------


def admit(connection: Connection, *, kind: str, key: str, uses: int | None, now: datetime) -> None:
    """Let people sign up by a code (hashed) or a name; replaces an earlier admission with the same key."""
    connection.execute(delete(admissions).where(_is_admission(kind, key)))
    connection.execute(insert(admissions).values(kind=kind, key=key, uses_left=uses, created_at=now))


def use_admission(connection: Connection, *, kind: str, key: str, since: datetime = EPOCH) -> bool:
    """Spend one use of an admission made after ``since``; False if none is left."""
    is_left = or_(admissions.c.uses_left.is_(None), admissions.c.uses_left > 0) & (admissions.c.created_at > since)
    used = connection.execute(
        update(admissions).where(_is_admission(kind, key) & is_left).values(uses_left=admissions.c.uses_left - 1)
    )
    return used.rowcount == 1


def _is_admission(kind: str, key: str) -> Any:
    return (admissions.c.kind == kind) & (admissions.c.key == key)


# -- rate limits ------------------------------------------------------------------------------------------------------


def count_use(connection: Connection, key: str, *, now: datetime, window: timedelta) -> tuple[int, datetime]:
    """Count one more use under ``key``; returns the number of uses in its window, and when the window ends."""
    insert_or_keep(connection, throttles, key=key, window_start=now, count=0)
    row = connection.execute(select(throttles).where(throttles.c.key == key).with_for_update()).one()
    is_over = now >= row.window_start + window
    start, number = (now, 1) if is_over else (row.window_start, row._mapping["count"] + 1)
    connection.execute(throttles.update().where(throttles.c.key == key).values(window_start=start, count=number))
    return number, start + window


def forget_uses(connection: Connection, key: str) -> None:
    """Reset the counter of a key."""
    connection.execute(delete(throttles).where(throttles.c.key == key))


def forget_uses_before(connection: Connection, moment: datetime) -> None:
    """Delete counters whose window began before ``moment``."""
    connection.execute(delete(throttles).where(throttles.c.window_start < moment))
