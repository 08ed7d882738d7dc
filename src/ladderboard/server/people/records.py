"""Records of accounts, tokens and sessions."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from ladderboard.server.app.records import Time
from ladderboard.server.teams.records import TeamStatus

Role = Literal["organiser", "participant", "reader"]
Scope = Literal["read", "submit", "organise"]
GivenRole = Literal["teacher", "assistant", "reader", "participant"]
CompetitionRole = Literal[GivenRole, "former"]
"""What somebody is in one competition; "participant": enrolled by an invitation; "former": was on its staff."""


@dataclass(frozen=True)
class AccountBody:
    """A person's account."""

    id: str
    name: str
    role: Role
    created_at: Time


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
    created_at: Time
    expires_at: Time | None
    last_used_at: Time | None


@dataclass(frozen=True)
class NewTokenBody:
    """A new token. ``token`` is shown this once: keep it like a password."""

    token: str
    id: str
    label: str
    scopes: list[Scope]
    created_at: Time
    expires_at: Time | None


@dataclass(frozen=True)
class Account(AccountBody):
    """An account as an organiser sees it."""

    disabled_at: Time | None


@dataclass(frozen=True)
class AccountRecord(Account):
    """An account with the key of its name and the hash of its password, which leave no rule."""

    name_key: str
    password_hash: str

    @property
    def without_secrets(self) -> Account:
        return Account(self.id, self.name, self.role, self.created_at, self.disabled_at)


@dataclass(frozen=True)
class SessionSummary:
    """An active session. ``is_current``: the one that asks."""

    created_at: datetime
    is_current: bool


@dataclass(frozen=True)
class SessionOwner:
    """The account that a session belongs to. ``roles``: what it is in which competition."""

    account_id: str
    name: str
    role: Role
    roles: Mapping[str, CompetitionRole]


@dataclass(frozen=True)
class TokenOwner(SessionOwner):
    """The account that a token belongs to, with the token's scopes and last use."""

    token_id: str
    scopes: str
    last_used_at: datetime | None
