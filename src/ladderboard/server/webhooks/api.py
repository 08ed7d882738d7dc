"""Webhooks of a competition, for its organisers."""

from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import BaseModel, ConfigDict, Field

from ladderboard.server.app.api import Paging, TheServices
from ladderboard.server.app.auth import SignedIn
from ladderboard.server.app.errors import errors
from ladderboard.server.app.records import Page
from ladderboard.server.people.roles import require
from ladderboard.server.webhooks.events import EVENTS, add_webhook, list_deliveries, list_webhooks, remove_webhook
from ladderboard.server.webhooks.records import DeliveryBody, WebhookBody

router = APIRouter(prefix="/competitions/{slug}/webhooks", tags=["webhooks"])


class NewWebhook(BaseModel):
    """The address of a webhook, and the events it receives."""

    model_config = ConfigDict(extra="forbid")

    url: Annotated[str, Field(min_length=8, max_length=2000, description="https://… or http://…; no private address")]
    events: Annotated[
        list[Annotated[str, Field(max_length=20)]],
        Field(max_length=len(EVENTS), description=f"of {', '.join(EVENTS)}; empty: all of them"),
    ] = []


@router.post("", status_code=201, responses=errors(401, 403, 404))
def add(slug: str, new: NewWebhook, services: TheServices, person: SignedIn) -> WebhookBody:
    """Add a webhook: a signed POST for each event, retried until it is answered with 2xx.

    The `secret` is shown only once. A delivery has the headers `Ladderboard-Delivery` (its id), `Ladderboard-Timestamp`
    and `Ladderboard-Signature`: `sha256=` and the HMAC-SHA256 of `<timestamp>.<body>` under the secret.
    """
    require(person, "organise", services.competition(slug).rules)
    may_reach = services.settings.webhooks_may_reach
    return add_webhook(services.database, new.url, slug=slug, events=new.events, may_reach=may_reach)


@router.get("", responses=errors(401, 403, 404))
def list_all(slug: str, services: TheServices, person: SignedIn, part: Paging) -> Page[WebhookBody]:
    """List the webhooks of a competition, with the numbers of their deliveries."""
    require(person, "organise", services.competition(slug).rules)
    found = list_webhooks(services.database, slug)
    return part.page(found[part.offset : part.offset + part.limit], len(found))


@router.get("/{webhook_id}/deliveries", responses=errors(401, 403, 404))
def deliveries(slug: str, webhook_id: str, services: TheServices, person: SignedIn) -> Page[DeliveryBody]:
    """List the last fifty deliveries to a webhook, newest first, with their outcomes."""
    require(person, "organise", services.competition(slug).rules)
    found = list_deliveries(services.database, webhook_id, slug=slug)
    return Page(found, len(found))


@router.delete("/{webhook_id}", status_code=204, response_class=Response, responses=errors(401, 403, 404))
def remove(slug: str, webhook_id: str, services: TheServices, person: SignedIn) -> None:
    """Remove a webhook; deliveries that wait are dropped."""
    require(person, "organise", services.competition(slug).rules)
    remove_webhook(services.database, webhook_id, slug=slug)
