"""The rows of people: accounts, and who may become one."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, or_, select, update

from ladderboard.store.columns import new_id
from ladderboard.store.schema import accounts, admissions
from ladderboard.store.upserts import insert_or_keep


def add(
    connection: Connection, *, name: str, name_key: str, password_hash: str, role: str, now: datetime
) -> Row[Any] | None:
    """A new account; None where the name is taken."""
    made = new_id(now)
    added = insert_or_keep(
        connection,
        accounts,
        id=made,
        name=name,
        name_key=name_key,
        password_hash=password_hash,
        role=role,
        created_at=now,
    )
    return find(connection, made) if added else None


def find(connection: Connection, account_id: str) -> Row[Any] | None:
    """The account of an id."""
    return connection.execute(select(accounts).where(accounts.c.id == account_id)).one_or_none()


def find_named(connection: Connection, name_key: str) -> Row[Any] | None:
    """The account of a name, by its key."""
    return connection.execute(select(accounts).where(accounts.c.name_key == name_key)).one_or_none()


def all_of(connection: Connection, *, limit: int, offset: int = 0) -> list[Row[Any]]:
    """Accounts by name."""
    return list(connection.execute(select(accounts).order_by(accounts.c.name_key).limit(limit).offset(offset)))


def number_of(connection: Connection) -> int:
    """How many accounts there are."""
    return int(connection.scalar(select(func.count()).select_from(accounts)) or 0)


def is_any(connection: Connection, *, role: str) -> bool:
    """Whether somebody has this role."""
    return connection.scalar(select(accounts.c.id).where(accounts.c.role == role).limit(1)) is not None


def change(connection: Connection, account_id: str, **values: Any) -> None:
    """Set columns of an account, such as ``password_hash``, ``role`` or ``disabled_at``."""
    connection.execute(update(accounts).where(accounts.c.id == account_id).values(**values))


# -- who may become one -----------------------------------------------------------------------------------------------


def admit(connection: Connection, *, kind: str, key: str, uses: int | None, now: datetime) -> None:
    """Let people in by a code (hashed) or a name; once more where it is there already."""
    connection.execute(delete(admissions).where(_is(kind, key)))
    connection.execute(insert(admissions).values(kind=kind, key=key, uses_left=uses, created_at=now))


def use_admission(connection: Connection, *, kind: str, key: str) -> bool:
    """Spend one use; False where there is none."""
    is_left = or_(admissions.c.uses_left.is_(None), admissions.c.uses_left > 0)
    used = connection.execute(
        update(admissions).where(_is(kind, key) & is_left).values(uses_left=admissions.c.uses_left - 1)
    )
    return used.rowcount == 1


def _is(kind: str, key: str) -> Any:
    return (admissions.c.kind == kind) & (admissions.c.key == key)
