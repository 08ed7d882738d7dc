"""Records of teams, members, invitations and extra attempts."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from ladderboard.server.app.records import Time

TeamStatus = Literal["active", "withdrawn", "disqualified", "merged"]
TeamKind = Literal["team", "baseline"]
InvitationKind = Literal["join", "merge"]


@dataclass(frozen=True)
class MemberBody:
    """A member of a team."""

    name: str
    joined_at: Time


@dataclass(frozen=True)
class TeamBody:
    """A team as its members and the organisers see it. ``budget``: None if the mechanism has none."""

    id: str
    competition: str
    name: str
    status: TeamStatus
    created_at: Time
    members: list[MemberBody]
    quota: "QuotaBody"
    board_value: float | None
    budget: "BudgetBody | None" = None


@dataclass(frozen=True)
class InvitationBody:
    """An open invitation: of one person (join), or of a whole team that takes this one in (merge)."""

    id: str
    kind: InvitationKind
    created_at: Time
    expires_at: Time


@dataclass(frozen=True)
class NewInvitationBody:
    """A new invitation. ``code`` is shown only this once; ``link`` leads to a page with the code filled in."""

    code: str
    link: str
    id: str
    kind: InvitationKind
    created_at: Time
    expires_at: Time


@dataclass(frozen=True)
class TeamRecord:
    """A team of a competition: its status, attempts, quota and place on the board."""

    id: str
    competition: str
    name: str
    name_key: str
    kind: TeamKind
    status: TeamStatus
    merged_into: str | None
    created_at: datetime
    salt: str
    attempts: int
    queued: int
    accepts: int
    quota_day: str | None
    quota_used: int
    extra_per_day: int
    extra_total: int
    board_value: float | None
    board_order: float | None
    standard_error: float | None
    last_improvement: int | None
    last_improved_at: datetime | None
    last_submitted_at: datetime | None


@dataclass(frozen=True)
class MemberRecord:
    """A person in a team."""

    competition: str
    account_id: str
    team_id: str
    joined_at: datetime
    left_at: datetime | None


@dataclass(frozen=True)
class OpenInvitation(InvitationBody):
    """An invitation that can still be accepted, with its team."""

    team_id: str


@dataclass(frozen=True)
class TeamOverview:
    """A team with the numbers of its members and open flags."""

    team: TeamRecord
    members: int
    flags: int


@dataclass(frozen=True)
class Membership:
    """A team that a person is in."""

    competition: str
    team_id: str
    name: str
    status: TeamStatus
    joined_at: datetime


@dataclass(frozen=True)
class QuotaBody:
    """A team's quota; None: no limit."""

    per_day: int | None
    used_today: int
    left_today: int | None
    total: int | None
    used: int
    left: int | None
    resets_at: Time


@dataclass(frozen=True)
class BudgetBody:
    """A mechanism's budget of new scores (shaky_ladder) or corrections (thresholdout) for a team.

    ``used`` and ``left`` are None while only the mechanism knows; once it is spent, no more numbers are told.
    """

    total: int
    used: int | None
    left: int | None
    is_spent: bool


@dataclass(frozen=True)
class GrantBody:
    """A team's extra attempts."""

    team: str
    extra_per_day: int
    extra_total: int
    attempts: int
