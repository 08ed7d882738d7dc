"""The page of a competition's people: roles, invitations by list or by one link."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import get_args

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.core.errors import HostingError, ParameterError
from ladderboard.core.words import pluralise
from ladderboard.server.app.api import TheServices
from ladderboard.server.app.pages import (
    CheckedForm,
    Pager,
    Reader,
    find_site_address,
    go,
    page_number,
    pager,
    read_notice,
    show,
)
from ladderboard.server.app.text import sentence
from ladderboard.server.competitions.context import CompetitionContext, require_duty
from ladderboard.server.enrolment import invitations, staff
from ladderboard.server.enrolment.invitations import LINK_PATH, USUAL_DAYS
from ladderboard.server.enrolment.pasted_list import read_list, write_list
from ladderboard.server.enrolment.records import EnrolledBody, EnrolmentLinkBody, Invitee, LineProblem
from ladderboard.server.operations.spreadsheets import write_csv_lines
from ladderboard.server.people.records import GivenRole
from ladderboard.server.people.roles import STAFF
from ladderboard.server.services import Services

router = APIRouter(include_in_schema=False)

ON_A_PAGE = 100
LINKS_SHOWN = 100
NOTICES = {
    "role": "The role is changed.",
    "removed": "The role is taken away.",
    "revoked": "The invitation is revoked.",
}
WHAT_ROLES_MAY: tuple[tuple[GivenRole, str], ...] = (
    ("teacher", "everything: dates, labels, roles, grades"),
    ("assistant", "teams, flags, extra attempts, invitations; sees names and grades"),
    ("reader", "sees names, flags and grades; changes nothing"),
    ("participant", "competes"),
)


@dataclass(frozen=True)
class PersonLine:
    """Somebody with a role."""

    person: EnrolledBody
    shown: str
    at: datetime


@dataclass(frozen=True)
class LinkLine:
    """An open invitation."""

    id: str
    shown: str
    role: str
    expires_at: datetime


@dataclass(frozen=True)
class PastedPeople:
    """A list to be confirmed, or mended."""

    text: str = ""
    role: str = "participant"
    days: str = str(USUAL_DAYS)
    people: tuple[Invitee, ...] = ()
    problems: tuple[LineProblem, ...] = ()
    good: str = ""
    """The lines that were understood, as the form sends them back."""


@dataclass(frozen=True)
class NewLinks:
    """Invitations that were just made, shown once."""

    sentence: str
    csv: str


@dataclass(frozen=True)
class PeopleView:
    """The page."""

    base: str
    people: tuple[PersonLine, ...]
    total: int
    pager: Pager
    links: tuple[LinkLine, ...]
    more_links: int
    roles: tuple[tuple[GivenRole, str], ...]
    may_invite: bool
    may_change_roles: bool
    pasted: PastedPeople = PastedPeople()
    new_links: NewLinks | None = None
    notice: str = ""
    problem: str = ""


@router.get("/competitions/{slug}/organise/people")
def people_page(request: Request, services: TheServices, person: Reader, slug: str) -> Response:
    """Show who has a role, and the open invitations."""
    context = require_duty(services, slug, person, "oversee")
    return _show(request, context, replace(_view(request, services, context), notice=read_notice(request, NOTICES)))


@router.post("/competitions/{slug}/organise/people/role")
def change_role(request: Request, services: TheServices, person: Reader, form: CheckedForm, slug: str) -> Response:
    """Give somebody a role, or take it away."""
    context = require_duty(services, slug, person, "organise")
    name, role = form.text("name").strip(), form.text("role")
    try:
        if role == "none":
            staff.take_role(services.database, slug, name)
        else:
            staff.give_role(services.database, slug, name, _read_role(role))
    except (HostingError, ParameterError) as error:
        return _show_again(request, services, context, error)
    return go(f"{context.path}/organise/people", notice="removed" if role == "none" else "role")


@router.post("/competitions/{slug}/organise/people/invite")
def invite(request: Request, services: TheServices, person: Reader, form: CheckedForm, slug: str) -> Response:
    """Read a pasted list and ask for confirmation; invite the people of a confirmed one."""
    context = require_duty(services, slug, person, "assist")
    given = PastedPeople(form.text("people"), form.text("role"), form.text("days"))
    try:
        role, days = _read_role(given.role), _read_number(given.days, "days")
        if role in STAFF:
            require_duty(services, slug, person, "organise")
        read = read_list(given.text)
        if form.text("confirmed") != "yes" or read.problems:
            asked = replace(given, people=read.people, problems=read.problems, good=write_list(read.people))
            return _show(request, context, replace(_view(request, services, context), pasted=asked))
        made = invitations.invite_people(services.database, slug, read.people, role=role, days=days)
    except (HostingError, ParameterError) as error:
        return _show_again(request, services, context, error, given)
    shown = NewLinks(_count_invited(len(made), len(read.people)), _write_links(request, made))
    return _show(request, context, replace(_view(request, services, context), new_links=shown))


@router.post("/competitions/{slug}/organise/people/link")
def make_link(request: Request, services: TheServices, person: Reader, form: CheckedForm, slug: str) -> Response:
    """Make one link for many."""
    context = require_duty(services, slug, person, "assist")
    try:
        uses = _read_number(form.text("uses"), "people") if form.text("uses").strip() else None
        made = invitations.make_open_link(
            services.database, slug, uses=uses, days=_read_number(form.text("days"), "days")
        )
    except (HostingError, ParameterError) as error:
        return _show_again(request, services, context, error)
    shown = NewLinks("Give this link to everybody who is to take part.", _link(request, made[0]))
    return _show(request, context, replace(_view(request, services, context), new_links=shown))


@router.post("/competitions/{slug}/organise/people/links/{link_id}/revoke")
def revoke(
    request: Request, services: TheServices, person: Reader, slug: str, link_id: str, _form: CheckedForm
) -> Response:
    """Revoke an invitation."""
    context = require_duty(services, slug, person, "assist")
    try:
        invitations.revoke_link(services.database, slug, link_id)
    except HostingError as error:
        return _show_again(request, services, context, error)
    return go(f"{context.path}/organise/people", notice="revoked")


def _view(request: Request, services: Services, context: CompetitionContext) -> PeopleView:
    page, base = page_number(request), f"{context.path}/organise/people"
    people, total = staff.list_enrolled(services.database, context.slug, limit=ON_A_PAGE, offset=(page - 1) * ON_A_PAGE)
    links, open_links = invitations.list_links(services.database, context.slug, limit=LINKS_SHOWN)
    return PeopleView(
        base=base,
        people=tuple(PersonLine(one, one.real_name or one.name, context.in_zone(one.enrolled_at)) for one in people),
        total=total,
        pager=pager(base, page=page, pages=-(-total // ON_A_PAGE)),
        links=tuple(LinkLine(one.id, _name_link(one), one.role, context.in_zone(one.expires_at)) for one in links),
        more_links=max(0, open_links - LINKS_SHOWN),
        roles=WHAT_ROLES_MAY,
        may_invite=context.may("assist"),
        may_change_roles=context.may("organise"),
    )


def _name_link(link: EnrolmentLinkBody) -> str:
    if link.real_name is None and link.address is None:
        left = "for everybody who has it"
        if link.uses_left is not None:
            left = pluralise("for one more person", "for {n} more people", link.uses_left)
        return f"Link {left}"
    return ", ".join(one for one in (link.real_name, link.address) if one is not None)


def _show(request: Request, context: CompetitionContext, view: PeopleView, *, status: int = 200) -> Response:
    head = context.head("Organise")
    return show(request, "enrolment/people.html", context.person, status=status, head=head, page=view)


def _show_again(
    request: Request,
    services: Services,
    context: CompetitionContext,
    error: HostingError | ParameterError,
    pasted: PastedPeople | None = None,
) -> Response:
    view = replace(_view(request, services, context), problem=sentence(str(error)), pasted=pasted or PastedPeople())
    return _show(request, context, view, status=getattr(error, "status", 422))


def _count_invited(made: int, listed: int) -> str:
    words = pluralise("One person is invited.", "{n} people are invited.", made)
    if made == listed:
        return words
    left_out = pluralise("One was left out", "{n} were left out", listed - made)
    return f"{words} {left_out}: they take part or are invited already."


def _write_links(request: Request, made: list[tuple[str, EnrolmentLinkBody]]) -> str:
    rows = ((one.real_name, one.address, _link(request, code)) for code, one in made)
    return "".join(write_csv_lines(("name", "address", "link"), rows)).replace("\r\n", "\n").rstrip()


def _link(request: Request, code: str) -> str:
    return f"{find_site_address(request)}{LINK_PATH}?code={code}"


def _read_role(text: str) -> GivenRole:
    for known in get_args(GivenRole):
        if text == known:
            role: GivenRole = known
            return role
    raise ParameterError(f"{text[:20]!r} is not a role; choose teacher, assistant, reader or participant")


def _read_number(text: str, word: str) -> int:
    if not (text.strip().isascii() and text.strip().isdecimal() and len(text.strip()) < 7):
        raise ParameterError(f"{text[:20]!r} is not a number of {word}; give a whole number, 1 or more")
    return int(text)
