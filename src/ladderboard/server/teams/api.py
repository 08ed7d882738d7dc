"""Teams: creating, joining, leaving, renaming, merging; and the organiser's decisions about them."""

from typing import Annotated

from fastapi import APIRouter, Path, Request

from ladderboard.core.errors import NotFoundError
from ladderboard.server.app.api import Code, Input, Line, Name, TheServices
from ladderboard.server.app.auth import SignedIn
from ladderboard.server.app.errors import errors
from ladderboard.server.app.records import Page
from ladderboard.server.services import Services
from ladderboard.server.teams.invitations import (
    NO_GOOD,
    accept_invitation,
    find_competition_of,
    list_open_invitations,
    make_invitation,
    revoke_invitation,
)
from ladderboard.server.teams.merging import merge
from ladderboard.server.teams.records import InvitationBody, InvitationKind, NewInvitationBody, TeamBody
from ladderboard.server.teams.teams import (
    Ruling,
    create_team,
    find_own_team,
    find_team,
    leave_team,
    rename_team,
    return_to_team,
    rule_on_team,
)

router = APIRouter(prefix="/competitions/{slug}", tags=["teams"], responses=errors(401, 403, 404))
codes = APIRouter(tags=["teams"], responses=errors(401, 403, 404))
"""What needs no name of a competition."""

TeamName = Annotated[str, Path(max_length=200, description="The team's name; case does not matter.")]


class NewTeam(Input):
    """A team's name."""

    name: Name


class Acceptance(Input):
    """The code of an invitation."""

    code: Code


class InvitationWish(Input):
    """`join`: for one person; `merge`: offers this team to another team."""

    kind: InvitationKind = "join"


class TeamRuling(Input):
    """An organiser's decision about a team; the reason is published in the ledger."""

    status: Ruling
    reason: Line = ""


@router.post("/teams", status_code=201, responses=errors(409))
def create(slug: str, given: NewTeam, services: TheServices, person: SignedIn) -> TeamBody:
    """Create a team. The caller is its first member; an organiser's team starts empty."""
    return create_team(services.database, services.competition(slug), person, given.name)


@router.get("/team")
def find_own(slug: str, services: TheServices, person: SignedIn) -> TeamBody:
    """Return the caller's team."""
    team = find_own_team(services.database, services.competition(slug), person)
    if team is None:
        raise NotFoundError("you have no team in this competition")
    return team


@router.delete("/team", status_code=204)
def leave(slug: str, services: TheServices, person: SignedIn) -> None:
    """Leave your team. It gives no fresh start: you can only return to the same team."""
    leave_team(services.database, services.competition(slug), person)


@router.post("/team/return", responses=errors(409))
def come_back(slug: str, services: TheServices, person: SignedIn) -> TeamBody:
    """Return to the team you left as its last member."""
    return return_to_team(services.database, services.competition(slug), person)


@codes.post("/invitations/accept", responses=errors(409))
def accept(given: Acceptance, services: TheServices, person: SignedIn) -> TeamBody:
    """Join a team with the code of an invitation, which knows its competition."""
    slug = find_competition_of(services.database, given.code)
    return accept_here(slug or "", given, services, person)


@router.post("/invitations/accept", deprecated=True, responses=errors(409))
def accept_here(slug: str, given: Acceptance, services: TheServices, person: SignedIn) -> TeamBody:
    """Join a team of this competition with the code of an invitation."""
    if slug not in services.competitions:
        # The same words as for a wrong code: whether the competition exists may be secret.
        raise NotFoundError(NO_GOOD)
    return accept_invitation(services.database, services.competition(slug), person, given.code)


@router.get("/teams/{name}")
def find(slug: str, name: TeamName, services: TheServices, person: SignedIn) -> TeamBody:
    """Return a team, for its members and for organisers."""
    return find_team(services.database, services.competition(slug), person, name)


@router.patch("/teams/{name}", responses=errors(409))
def rename(slug: str, name: TeamName, given: NewTeam, services: TheServices, person: SignedIn) -> TeamBody:
    """Rename a team; everything else stays."""
    return rename_team(services.database, services.competition(slug), person, name, given.name)


@router.post("/teams/{name}/invitations", status_code=201, responses=errors(409))
def invite(
    slug: str, name: TeamName, given: InvitationWish, *, services: TheServices, person: SignedIn, request: Request
) -> NewInvitationBody:
    """Create an invitation for one person (or one merger), valid for seven days. The code is shown only once."""
    code, made = make_invitation(services.database, services.competition(slug), person, name, kind=given.kind)
    link = _link(services, request, slug, made.kind, code)
    return NewInvitationBody(code, link, made.id, made.kind, made.created_at, made.expires_at)


@router.get("/teams/{name}/invitations")
def list_invitations(slug: str, name: TeamName, services: TheServices, person: SignedIn) -> Page[InvitationBody]:
    """List the team's open invitations, oldest first."""
    found = list_open_invitations(services.database, services.competition(slug), person, name)
    return Page(found, len(found))


@router.delete("/teams/{name}/invitations/{invitation_id}", status_code=204)
def revoke(
    slug: str,
    name: TeamName,
    invitation_id: Annotated[str, Path(max_length=100)],
    services: TheServices,
    person: SignedIn,
) -> None:
    """Revoke an invitation."""
    revoke_invitation(services.database, services.competition(slug), person, name, invitation_id)


@router.post("/teams/{name}/merge", responses=errors(409))
def take_in(slug: str, name: TeamName, given: Acceptance, services: TheServices, person: SignedIn) -> TeamBody:
    """Merge the team that a merge code offers into this one: members, submissions and quota add up."""
    return merge(services.database, services.competition(slug), person, name, given.code)


@router.put("/teams/{name}/status", responses=errors(409))
def rule(slug: str, name: TeamName, given: TeamRuling, services: TheServices, person: SignedIn) -> TeamBody:
    """Withdraw, disqualify or reinstate a team (organisers). The ledger keeps the decision."""
    return rule_on_team(
        services.database, services.competition(slug), person, name, status=given.status, reason=given.reason
    )


def _link(services: Services, request: Request, slug: str, kind: InvitationKind, code: str) -> str:
    """The page on which the code is entered."""
    base = services.settings.base_url.rstrip("/") or str(request.base_url).rstrip("/")
    return f"{base}/competitions/{slug}/team?{kind}={code}"
