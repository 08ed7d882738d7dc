"""Records of webhooks and their deliveries."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True)
class WebhookBody:
    """A webhook; ``secret`` is shown only when it is created. No ``events``: every kind."""

    id: str
    competition: str | None
    url: str
    events: list[str]
    created_at: str
    secret: str | None = None
    waiting: int = 0
    delivered: int = 0
    given_up: int = 0


@dataclass(frozen=True)
class DeliveryBody:
    """A delivery to a webhook."""

    id: str
    event: dict[str, Any]
    created_at: str
    tries: int
    next_at: str | None
    delivered_at: str | None
    last_answer: str | None


@dataclass(frozen=True)
class WebhookRecord:
    """A webhook: an address that receives events."""

    id: str
    competition: str | None
    url: str
    secret: str
    events: Any
    created_at: datetime
    disabled_at: datetime | None


@dataclass(frozen=True)
class DeliveryRecord:
    """An event on its way to a webhook."""

    id: str
    webhook_id: str
    event: Any
    created_at: datetime
    tries: int
    next_at: datetime | None
    delivered_at: datetime | None
    last_answer: str | None


@dataclass(frozen=True)
class WebhookCounts:
    """A webhook with the numbers of its deliveries."""

    webhook: WebhookRecord
    waiting: int
    delivered: int
    given_up: int


@dataclass(frozen=True)
class ClaimedDelivery:
    """A delivery to make now, with the address and secret of its webhook."""

    id: str
    webhook_id: str
    event: dict[str, Any]
    tries: int
    url: str
    secret: str
