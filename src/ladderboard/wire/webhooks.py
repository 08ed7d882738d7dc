"""The JSON shapes of webhooks and their deliveries."""

from dataclasses import dataclass
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
