"""Webhooks of a competition, for its organisers."""

from typing import Annotated, Any

from fastapi import APIRouter, Response
from pydantic import BaseModel, ConfigDict, Field

from ladderboard.hosting.people.roles import require
from ladderboard.hosting.webhooks.events import (
    EVENTS,
    Webhook,
    add_webhook,
    deliveries_to,
    list_webhooks,
    remove_webhook,
)
from ladderboard.web.auth import SignedIn
from ladderboard.web.dependencies import TheServices
from ladderboard.web.errors import errors
from ladderboard.web.paging import Paging
from ladderboard.wire.common import Page
from ladderboard.wire.webhooks import DeliveryBody, WebhookBody

router = APIRouter(prefix="/competitions/{slug}/webhooks", tags=["webhooks"])


class NewWebhook(BaseModel):
    """Where to tell, and of what."""

    model_config = ConfigDict(extra="forbid")

    url: Annotated[str, Field(min_length=8, max_length=2000, description="https://… (or http://…); no private address")]
    events: Annotated[
        list[Annotated[str, Field(max_length=20)]],
        Field(max_length=len(EVENTS), description=f"of {', '.join(EVENTS)}; empty: all of them"),
    ] = []


@router.post("", status_code=201, responses=errors(401, 403, 404))
def add(slug: str, new: NewWebhook, services: TheServices, person: SignedIn) -> WebhookBody:
    """Tell an address what happens: a signed POST for each event, again until it is answered with 2xx.

    The `secret` is shown only now. A delivery has the headers `Ladderboard-Delivery` (its id), `Ladderboard-Timestamp`
    and `Ladderboard-Signature`: `sha256=` and the HMAC-SHA256 of `<timestamp>.<body>` under the secret.
    """
    require(person, "organise", services.competition(slug).rules)
    return _body(add_webhook(services.database, new.url, slug=slug, events=new.events))


@router.get("", responses=errors(401, 403, 404))
def listed(slug: str, services: TheServices, person: SignedIn, part: Paging) -> Page[WebhookBody]:
    """The webhooks of a competition, with how much is on its way to them."""
    require(person, "organise", services.competition(slug).rules)
    found = list_webhooks(services.database, slug)
    return part.page([_body(one) for one in found[part.offset : part.offset + part.limit]], len(found))


@router.get("/{webhook_id}/deliveries", responses=errors(401, 403, 404))
def deliveries(slug: str, webhook_id: str, services: TheServices, person: SignedIn) -> Page[DeliveryBody]:
    """The last fifty deliveries to a webhook, newest first, and what became of them."""
    require(person, "organise", services.competition(slug).rules)
    rows = deliveries_to(services.database, webhook_id, slug=slug)
    return Page([_delivery(row) for row in rows], len(rows))


@router.delete("/{webhook_id}", status_code=204, response_class=Response, responses=errors(401, 403, 404))
def remove(slug: str, webhook_id: str, services: TheServices, person: SignedIn) -> None:
    """Tell this address nothing more; what is still on its way is dropped."""
    require(person, "organise", services.competition(slug).rules)
    remove_webhook(services.database, webhook_id, slug=slug)


def _body(webhook: Webhook) -> WebhookBody:
    return WebhookBody(
        webhook.id,
        webhook.competition,
        webhook.url,
        list(webhook.events),
        webhook.created_at.isoformat(),
        webhook.secret,
        webhook.waiting,
        webhook.delivered,
        webhook.given_up,
    )


def _delivery(row: Any) -> DeliveryBody:
    return DeliveryBody(
        row.id,
        row.event,
        row.created_at.isoformat(),
        row.tries,
        None if row.next_at is None else row.next_at.isoformat(),
        None if row.delivered_at is None else row.delivered_at.isoformat(),
        row.last_answer,
    )
