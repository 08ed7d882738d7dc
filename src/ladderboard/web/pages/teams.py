"""A team's page: founding, joining, inviting, merging, renaming, leaving."""

from dataclasses import dataclass, replace
from datetime import datetime

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.errors import HostingError, LadderboardError, NotFoundError, ParameterError, SignInRequiredError
from ladderboard.hosting import merging
from ladderboard.hosting.host import Host
from ladderboard.hosting.invitations import NO_GOOD, Invitations, Kind
from ladderboard.hosting.roles import Person
from ladderboard.hosting.standings import place_of
from ladderboard.hosting.teams import Team, Teams
from ladderboard.web.pages.scene import Scene, scene_of
from ladderboard.web.pages.showing import CheckedForm, Reader, address_of, checked_form, go, show
from ladderboard.web.pages.submission_views import range_words, rank_words
from ladderboard.web.parts import TheHost
from ladderboard.web.text import _, score, sentence
from ladderboard.words import said

router = APIRouter(include_in_schema=False)

SAID = {
    "founded": said("Your team is founded."),
    "joined": said("You are in."),
    "renamed": said("The team has its new name."),
    "merged": said("The teams are one now."),
    "revoked": said("The invitation is taken back."),
    "left": said("You have left the team."),
}


@dataclass(frozen=True)
class MemberLine:
    """A member."""

    name: str
    is_you: bool
    joined_at: datetime


@dataclass(frozen=True)
class InvitationLine:
    """An open invitation."""

    id: str
    purpose: str
    created_at: datetime
    expires_at: datetime


@dataclass(frozen=True)
class NewCode:
    """A code that was just made, shown once."""

    title: str
    sentence: str
    code: str
    link: str


@dataclass(frozen=True)
class TeamView:
    """The page. ``name`` is empty for somebody without a team."""

    base: str
    name: str = ""
    may_found: bool = True
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
    said: str = ""


@router.get("/competitions/{slug}/team")
def team_page(request: Request, host: TheHost, person: Reader, slug: str) -> Response:
    """The own team; or how to get one. The link of an invitation leads here, with its code in the address."""
    somebody, asked = _somebody(person), request.query_params
    try:
        scene = scene_of(host, slug, somebody)
    except NotFoundError:
        if "join" not in asked:
            raise
        return _join_page(request, somebody, slug, code=asked["join"])
    view = team_view(host, scene, code=asked.get("join", ""), merge_code=asked.get("merge", ""))
    return _show(request, scene, replace(view, said=SAID.get(asked.get("said", ""), "")))


@router.post("/competitions/{slug}/team")
def found(request: Request, host: TheHost, person: Reader, form: CheckedForm, slug: str) -> Response:
    """Found a team."""
    somebody, scene = _entering(host, person, slug)
    try:
        Teams(host.database).create(scene.hosted, somebody, form.text("name"))
    except (HostingError, ParameterError) as error:
        return _again(request, host, scene, error)
    return go(f"{scene.path}/team", said="founded")


@router.post("/competitions/{slug}/team/join")
def join(request: Request, host: TheHost, person: Reader, form: CheckedForm, slug: str) -> Response:
    """Accept an invitation; the competition itself may be one that only members see."""
    somebody, code = _somebody(person), form.text("code").strip()
    try:
        Invitations(Teams(host.database)).accept(host.hosted(slug), somebody, code)
    except HostingError as error:
        try:
            return _again(request, host, scene_of(host, slug, somebody), error, code=code)
        except NotFoundError:
            # One answer for a wrong code and for a competition that does not exist, or not for this person.
            return _join_page(request, somebody, slug, code=code, problem=sentence(NO_GOOD), status=404)
    return go(f"/competitions/{slug}/team", said="joined")


@router.post("/competitions/{slug}/team/return", dependencies=[Depends(checked_form)])
def come_back(request: Request, host: TheHost, person: Reader, slug: str) -> Response:
    """Go back to the team that one left as its last member."""
    somebody, scene = _entering(host, person, slug)
    try:
        Teams(host.database).come_back(scene.hosted, somebody)
    except HostingError as error:
        return _again(request, host, scene, error)
    return go(f"{scene.path}/team", said="joined")


@router.post("/competitions/{slug}/team/invitations")
def invite(request: Request, host: TheHost, person: Reader, form: CheckedForm, slug: str) -> Response:
    """Make a code; it is in this answer and nowhere else."""
    somebody, scene = _entering(host, person, slug)
    kind: Kind = "merge" if form.text("kind") == "merge" else "join"
    try:
        code, _ = Invitations(Teams(host.database)).invite(scene.hosted, somebody, _own(scene), kind=kind)
    except HostingError as error:
        return _again(request, host, scene, error)
    address = f"{address_of(request)}{scene.path}/team?{kind}={code}"
    return _show(request, scene, replace(team_view(host, scene), link=_new_code(kind, code, address)))


@router.post("/competitions/{slug}/team/invitations/{invitation_id}/revoke", dependencies=[Depends(checked_form)])
def revoke(request: Request, host: TheHost, person: Reader, slug: str, invitation_id: str) -> Response:
    """Take a code back."""
    somebody, scene = _entering(host, person, slug)
    try:
        Invitations(Teams(host.database)).revoke(scene.hosted, somebody, _own(scene), invitation_id)
    except HostingError as error:
        return _again(request, host, scene, error)
    return go(f"{scene.path}/team", said="revoked")


@router.post("/competitions/{slug}/team/merge")
def merge(request: Request, host: TheHost, person: Reader, form: CheckedForm, slug: str) -> Response:
    """Take another team in."""
    somebody, scene = _entering(host, person, slug)
    code = form.text("code").strip()
    try:
        merging.merge(Teams(host.database), scene.hosted, somebody, _own(scene), code)
    except HostingError as error:
        return _again(request, host, scene, error, merge_code=code)
    return go(f"{scene.path}/team", said="merged")


@router.post("/competitions/{slug}/team/rename")
def rename(request: Request, host: TheHost, person: Reader, form: CheckedForm, slug: str) -> Response:
    """Another name."""
    somebody, scene = _entering(host, person, slug)
    try:
        Teams(host.database).rename(scene.hosted, somebody, _own(scene), form.text("name"))
    except (HostingError, ParameterError) as error:
        return _again(request, host, scene, error)
    return go(f"{scene.path}/team", said="renamed")


@router.post("/competitions/{slug}/team/leave", dependencies=[Depends(checked_form)])
def leave(request: Request, host: TheHost, person: Reader, slug: str) -> Response:
    """Leave."""
    somebody, scene = _entering(host, person, slug)
    try:
        Teams(host.database).leave(scene.hosted, somebody)
    except HostingError as error:
        return _again(request, host, scene, error)
    return go(f"{scene.path}/team" if scene.hosted.rules.visibility != "private" else "/", said="left")


def _join_page(
    request: Request, person: Person, slug: str, *, code: str, problem: str = "", status: int = 200
) -> Response:
    """Where a code is entered for a competition that only its members see; it tells nothing of the competition."""
    return show(request, "join.html", person, status=status, slug=slug, code=code, failure=problem)


def team_view(host: Host, scene: Scene, *, code: str = "", merge_code: str = "") -> TeamView:
    """What the page says to this reader."""
    assert scene.person is not None
    is_over = scene.phase.name in ("closed", "finalized", "revealed") and not scene.hosted.rules.late_submissions
    view = TeamView(base=f"{scene.path}/team", may_found=not is_over, code=code, merge_code=merge_code)
    team = Teams(host.database).own(scene.hosted, scene.person)
    return view if team is None else _with_team(host, scene, view, team)


def _with_team(host: Host, scene: Scene, view: TeamView, team: Team) -> TeamView:
    assert scene.person is not None
    assert scene.team is not None
    rules, name = scene.hosted.rules.teams, scene.person.name
    with host.database.reading() as connection:
        place = place_of(connection, scene.hosted, scene.team)
    open_ones = Invitations(Teams(host.database)).listed(scene.hosted, scene.person, team.name)
    room = rules.largest - len(team.members)
    merge_is_over = rules.merge_until is not None and scene.now > rules.merge_until
    return replace(
        view,
        name=team.name,
        members=tuple(MemberLine(one.name, one.name == name, scene.in_zone(one.joined_at)) for one in team.members),
        invitations=tuple(
            InvitationLine(
                one.id,
                said("joining") if one.kind == "join" else said("merging"),
                scene.in_zone(one.created_at),
                scene.in_zone(one.expires_at),
            )
            for one in open_ones
        ),
        may_invite=room > 0 and team.status == "active",
        invite_sentence=_room_words(room, rules.largest),
        may_merge=rules.merging and rules.largest > 1 and scene.phase.name == "open" and not merge_is_over,
        merge_until=None if rules.merge_until is None else scene.in_zone(rules.merge_until),
        may_rename=team.status == "active",
        rank=rank_words(place),
        range=range_words(place),
        value=score(team.board_value),
        attempts=team.quota.used,
    )


def _room_words(room: int, largest: int) -> str:
    if largest == 1:
        return _("In this competition everybody competes alone.")
    if room <= 0:
        return _("The team is full: it has {n} members.").format(n=largest)
    return _("There is room for {n} more. A code lets one person in; it works for seven days.").format(n=room)


def _new_code(kind: str, code: str, link: str) -> NewCode:
    if kind == "merge":
        words = said(
            "Give this code to the other team. Whoever of them enters it takes your team in. It is shown only now."
        )
        return NewCode(said("Your merge code"), words, code, link)
    words = said("Give this code to the person you want in your team. It works once, and it is shown only now.")
    return NewCode(said("Your invitation"), words, code, link)


def _again(
    request: Request, host: Host, scene: Scene, error: LadderboardError, *, code: str = "", merge_code: str = ""
) -> Response:
    status = error.status if isinstance(error, HostingError) else 422
    view = replace(team_view(host, scene, code=code, merge_code=merge_code), problem=sentence(str(error)))
    return _show(request, scene, view, status=status)


def _show(request: Request, scene: Scene, view: TeamView, *, status: int = 200) -> Response:
    return show(request, "team.html", scene.person, status=status, head=scene.head("Team"), team=view)


def _entering(host: Host, person: Person | None, slug: str) -> tuple[Person, Scene]:
    somebody = _somebody(person)
    return somebody, scene_of(host, slug, somebody)


def _own(scene: Scene) -> str:
    """The name of the own team; what is done with it is refused where there is none."""
    return "" if scene.team is None else str(scene.team.name)


def _somebody(person: Person | None) -> Person:
    if person is None:
        raise SignInRequiredError(said("sign in to found or join a team"))
    return person
