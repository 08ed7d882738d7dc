"""Records of accounts, tokens and sessions."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from ladderboard.server.teams.records import TeamStatus

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


AccountRole = Literal["organiser", "participant", "reader"]


@dataclass(frozen=True)
class AccountRecord:
    """A person who can sign in."""

    id: str
    name: str
    name_key: str
    password_hash: str
    role: AccountRole
    created_at: datetime
    disabled_at: datetime | None


@dataclass(frozen=True)
class TokenRecord:
    """A token of a program."""

    id: str
    account_id: str
    name: str
    hash: str
    scopes: str
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True)
class SessionRecord:
    """A session of a browser."""

    hash: str
    account_id: str
    created_at: datetime
    expires_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True)
class SessionOwner:
    """The account that a session belongs to."""

    account_id: str
    name: str
    role: AccountRole


@dataclass(frozen=True)
class TokenOwner(SessionOwner):
    """The account that a token belongs to, with the token's scopes and last use."""

    token_id: str
    scopes: str
    last_used_at: datetime | None
