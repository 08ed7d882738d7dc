"""Webhooks and their deliveries. A delivery is stored until it is answered, so a crash loses nothing."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Text, bindparam, delete, func, insert, null, or_, select, type_coerce, update

from ladderboard.server.db.columns import make_records, new_id
from ladderboard.server.db.schema import deliveries, webhooks
from ladderboard.server.webhooks.records import ClaimedDelivery, DeliveryBody, WebhookBody


def add(
    connection: Connection, *, slug: str | None, url: str, secret: str, events: Sequence[str], now: datetime
) -> str:
    """Add a webhook for one competition (None: for all); returns its id."""
    webhook_id = new_id(now)
    connection.execute(
        insert(webhooks).values(
            id=webhook_id, competition=slug, url=url, secret=secret, events=list(events), created_at=now
        )
    )
    return webhook_id


def exists(connection: Connection, webhook_id: str, slug: str | None) -> bool:
    """Whether there is such a webhook; with ``slug``, of that competition."""
    wanted = select(webhooks.c.id).where(webhooks.c.id == webhook_id)
    wanted = wanted if slug is None else wanted.where(webhooks.c.competition == slug)
    return connection.scalar(wanted) is not None


def list_webhooks(connection: Connection, slug: str | None = None) -> list[WebhookBody]:
    """List the webhooks that listen to a competition (None: all of them), and count their deliveries."""
    shown = [column for column in webhooks.c if column.name != "secret"]
    waiting = func.count(deliveries.c.next_at)
    delivered = func.count(deliveries.c.delivered_at)
    counted = (
        select(
            *shown,
            type_coerce(null(), Text).label("secret"),
            waiting.label("waiting"),
            delivered.label("delivered"),
            (func.count(deliveries.c.id) - waiting - delivered).label("given_up"),
        )
        .select_from(webhooks.outerjoin(deliveries))
        .group_by(*shown)
        .order_by(webhooks.c.id)
    )
    if slug is not None:
        counted = counted.where(or_(webhooks.c.competition == slug, webhooks.c.competition.is_(None)))
    return make_records(WebhookBody, connection.execute(counted))


def remove(connection: Connection, webhook_id: str) -> None:
    """Delete a webhook and all its deliveries."""
    connection.execute(delete(deliveries).where(deliveries.c.webhook_id == webhook_id))
    connection.execute(delete(webhooks).where(webhooks.c.id == webhook_id))


def list_listeners(connection: Connection, slug: str, kind: str) -> list[str]:
    """List the ids of the webhooks that want events of this kind."""
    rows = connection.execute(_LISTENERS, {"slug": slug})
    return [row.id for row in rows if not row.events or kind in row.events]


_LISTENERS = (
    select(webhooks.c.id, webhooks.c.events)
    .where(or_(webhooks.c.competition == bindparam("slug"), webhooks.c.competition.is_(None)))
    .where(webhooks.c.disabled_at.is_(None))
    .order_by(webhooks.c.id)
)
"""Built once: every attempt runs it."""


def enqueue(connection: Connection, webhook_ids: Sequence[str], event: dict[str, Any], now: datetime) -> None:
    """Add one delivery for each webhook, due at once."""
    rows = [
        {"id": new_id(now), "webhook_id": one, "event": event, "created_at": now, "tries": 0, "next_at": now}
        for one in webhook_ids
    ]
    if rows:
        connection.execute(insert(deliveries), rows)


def has_due(connection: Connection, now: datetime) -> bool:
    """Whether any delivery is due."""
    return connection.scalar(select(deliveries.c.id).where(deliveries.c.next_at <= now).limit(1)) is not None


def claim(connection: Connection, now: datetime, *, limit: int, lease: timedelta) -> list[ClaimedDelivery]:
    """Claim deliveries that are due, at most ``limit`` of each webhook; nobody else gets them during the lease.

    If a process dies with them, they are due again after the lease: each is delivered at least once.
    """
    taken: list[str] = []
    for webhook_id in connection.scalars(select(deliveries.c.webhook_id).where(deliveries.c.next_at <= now).distinct()):
        # A few of each, so that a receiver with a long queue does not hold up the others.
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
    return make_records(ClaimedDelivery, connection.execute(wanted.order_by(deliveries.c.created_at, deliveries.c.id)))


def close(connection: Connection, delivery_id: str, *, tries: int, answer: str, delivered_at: datetime | None) -> None:
    """Close a delivery that arrived or is given up. No effect if another process has claimed it since."""
    mine = (deliveries.c.id == delivery_id) & (deliveries.c.tries == tries)
    connection.execute(
        update(deliveries).where(mine).values(next_at=None, delivered_at=delivered_at, last_answer=answer)
    )


def postpone(
    connection: Connection, delivery_id: str, *, tries: int, answer: str | None, next_at: datetime, counts: bool = True
) -> None:
    """Postpone a delivery until ``next_at``. ``counts`` False: it was not tried at all."""
    mine = (deliveries.c.id == delivery_id) & (deliveries.c.tries == tries)
    values: dict[str, Any] = {"next_at": next_at} if counts else {"next_at": next_at, "tries": tries - 1}
    if answer is not None:
        values["last_answer"] = answer
    connection.execute(update(deliveries).where(mine).values(values))


def hold_back(connection: Connection, webhook_id: str, until: datetime) -> None:
    """Postpone everything that is due for a webhook that does not answer."""
    mine = (deliveries.c.webhook_id == webhook_id) & (deliveries.c.next_at < until)
    connection.execute(update(deliveries).where(mine).values(next_at=until))


def forget_delivered(connection: Connection, before: datetime) -> int:
    """Delete deliveries that arrived before a time; those given up stay for inspection."""
    return connection.execute(delete(deliveries).where(deliveries.c.delivered_at < before)).rowcount


def list_recent(connection: Connection, webhook_id: str, limit: int = 50) -> list[DeliveryBody]:
    """List the last deliveries to a webhook, newest first."""
    wanted = select(deliveries).where(deliveries.c.webhook_id == webhook_id)
    rows = connection.execute(wanted.order_by(deliveries.c.created_at.desc(), deliveries.c.id).limit(limit))
    return make_records(DeliveryBody, rows)


def retry(connection: Connection, webhook_id: str, now: datetime) -> int:
    """Make deliveries that were given up due again; returns their number."""
    mine = (
        (deliveries.c.webhook_id == webhook_id) & deliveries.c.next_at.is_(None) & deliveries.c.delivered_at.is_(None)
    )
    return connection.execute(update(deliveries).where(mine).values(next_at=now, tries=0)).rowcount
