"""Records of webhooks and their deliveries."""

from dataclasses import dataclass
from typing import Any

from ladderboard.server.app.records import Time


@dataclass(frozen=True)
class WebhookBody:
    """A webhook; ``secret`` is shown only when it is created. No ``events``: every kind."""

    id: str
    competition: str | None
    url: str
    events: list[str]
    created_at: Time
    secret: str | None = None
    waiting: int = 0
    delivered: int = 0
    given_up: int = 0


@dataclass(frozen=True)
class DeliveryBody:
    """A delivery to a webhook."""

    id: str
    event: dict[str, Any]
    created_at: Time
    tries: int
    next_at: Time | None
    delivered_at: Time | None
    last_answer: str | None


@dataclass(frozen=True)
class ClaimedDelivery:
    """A delivery to make now, with the address and secret of its webhook."""

    id: str
    webhook_id: str
    event: dict[str, Any]
    tries: int
    url: str
    secret: str
