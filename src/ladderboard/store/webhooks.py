"""Webhooks and what is on its way to them. A delivery is a row until it is answered: a crash loses nothing."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, func, insert, or_, select, update

from ladderboard.store.columns import new_id
from ladderboard.store.schema import deliveries, webhooks


def add(
    connection: Connection, *, slug: str | None, url: str, secret: str, events: Sequence[str], now: datetime
) -> str:
    """A new webhook of one competition (None: of all); its id."""
    webhook_id = new_id(now)
    connection.execute(
        insert(webhooks).values(
            id=webhook_id, competition=slug, url=url, secret=secret, events=list(events), created_at=now
        )
    )
    return webhook_id


def find(connection: Connection, webhook_id: str) -> Row[Any] | None:
    """The webhook's row."""
    return connection.execute(select(webhooks).where(webhooks.c.id == webhook_id)).one_or_none()


def listed(connection: Connection, slug: str | None = None) -> list[Row[Any]]:
    """Those that listen to a competition, with how much waits for them and how much was given up; None: all of them."""
    waiting = func.count(deliveries.c.next_at)
    delivered = func.count(deliveries.c.delivered_at)
    counted = (
        select(
            webhooks,
            waiting.label("waiting"),
            delivered.label("delivered"),
            (func.count(deliveries.c.id) - waiting - delivered).label("given_up"),
        )
        .select_from(webhooks.outerjoin(deliveries))
        .group_by(*webhooks.c)
        .order_by(webhooks.c.id)
    )
    if slug is not None:
        counted = counted.where(or_(webhooks.c.competition == slug, webhooks.c.competition.is_(None)))
    return list(connection.execute(counted))


def remove(connection: Connection, webhook_id: str) -> None:
    """Forget a webhook and everything on its way to it."""
    connection.execute(delete(deliveries).where(deliveries.c.webhook_id == webhook_id))
    connection.execute(delete(webhooks).where(webhooks.c.id == webhook_id))


def listeners(connection: Connection, slug: str, kind: str) -> list[str]:
    """The webhooks that want events of this kind."""
    rows = connection.execute(_LISTENERS, {"slug": slug})
    return [row.id for row in rows if not row.events or kind in row.events]


_LISTENERS = (
    select(webhooks.c.id, webhooks.c.events)
    .where(or_(webhooks.c.competition == bindparam("slug"), webhooks.c.competition.is_(None)))
    .where(webhooks.c.disabled_at.is_(None))
    .order_by(webhooks.c.id)
)
"""Asked for at every attempt, so it is built once."""


def enqueue(connection: Connection, webhook_ids: Sequence[str], event: dict[str, Any], now: datetime) -> None:
    """One delivery for each, due at once."""
    rows = [
        {"id": new_id(now), "webhook_id": one, "event": event, "created_at": now, "tries": 0, "next_at": now}
        for one in webhook_ids
    ]
    if rows:
        connection.execute(insert(deliveries), rows)


def is_any_due(connection: Connection, now: datetime) -> bool:
    """Whether a claim would find something."""
    return connection.scalar(select(deliveries.c.id).where(deliveries.c.next_at <= now).limit(1)) is not None


def claim(connection: Connection, now: datetime, *, limit: int, lease: timedelta) -> list[Row[Any]]:
    """Take deliveries that are due, at most ``limit`` of each webhook: nobody else gets them before the lease is over.

    A process that dies with them leaves rows that are due again then: at least once, and once where nobody dies.
    """
    taken: list[str] = []
    for webhook_id in connection.scalars(select(deliveries.c.webhook_id).where(deliveries.c.next_at <= now).distinct()):
        # A few of each, so that a receiver with a long queue does not keep the others waiting.
        due = (
            select(deliveries.c.id)
            .where((deliveries.c.webhook_id == webhook_id) & (deliveries.c.next_at <= now))
            .order_by(deliveries.c.created_at, deliveries.c.id)
            .limit(limit)
            .with_for_update(skip_locked=True)  # SQLite needs none: its transactions come one after another
        )
        taken += connection.scalars(due)
    if not taken:
        return []
    connection.execute(
        update(deliveries).where(deliveries.c.id.in_(taken)).values(next_at=now + lease, tries=deliveries.c.tries + 1)
    )
    wanted = select(deliveries, webhooks.c.url, webhooks.c.secret).join(webhooks).where(deliveries.c.id.in_(taken))
    return list(connection.execute(wanted.order_by(deliveries.c.created_at, deliveries.c.id)))


def close(connection: Connection, delivery_id: str, *, tries: int, answer: str, delivered_at: datetime | None) -> None:
    """The end of a delivery: it arrived, or is given up. Without effect where another process has taken it since."""
    mine = (deliveries.c.id == delivery_id) & (deliveries.c.tries == tries)
    connection.execute(
        update(deliveries).where(mine).values(next_at=None, delivered_at=delivered_at, last_answer=answer)
    )


def postpone(
    connection: Connection, delivery_id: str, *, tries: int, answer: str | None, next_at: datetime, counts: bool = True
) -> None:
    """Try again at ``next_at``. ``counts`` False: it was not tried at all."""
    mine = (deliveries.c.id == delivery_id) & (deliveries.c.tries == tries)
    values: dict[str, Any] = {"next_at": next_at} if counts else {"next_at": next_at, "tries": tries - 1}
    if answer is not None:
        values["last_answer"] = answer
    connection.execute(update(deliveries).where(mine).values(values))


def hold_back(connection: Connection, webhook_id: str, until: datetime) -> None:
    """Whatever is due for a webhook that does not answer waits as long as what it did not answer."""
    mine = (deliveries.c.webhook_id == webhook_id) & (deliveries.c.next_at < until)
    connection.execute(update(deliveries).where(mine).values(next_at=until))


def forget_delivered(connection: Connection, before: datetime) -> int:
    """Remove what arrived before a time; what was given up stays to be looked at."""
    return connection.execute(delete(deliveries).where(deliveries.c.delivered_at < before)).rowcount


def recent(connection: Connection, webhook_id: str, limit: int = 50) -> list[Row[Any]]:
    """The last deliveries to a webhook, newest first."""
    wanted = select(deliveries).where(deliveries.c.webhook_id == webhook_id)
    return list(connection.execute(wanted.order_by(deliveries.c.created_at.desc(), deliveries.c.id).limit(limit)))


def retry(connection: Connection, webhook_id: str, now: datetime) -> int:
    """What was given up is due again; returns how many."""
    mine = (
        (deliveries.c.webhook_id == webhook_id) & deliveries.c.next_at.is_(None) & deliveries.c.delivered_at.is_(None)
    )
    return connection.execute(update(deliveries).where(mine).values(next_at=now, tries=0)).rowcount


def waiting(connection: Connection) -> int:
    """How many deliveries are on their way."""
    return int(connection.scalar(select(func.count()).where(deliveries.c.next_at.is_not(None))) or 0)
