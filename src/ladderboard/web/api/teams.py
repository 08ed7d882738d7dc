"""Teams: made, joined, left, renamed, merged; and the organiser's rulings on them."""

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Request

from ladderboard.core.errors import NotFoundError
from ladderboard.hosting.services import Services
from ladderboard.hosting.teams.invitations import NO_GOOD, Invitation, Invitations, Kind
from ladderboard.hosting.teams.merging import merge
from ladderboard.hosting.teams.teams import Ruling, Team, Teams
from ladderboard.web.api.inputs import Code, Input, Line, Name
from ladderboard.web.auth import SignedIn
from ladderboard.web.dependencies import TheServices
from ladderboard.web.errors import errors
from ladderboard.wire.common import Page
from ladderboard.wire.submissions import BudgetBody, QuotaBody
from ladderboard.wire.teams import InvitationBody, MemberBody, NewInvitationBody, TeamBody

router = APIRouter(prefix="/competitions/{slug}", tags=["teams"], responses=errors(401, 403, 404))

TeamName = Annotated[str, Path(max_length=200, description="The team's name; case does not matter.")]


class NewTeam(Input):
    """A team's name."""

    name: Name


class Acceptance(Input):
    """The code of an invitation."""

    code: Code


class Wish(Input):
    """`join`: for one person; `merge`: offers this team to another one, which takes it in."""

    kind: Literal["join", "merge"] = "join"


class TeamRuling(Input):
    """An organiser's ruling; the reason is published in the ledger."""

    status: Ruling
    reason: Line = ""


@router.post("/teams", status_code=201, responses=errors(409))
def create(slug: str, given: NewTeam, services: TheServices, person: SignedIn) -> TeamBody:
    """Make a team. The caller is its first member; an organiser makes an empty one and invites others to it."""
    return _body(slug, Teams(services.database).create(services.competition(slug), person, given.name))


@router.get("/team")
def own(slug: str, services: TheServices, person: SignedIn) -> TeamBody:
    """The team that the caller is in."""
    team = Teams(services.database).own(services.competition(slug), person)
    if team is None:
        raise NotFoundError("you are in no team of this competition")
    return _body(slug, team)


@router.delete("/team", status_code=204)
def leave(slug: str, services: TheServices, person: SignedIn) -> None:
    """Leave the own team. It gives no fresh start: one can only come back to the same team."""
    Teams(services.database).leave(services.competition(slug), person)


@router.post("/team/return", responses=errors(409))
def come_back(slug: str, services: TheServices, person: SignedIn) -> TeamBody:
    """Enter again the team that one left as its last member."""
    return _body(slug, Teams(services.database).come_back(services.competition(slug), person))


@router.post("/invitations/accept", responses=errors(409))
def accept(slug: str, given: Acceptance, services: TheServices, person: SignedIn) -> TeamBody:
    """Enter a team by the code of an invitation."""
    if slug not in services.competitions:
        # The same words as for a wrong code: whether there is such a competition may be a secret.
        raise NotFoundError(NO_GOOD)
    return _body(slug, Invitations(Teams(services.database)).accept(services.competition(slug), person, given.code))


@router.get("/teams/{name}")
def find(slug: str, name: TeamName, services: TheServices, person: SignedIn) -> TeamBody:
    """A team, for its members and for organisers."""
    return _body(slug, Teams(services.database).find(services.competition(slug), person, name))


@router.patch("/teams/{name}", responses=errors(409))
def rename(slug: str, name: TeamName, given: NewTeam, services: TheServices, person: SignedIn) -> TeamBody:
    """Give a team another name; everything else of it stays."""
    return _body(slug, Teams(services.database).rename(services.competition(slug), person, name, given.name))


@router.post("/teams/{name}/invitations", status_code=201, responses=errors(409))
def invite(
    slug: str, name: TeamName, given: Wish, *, services: TheServices, person: SignedIn, request: Request
) -> NewInvitationBody:
    """Make an invitation, good for one person (or one merger) and seven days. The code is shown in this answer only."""
    code, made = Invitations(Teams(services.database)).invite(services.competition(slug), person, name, kind=given.kind)
    return NewInvitationBody(
        code=code,
        link=_link(services, request, slug, made.kind, code),
        id=made.id,
        kind=made.kind,
        created_at=made.created_at.isoformat(),
        expires_at=made.expires_at.isoformat(),
    )


@router.get("/teams/{name}/invitations")
def invitations(slug: str, name: TeamName, services: TheServices, person: SignedIn) -> Page[InvitationBody]:
    """The team's open invitations, oldest first."""
    listed = Invitations(Teams(services.database)).listed(services.competition(slug), person, name)
    return Page([_invitation(one) for one in listed], len(listed))


@router.delete("/teams/{name}/invitations/{invitation_id}", status_code=204)
def revoke(
    slug: str,
    name: TeamName,
    invitation_id: Annotated[str, Path(max_length=100)],
    services: TheServices,
    person: SignedIn,
) -> None:
    """Take an invitation back."""
    Invitations(Teams(services.database)).revoke(services.competition(slug), person, name, invitation_id)


@router.post("/teams/{name}/merge", responses=errors(409))
def take_in(slug: str, name: TeamName, given: Acceptance, services: TheServices, person: SignedIn) -> TeamBody:
    """Take the team that a merge code offers into this one: members, attempts, accepts and quota add up."""
    return _body(slug, merge(Teams(services.database), services.competition(slug), person, name, given.code))


@router.put("/teams/{name}/status", responses=errors(409))
def rule(slug: str, name: TeamName, given: TeamRuling, services: TheServices, person: SignedIn) -> TeamBody:
    """Withdraw or disqualify a team, or show it again (organisers). It stays in the ledger."""
    ruled = Teams(services.database).rule(
        services.competition(slug), person, name, status=given.status, reason=given.reason
    )
    return _body(slug, ruled)


def _body(slug: str, team: Team) -> TeamBody:
    return TeamBody(
        id=team.id,
        competition=slug,
        name=team.name,
        status=team.status,
        created_at=team.created_at.isoformat(),
        members=[MemberBody(one.name, one.joined_at.isoformat()) for one in team.members],
        quota=QuotaBody(**team.quota.to_dict()),
        board_value=team.board_value,
        budget=None if team.budget is None else BudgetBody(**team.budget.to_dict()),
    )


def _invitation(one: Invitation) -> InvitationBody:
    return InvitationBody(one.id, one.kind, one.created_at.isoformat(), one.expires_at.isoformat())


def _link(services: Services, request: Request, slug: str, kind: Kind, code: str) -> str:
    """The page on which the code is entered."""
    base = services.settings.base_url.rstrip("/") or str(request.base_url).rstrip("/")
    return f"{base}/competitions/{slug}/team?{kind}={code}"
