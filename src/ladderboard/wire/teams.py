"""The JSON shapes of teams, members and invitations."""

from dataclasses import dataclass
from typing import Literal

from ladderboard.wire.submissions import BudgetBody, QuotaBody

TeamStatus = Literal["active", "withdrawn", "disqualified", "merged"]


@dataclass(frozen=True)
class MemberBody:
    """A member of a team."""

    name: str
    joined_at: str


@dataclass(frozen=True)
class TeamBody:
    """A team as its members and the organisers see it. ``budget``: None if the mechanism has none."""

    id: str
    competition: str
    name: str
    status: TeamStatus
    created_at: str
    members: list[MemberBody]
    quota: "QuotaBody"
    board_value: float | None
    budget: "BudgetBody | None" = None


@dataclass(frozen=True)
class InvitationBody:
    """An open invitation: of one person (join), or of a whole team that takes this one in (merge)."""

    id: str
    kind: Literal["join", "merge"]
    created_at: str
    expires_at: str


@dataclass(frozen=True)
class NewInvitationBody:
    """A new invitation. ``code`` is shown only this once; ``link`` leads to a page with the code filled in."""

    code: str
    link: str
    id: str
    kind: Literal["join", "merge"]
    created_at: str
    expires_at: str
