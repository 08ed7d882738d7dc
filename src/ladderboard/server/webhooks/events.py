"""Webhooks and their events. An event is stored in the transaction it reports, and delivered later.

An event contains only what everybody can read on the board: a team's name, its score shown, its rank.
"""

import secrets
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from ladderboard.core.errors import NotFoundError, ParameterError
from ladderboard.server.boards.standings import find_place
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.db.database import Connection, Database
from ladderboard.server.db.rows import competitions, teams
from ladderboard.server.webhooks import sql as webhooks
from ladderboard.server.webhooks.records import DeliveryBody, WebhookBody
from ladderboard.server.webhooks.ssrf import check_url, parse_networks

EVENTS = {
    "submission": "a submission was scored",
    "opened": "the competition opened",
    "frozen": "the competition was closed",
    "finalized": "the private board was computed",
    "revealed": "the private board was revealed",
    "rescored": "a corrected solution was published",
    "spent": "the test set is used up",
}
"""The kinds of events."""

SECRET_BYTES = 32
MOST_WEBHOOKS = 20
"""On one server: each adds a row for every submission."""


def add_webhook(
    database: Database, url: str, *, slug: str | None, events: Sequence[str] = (), may_reach: str = ""
) -> WebhookBody:
    """Add a webhook for a competition's events (``slug`` None: all competitions; no ``events``: every kind).

    The secret is only in what this returns. ``may_reach``: the setting ``webhooks_may_reach``.
    """
    check_url(url, parse_networks(may_reach))
    unknown = sorted(set(events) - set(EVENTS))
    if unknown:
        raise ParameterError(f"there is no event {unknown[0]!r}; choose from {', '.join(EVENTS)}")
    secret = secrets.token_urlsafe(SECRET_BYTES)
    with database.transaction() as connection:
        now = database.now(connection)
        if slug is not None:
            competitions.get(connection, slug)
        if len(webhooks.list_webhooks(connection)) >= MOST_WEBHOOKS:
            raise ParameterError(f"there are already {MOST_WEBHOOKS} webhooks; remove one first")
        webhook_id = webhooks.add(connection, slug=slug, url=url, secret=secret, events=tuple(events), now=now)
    return WebhookBody(webhook_id, slug, url, list(events), now, secret)


def list_webhooks(database: Database, slug: str | None = None) -> list[WebhookBody]:
    """List the webhooks that listen to a competition, or all."""
    with database.reading() as connection:
        return webhooks.list_webhooks(connection, slug)


def remove_webhook(database: Database, webhook_id: str, *, slug: str | None = None) -> None:
    """Remove a webhook and its deliveries. With ``slug``: only a webhook of that competition."""
    with database.transaction() as connection:
        _require(connection, webhook_id, slug)
        webhooks.remove(connection, webhook_id)


def retry_webhook(database: Database, webhook_id: str) -> int:
    """Retry deliveries that were given up; returns their number."""
    with database.transaction() as connection:
        _require(connection, webhook_id, None)
        return webhooks.retry(connection, webhook_id, database.now(connection))


def list_deliveries(database: Database, webhook_id: str, *, slug: str | None = None) -> list[DeliveryBody]:
    """List the last deliveries to a webhook, newest first."""
    with database.reading() as connection:
        _require(connection, webhook_id, slug)
        return webhooks.list_recent(connection, webhook_id)


def enqueue(
    connection: Connection,
    live: LiveCompetition,
    kind: str,
    *,
    now: datetime,
    team_id: str | None = None,
    **facts: Any,
) -> None:
    """Store an event for every webhook that listens, in the caller's transaction.

    ``team_id``: include that team's current row of the public board. ``facts`` must be public too.
    """
    listeners = webhooks.list_listeners(connection, live.slug, kind)
    if not listeners:
        return
    event = {"event": kind, "competition": live.slug, "at": now.isoformat(), **facts}
    if team_id is not None:
        event["team"] = _public_row(connection, live, team_id)
    webhooks.enqueue(connection, listeners, event, now)


def _public_row(connection: Connection, live: LiveCompetition, team_id: str) -> dict[str, Any]:
    team = teams.get(connection, team_id)
    place = find_place(connection, live, team)
    return {"name": team.name, "board_value": team.board_value, "rank": place.rank, "attempts": team.attempts}


def _require(connection: Connection, webhook_id: str, slug: str | None) -> None:
    if not webhooks.exists(connection, webhook_id, slug):
        raise NotFoundError(f"there is no webhook {webhook_id!r}")
