"""People of a competition over the API: roles, and invitations."""

from typing import Annotated

from fastapi import APIRouter, Path, Request
from pydantic import Field, StringConstraints

from ladderboard.core.errors import ParameterError
from ladderboard.server.app.api import Input, Paging, TheServices
from ladderboard.server.app.auth import SignedIn, requires
from ladderboard.server.app.errors import errors
from ladderboard.server.app.pages import find_site_address
from ladderboard.server.app.records import Page
from ladderboard.server.enrolment import invitations, staff
from ladderboard.server.enrolment.invitations import LINK_PATH, MOST_DAYS, MOST_OPEN, USUAL_DAYS
from ladderboard.server.enrolment.pasted_list import LONGEST_LIST, read_list
from ladderboard.server.enrolment.records import EnrolledBody, EnrolmentLinkBody, NewEnrolmentLinkBody
from ladderboard.server.people.records import GivenRole
from ladderboard.server.people.roles import STAFF, require

router = APIRouter(
    prefix="/competitions/{slug}/organise",
    tags=["people of a competition"],
    responses=errors(401, 403, 404),
    dependencies=[requires("oversee")],
)

PersonName = Annotated[str, Path(max_length=200, description="The account's name.")]
Days = Annotated[int, Field(ge=1, le=MOST_DAYS, description="How long the invitation lasts.")]


class RoleWish(Input):
    """What somebody is to be in the competition."""

    role: GivenRole


class ListWish(Input):
    """People to invite, one a line: an address, a name, or both."""

    people: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_LIST)]
    role: GivenRole = "participant"
    days: Days = USUAL_DAYS


class LinkWish(Input):
    """A link with which everybody who has it can take part."""

    uses: Annotated[int | None, Field(ge=1, le=MOST_OPEN, description="null: as often as one likes.")] = None
    days: Days = USUAL_DAYS


@router.get("/people")
def list_people(slug: str, services: TheServices, part: Paging) -> Page[EnrolledBody]:
    """List who has a role in the competition, with the names and addresses that only its staff sees."""
    found, total = staff.list_enrolled(services.database, slug, limit=part.limit, offset=part.offset)
    return part.page(found, total)


@router.put("/people/{name}", status_code=204, responses=errors(409), dependencies=[requires("organise")])
def give_role(slug: str, name: PersonName, given: RoleWish, services: TheServices) -> None:
    """Make somebody with an account a teacher, assistant, reader or participant; effective at once."""
    staff.give_role(services.database, slug, name, given.role)


@router.delete("/people/{name}", status_code=204, dependencies=[requires("organise")])
def take_role(slug: str, name: PersonName, services: TheServices) -> None:
    """Take somebody's role away; a team and what it submitted stay."""
    staff.take_role(services.database, slug, name)


@router.get("/invitations")
def list_invitations(slug: str, services: TheServices, part: Paging) -> Page[EnrolmentLinkBody]:
    """List the open invitations to the competition, newest first."""
    found, total = invitations.list_links(services.database, slug, limit=part.limit, offset=part.offset)
    return part.page(found, total)


@router.post("/invitations", status_code=201, responses=errors(409))
def invite(
    slug: str, given: ListWish, request: Request, services: TheServices, person: SignedIn
) -> Page[NewEnrolmentLinkBody]:
    """Invite the people on a list, each with a link of their own, which is shown only once.

    A list with a line that is not understood is refused as a whole. Whoever takes part or is invited already is left
    out. Assistants invite participants; teachers also invite staff.
    """
    require(person, "organise" if given.role in STAFF else "assist", services.competition(slug).rules)
    read = read_list(given.people)
    if read.problems:
        lines = "; ".join(f"line {one.line}: {one.message}" for one in read.problems[:20])
        raise ParameterError(f"nobody was invited; mend these lines or leave them out: {lines}")
    made = invitations.invite_people(services.database, slug, read.people, role=given.role, days=given.days)
    return Page([_shown_once(request, code, link) for code, link in made], len(made))


@router.post("/invitations/link", status_code=201, responses=errors(409), dependencies=[requires("assist")])
def make_link(slug: str, given: LinkWish, request: Request, services: TheServices) -> NewEnrolmentLinkBody:
    """Make one link with which everybody who has it can take part. It is shown only this once."""
    code, made = invitations.make_open_link(services.database, slug, uses=given.uses, days=given.days)
    return _shown_once(request, code, made)


@router.delete("/invitations/{link_id}", status_code=204, dependencies=[requires("assist")])
def revoke(slug: str, link_id: Annotated[str, Path(max_length=100)], services: TheServices) -> None:
    """Revoke an invitation; whoever has used it stays."""
    invitations.revoke_link(services.database, slug, link_id)


def _shown_once(request: Request, code: str, made: EnrolmentLinkBody) -> NewEnrolmentLinkBody:
    return NewEnrolmentLinkBody(
        link=f"{find_site_address(request)}{LINK_PATH}?code={code}",
        id=made.id,
        role=made.role,
        real_name=made.real_name,
        address=made.address,
        uses_left=made.uses_left,
        created_at=made.created_at,
        expires_at=made.expires_at,
    )
