"""Records of identity providers, and of the people they vouch for."""

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True)
class Provider:
    """An identity provider, as the operator's file describes it. ``name`` is its word in addresses."""

    name: str
    title: str
    issuer: str
    client_id: str
    client_secret: str = field(default="", repr=False)
    domains: tuple[str, ...] = ()
    """Whoever has a verified address there may make an account; empty: whoever may sign up."""


@dataclass(frozen=True)
class Claims:
    """What a provider has proven of a person. Issuer and subject are the identity; the rest are hints."""

    issuer: str
    subject: str
    name: str
    address: str | None
    """The address, if the provider says that it has verified it."""


@dataclass(frozen=True)
class Newcomer(Claims):
    """Somebody who has come from a provider and whom no account here belongs to, while they choose what to do."""

    provider: str
    next: str
    created_at: datetime
    expires_at: datetime


@dataclass(frozen=True)
class LinkedIdentity:
    """An identity that signs in to an account."""

    id: str
    issuer: str
    subject: str
    account_id: str
    created_at: datetime
    last_used_at: datetime | None
