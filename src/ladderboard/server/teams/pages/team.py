"""The team page: creating, joining, inviting, merging, renaming, leaving."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVarTuple

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.core.errors import HostingError, LadderboardError, NotFoundError, ParameterError, SignInRequiredError
from ladderboard.server.app.api import TheServices
from ladderboard.server.app.pages import CheckedForm, Reader, find_site_address, go, read_checked_form, show
from ladderboard.server.app.text import sentence
from ladderboard.server.competitions.context import CompetitionContext, read_context
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.db.database import Database
from ladderboard.server.people.roles import Person
from ladderboard.server.services import Services
from ladderboard.server.submissions.own_submissions import read_place
from ladderboard.server.submissions.views import range_words, rank_words
from ladderboard.server.teams import merging
from ladderboard.server.teams.invitations import (
    NO_GOOD,
    accept_invitation,
    list_open_invitations,
    make_invitation,
    revoke_invitation,
)
from ladderboard.server.teams.records import InvitationKind, TeamBody
from ladderboard.server.teams.teams import create_team, find_own_team, leave_team, rename_team, return_to_team

router = APIRouter(include_in_schema=False)

Given = TypeVarTuple("Given")

NOTICES = {
    "created": "Your team is created.",
    "joined": "You have joined the team.",
    "renamed": "The team is renamed.",
    "merged": "The teams are merged.",
    "revoked": "The invitation is revoked.",
    "left": "You have left the team.",
}


@dataclass(frozen=True)
class MemberLine:
    """A row of the table of members."""

    name: str
    is_you: bool
    joined_at: datetime


@dataclass(frozen=True)
class InvitationLine:
    """A row of the table of open invitations."""

    id: str
    purpose: str
    created_at: datetime
    expires_at: datetime


@dataclass(frozen=True)
class NewCode:
    """A code that was just created, shown once."""

    title: str
    sentence: str
    code: str
    link: str


@dataclass(frozen=True)
class TeamView:
    """The team page. ``name`` is empty for a person without a team."""

    base: str
    name: str = ""
    may_create: bool = True
    code: str = ""
    merge_code: str = ""
    members: tuple[MemberLine, ...] = ()
    invitations: tuple[InvitationLine, ...] = ()
    may_invite: bool = False
    invite_sentence: str = ""
    may_merge: bool = False
    merge_until: datetime | None = None
    may_rename: bool = False
    rank: str = ""
    range: str = ""
    value: str = ""
    attempts: int = 0
    link: NewCode | None = None
    problem: str = ""
    notice: str = ""


@router.get("/competitions/{slug}/team")
def team_page(request: Request, services: TheServices, person: Reader, slug: str) -> Response:
    """Show one's own team, or how to get one. An invitation's link leads here, with its code in the address."""
    somebody, asked = _require_person(person), request.query_params
    try:
        context = read_context(services, slug, somebody)
    except NotFoundError:
        if "join" not in asked:
            raise
        return _join_page(request, somebody, slug, code=asked["join"])
    view = read_team_page(services, context, code=asked.get("join", ""), merge_code=asked.get("merge", ""))
    return _show(request, context, replace(view, notice=NOTICES.get(asked.get("notice", ""), "")))


@router.post("/competitions/{slug}/team")
def create(request: Request, services: TheServices, person: Reader, form: CheckedForm, slug: str) -> Response:
    """Create a team."""
    somebody, context = _enter(services, person, slug)
    return _try(request, services, context, create_team, somebody, form.text("name"), notice="created")


@router.post("/competitions/{slug}/team/join")
def join(request: Request, services: TheServices, person: Reader, form: CheckedForm, slug: str) -> Response:
    """Accept an invitation, also to a private competition."""
    somebody, code = _require_person(person), form.text("code").strip()
    try:
        accept_invitation(services.database, services.competition(slug), somebody, code)
    except HostingError as error:
        try:
            return _show_again(request, services, read_context(services, slug, somebody), error, code=code)
        except NotFoundError:
            # The same response for a wrong code and for a competition that does not exist or is hidden.
            return _join_page(request, somebody, slug, code=code, problem=sentence(NO_GOOD), status=404)
    return go(f"/competitions/{slug}/team", notice="joined")


@router.post("/competitions/{slug}/team/return", dependencies=[Depends(read_checked_form)])
def come_back(request: Request, services: TheServices, person: Reader, slug: str) -> Response:
    """Return to the team one left as its last member."""
    somebody, context = _enter(services, person, slug)
    return _try(request, services, context, return_to_team, somebody, notice="joined")


@router.post("/competitions/{slug}/team/invitations")
def invite(request: Request, services: TheServices, person: Reader, form: CheckedForm, slug: str) -> Response:
    """Create a code; it is shown only in this response."""
    somebody, context = _enter(services, person, slug)
    kind: InvitationKind = "merge" if form.text("kind") == "merge" else "join"
    try:
        code, _ = make_invitation(services.database, context.live, somebody, _name_own_team(context), kind=kind)
    except HostingError as error:
        return _show_again(request, services, context, error)
    address = f"{find_site_address(request)}{context.path}/team?{kind}={code}"
    return _show(request, context, replace(read_team_page(services, context), link=_new_code(kind, code, address)))


@router.post("/competitions/{slug}/team/invitations/{invitation_id}/revoke", dependencies=[Depends(read_checked_form)])
def revoke(request: Request, services: TheServices, person: Reader, slug: str, invitation_id: str) -> Response:
    """Revoke an invitation."""
    somebody, context = _enter(services, person, slug)
    own = _name_own_team(context)
    return _try(request, services, context, revoke_invitation, somebody, own, invitation_id, notice="revoked")


@router.post("/competitions/{slug}/team/merge")
def merge(request: Request, services: TheServices, person: Reader, form: CheckedForm, slug: str) -> Response:
    """Merge another team into one's own."""
    somebody, context = _enter(services, person, slug)
    own, code = _name_own_team(context), form.text("code").strip()
    return _try(request, services, context, merging.merge, somebody, own, code, notice="merged", merge_code=code)


@router.post("/competitions/{slug}/team/rename")
def rename(request: Request, services: TheServices, person: Reader, form: CheckedForm, slug: str) -> Response:
    """Rename the team."""
    somebody, context = _enter(services, person, slug)
    own = _name_own_team(context)
    return _try(request, services, context, rename_team, somebody, own, form.text("name"), notice="renamed")


@router.post("/competitions/{slug}/team/leave", dependencies=[Depends(read_checked_form)])
def leave(request: Request, services: TheServices, person: Reader, slug: str) -> Response:
    """Leave the team."""
    somebody, context = _enter(services, person, slug)
    onwards = "/" if context.live.rules.visibility == "private" else None
    return _try(request, services, context, leave_team, somebody, notice="left", onwards=onwards)


def _join_page(
    request: Request, person: Person, slug: str, *, code: str, problem: str = "", status: int = 200
) -> Response:
    """Show the form for an invitation to a private competition; it reveals nothing about it."""
    return show(request, "teams/join.html", person, status=status, slug=slug, code=code, failure=problem)


def read_team_page(
    services: Services, context: CompetitionContext, *, code: str = "", merge_code: str = ""
) -> TeamView:
    """Read what the team page shows to this person."""
    assert context.person is not None
    is_over = context.status in ("closed", "finalized", "revealed") and not context.live.rules.late_submissions
    view = TeamView(base=f"{context.path}/team", may_create=not is_over, code=code, merge_code=merge_code)
    team = find_own_team(services.database, context.live, context.person)
    return view if team is None else _add_team(services, context, view, team)


def _add_team(services: Services, context: CompetitionContext, view: TeamView, team: TeamBody) -> TeamView:
    assert context.person is not None
    assert context.team is not None
    rules, name = context.live.rules.teams, context.person.name
    place = read_place(services, context.live, context.team)
    open_ones = list_open_invitations(services.database, context.live, context.person, team.name)
    room = rules.largest - len(team.members)
    merge_is_over = rules.merge_until is not None and context.now > rules.merge_until
    return replace(
        view,
        name=team.name,
        members=tuple(MemberLine(one.name, one.name == name, context.in_zone(one.joined_at)) for one in team.members),
        invitations=tuple(
            InvitationLine(
                one.id,
                "joining" if one.kind == "join" else "merging",
                context.in_zone(one.created_at),
                context.in_zone(one.expires_at),
            )
            for one in open_ones
        ),
        may_invite=room > 0 and team.status == "active",
        invite_sentence=_room_words(room, rules.largest),
        may_merge=rules.merging and rules.largest > 1 and context.status == "open" and not merge_is_over,
        merge_until=None if rules.merge_until is None else context.in_zone(rules.merge_until),
        may_rename=team.status == "active",
        rank=rank_words(place),
        range=range_words(place),
        value=context.live.score_format.write(team.board_value),
        attempts=team.quota.used,
    )


def _room_words(room: int, largest: int) -> str:
    if largest == 1:
        return "Everybody competes alone in this competition."
    if room <= 0:
        return f"The team is full: {largest} members."
    return f"There is room for {room} more. An invitation is for one person and valid for seven days."


def _new_code(kind: str, code: str, link: str) -> NewCode:
    if kind == "merge":
        words = "Give this code to the other team. When they enter it, your team joins theirs. It is shown only once."
        return NewCode("Your merge code", words, code, link)
    words = "Give this code to the person you want in your team. It works once and is shown only once."
    return NewCode("Your invitation", words, code, link)


def _show_again(
    request: Request,
    services: Services,
    context: CompetitionContext,
    error: LadderboardError,
    *,
    code: str = "",
    merge_code: str = "",
) -> Response:
    status = error.status if isinstance(error, HostingError) else 422
    view = replace(read_team_page(services, context, code=code, merge_code=merge_code), problem=sentence(str(error)))
    return _show(request, context, view, status=status)


def _show(request: Request, context: CompetitionContext, view: TeamView, *, status: int = 200) -> Response:
    return show(request, "teams/team.html", context.person, status=status, head=context.head("Team"), team=view)


def _try(
    request: Request,
    services: Services,
    context: CompetitionContext,
    rule: Callable[[Database, LiveCompetition, Person, *Given], object],
    *given: *tuple[Person, *Given],
    notice: str,
    onwards: str | None = None,
    merge_code: str = "",
) -> Response:
    """Apply a rule of teams, then go on to the page with a notice; what the rule refuses is said on the page."""
    try:
        rule(services.database, context.live, *given)
    except (HostingError, ParameterError) as error:
        return _show_again(request, services, context, error, merge_code=merge_code)
    return go(onwards or f"{context.path}/team", notice=notice)


def _enter(services: Services, person: Person | None, slug: str) -> tuple[Person, CompetitionContext]:
    somebody = _require_person(person)
    return somebody, read_context(services, slug, somebody)


def _name_own_team(context: CompetitionContext) -> str:
    """The name of the own team; empty without one, so that every action on it is refused."""
    return "" if context.team is None else str(context.team.name)


def _require_person(person: Person | None) -> Person:
    if person is None:
        raise SignInRequiredError("sign in to create or join a team")
    return person
