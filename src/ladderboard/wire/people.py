"""The JSON shapes of accounts, memberships and tokens."""

from dataclasses import dataclass
from typing import Literal

from ladderboard.wire.teams import TeamStatus

Role = Literal["organiser", "participant", "reader"]


Scope = Literal["read", "submit", "organise"]


@dataclass(frozen=True)
class AccountBody:
    """A person's account."""

    id: str
    name: str
    role: Role
    created_at: str


@dataclass(frozen=True)
class MembershipBody:
    """A person's membership in a team."""

    competition: str
    team: str
    status: TeamStatus


@dataclass(frozen=True)
class MeBody:
    """The signed-in person, the rights of this token or session, and the person's teams."""

    id: str
    name: str
    role: Role
    scopes: list[Scope]
    teams: list[MembershipBody]


@dataclass(frozen=True)
class TokenBody:
    """A token without its secret, which is not stored. Times are None if they do not apply."""

    id: str
    label: str
    scopes: list[Scope]
    created_at: str
    expires_at: str | None
    last_used_at: str | None


@dataclass(frozen=True)
class NewTokenBody:
    """A new token. ``token`` is shown this once: keep it like a password."""

    token: str
    id: str
    label: str
    scopes: list[Scope]
    created_at: str
    expires_at: str | None
