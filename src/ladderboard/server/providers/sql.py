"""Identities that sign in to accounts, and newcomers who have none yet."""

from datetime import datetime

from sqlalchemy import Connection, delete, func, insert, select, update

from ladderboard.server.db.columns import find_record, insert_or_keep, make_records, new_id
from ladderboard.server.db.schema import linked_identities, newcomers
from ladderboard.server.providers.records import Claims, LinkedIdentity, Newcomer


def find(connection: Connection, claims: Claims) -> LinkedIdentity | None:
    """Find the account of an identity, by issuer and subject."""
    wanted = (linked_identities.c.issuer == claims.issuer) & (linked_identities.c.subject == claims.subject)
    return find_record(LinkedIdentity, connection.execute(select(linked_identities).where(wanted)))


def list_linked(connection: Connection, account_id: str) -> list[LinkedIdentity]:
    """List the identities of an account, the oldest first."""
    mine = select(linked_identities).where(linked_identities.c.account_id == account_id)
    return make_records(LinkedIdentity, connection.execute(mine.order_by(linked_identities.c.id)))


def link(connection: Connection, claims: Claims, account_id: str, now: datetime) -> bool:
    """Link an identity with an account; False if it is linked already."""
    return insert_or_keep(
        connection,
        linked_identities,
        id=new_id(now),
        issuer=claims.issuer,
        subject=claims.subject,
        account_id=account_id,
        created_at=now,
        last_used_at=now,
    )


def unlink(connection: Connection, account_id: str, identity_id: str) -> bool:
    """Remove an identity of the account; False if it has no such one."""
    mine = (linked_identities.c.account_id == account_id) & (linked_identities.c.id == identity_id)
    return connection.execute(delete(linked_identities).where(mine)).rowcount == 1


def note_use(connection: Connection, identity_id: str, now: datetime) -> None:
    """Record when an identity last signed in."""
    mine = linked_identities.c.id == identity_id
    connection.execute(update(linked_identities).where(mine).values(last_used_at=now))


def count_linked(connection: Connection, account_id: str) -> int:
    """Count the identities of an account."""
    mine = select(func.count()).select_from(linked_identities).where(linked_identities.c.account_id == account_id)
    return int(connection.scalar(mine) or 0)


def keep_newcomer(connection: Connection, hashed: str, newcomer: Newcomer) -> None:
    """Keep a newcomer; those who did not go on in time are deleted."""
    connection.execute(delete(newcomers).where(newcomers.c.expires_at <= newcomer.created_at))
    connection.execute(insert(newcomers).values(hash=hashed, **vars(newcomer)))


def find_newcomer(connection: Connection, hashed: str, now: datetime) -> Newcomer | None:
    """Find a newcomer who is still in time."""
    wanted = (newcomers.c.hash == hashed) & (newcomers.c.expires_at > now)
    return find_record(Newcomer, connection.execute(select(newcomers).where(wanted)))


def drop_newcomer(connection: Connection, hashed: str) -> bool:
    """Delete a newcomer; False where somebody was faster."""
    return connection.execute(delete(newcomers).where(newcomers.c.hash == hashed)).rowcount == 1
