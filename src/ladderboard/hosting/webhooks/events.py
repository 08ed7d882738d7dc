"""Webhooks: who is told what. An event is written in the transaction of what it tells, and delivered later.

An event holds what everybody can read on the board: a team's name, its released value, its rank. Nothing else.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row

from ladderboard.core.errors import NotFoundError, ParameterError
from ladderboard.hosting.boards.standings import find_place
from ladderboard.hosting.live_competition import LiveCompetition
from ladderboard.hosting.webhooks.ssrf import check_url
from ladderboard.store import teams
from ladderboard.store import webhooks as rows
from ladderboard.store.database import Database

EVENTS = {
    "submission": "a submission was scored",
    "opened": "the competition opened",
    "frozen": "the board is frozen",
    "finalized": "the private board is computed",
    "revealed": "the private board is shown",
    "rescored": "a corrected solution was published",
    "spent": "the holdout gives no more numbers",
}
"""What can be listened to."""

SECRET_BYTES = 32
MOST_WEBHOOKS = 20
"""Of one server: each costs every submission a row."""


@dataclass(frozen=True)
class Webhook:
    """A webhook as the organiser sees it; the secret only when it is made."""

    id: str
    competition: str | None
    url: str
    events: tuple[str, ...]
    created_at: datetime
    secret: str | None = None
    waiting: int = 0
    delivered: int = 0
    given_up: int = 0


def add_webhook(database: Database, url: str, *, slug: str | None, events: Sequence[str] = ()) -> Webhook:
    """Tell ``url`` of a competition's events (``slug`` None: of all; no ``events``: every kind).

    Only what this returns shows the secret.
    """
    check_url(url)
    unknown = sorted(set(events) - set(EVENTS))
    if unknown:
        raise ParameterError(f"there is no event {unknown[0]!r}; known are {', '.join(EVENTS)}")
    secret = secrets.token_urlsafe(SECRET_BYTES)
    with database.transaction() as connection:
        now = database.now(connection)
        if len(rows.listed(connection)) >= MOST_WEBHOOKS:
            raise ParameterError(f"there are {MOST_WEBHOOKS} webhooks already; remove one first")
        webhook_id = rows.add(connection, slug=slug, url=url, secret=secret, events=tuple(events), now=now)
    return Webhook(webhook_id, slug, url, tuple(events), now, secret)


def list_webhooks(database: Database, slug: str | None = None) -> list[Webhook]:
    """Those that listen to a competition, or all."""
    with database.reading() as connection:
        return [_shown(row) for row in rows.listed(connection, slug)]


def remove_webhook(database: Database, webhook_id: str, *, slug: str | None = None) -> None:
    """Stop telling; what is still on its way is forgotten. With ``slug``: only a webhook of that competition."""
    with database.transaction() as connection:
        _find(connection, webhook_id, slug)
        rows.remove(connection, webhook_id)


def retry_webhook(database: Database, webhook_id: str) -> int:
    """Try again what was given up; returns how many."""
    with database.transaction() as connection:
        _find(connection, webhook_id, None)
        return rows.retry(connection, webhook_id, database.now(connection))


def deliveries_to(database: Database, webhook_id: str, *, slug: str | None = None) -> list[Row[Any]]:
    """The last deliveries to a webhook, newest first."""
    with database.reading() as connection:
        _find(connection, webhook_id, slug)
        return rows.recent(connection, webhook_id)


def enqueue(
    connection: Connection,
    live: LiveCompetition,
    kind: str,
    *,
    now: datetime,
    team_id: str | None = None,
    **facts: Any,
) -> None:
    """Write an event for everybody who listens; part of the caller's transaction, and a row each, no more.

    ``team_id``: with that team's row of the public board, as it is now. ``facts`` must be public too.
    """
    listeners = rows.listeners(connection, live.slug, kind)
    if not listeners:
        return
    event = {"event": kind, "competition": live.slug, "at": now.isoformat(), **facts}
    if team_id is not None:
        event["team"] = _public_row(connection, live, team_id)
    rows.enqueue(connection, listeners, event, now)


def _public_row(connection: Connection, live: LiveCompetition, team_id: str) -> dict[str, Any]:
    team = teams.get(connection, team_id)
    place = find_place(connection, live, team)
    return {"name": team.name, "board_value": team.board_value, "rank": place.rank, "attempts": team.attempts}


def _shown(row: Row[Any]) -> Webhook:
    return Webhook(
        row.id,
        row.competition,
        row.url,
        tuple(row.events),
        row.created_at,
        waiting=row.waiting,
        delivered=row.delivered,
        given_up=row.given_up,
    )


def _find(connection: Connection, webhook_id: str, slug: str | None) -> None:
    found = rows.find(connection, webhook_id)
    if found is None or (slug is not None and found.competition != slug):
        raise NotFoundError(f"there is no webhook {webhook_id!r}")
