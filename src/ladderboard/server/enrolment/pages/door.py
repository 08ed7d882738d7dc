"""The page behind an invitation: take part with the account one has, or make one."""

from dataclasses import dataclass, replace
from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.core.errors import HostingError, LadderboardError, ParameterError
from ladderboard.server.app.api import Address, TheAccounts, TheServices
from ladderboard.server.app.pages import CheckedForm, Reader, go, show
from ladderboard.server.app.text import sentence
from ladderboard.server.enrolment.invitations import LINK_PATH, accept, find_link, sign_up_invited
from ladderboard.server.people.accounts import NAMES_PER_ADDRESS
from ladderboard.server.people.pages.sign_in import PASSWORD_HINT, ProviderLink, list_provider_links, welcome
from ladderboard.server.people.roles import STAFF, Person
from ladderboard.server.services import Services

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True)
class InvitationView:
    """The page; ``title`` is empty where there is no such invitation."""

    code: str = ""
    title: str = ""
    role: str = ""
    invited: str = ""
    asks_name: bool = False
    account: str = ""
    has_passwords: bool = True
    providers: tuple[ProviderLink, ...] = ()
    sign_in: str = ""
    name: str = ""
    real_name: str = ""
    password_hint: str = PASSWORD_HINT
    problem: str = ""


@router.get(LINK_PATH)
def invitation_page(request: Request, services: TheServices, person: Reader, address: Address) -> Response:
    """Show what the invitation is for; opening it spends nothing."""
    return _show(request, person, _view(services, person, request.query_params.get("code", ""), address))


@router.post(LINK_PATH)
def take_part(
    request: Request,
    services: TheServices,
    accounts: TheAccounts,
    *,
    person: Reader,
    form: CheckedForm,
    address: Address,
) -> Response:
    """Spend the invitation, with the account that is signed in or with a new one."""
    code, name, real_name = form.text("code"), form.text("name"), form.text("real_name")
    view = _view(services, person, code, address)
    if view.problem:
        return _show(request, person, view)
    try:
        if person is not None:
            slug = accept(accounts, accounts.get(person.id), code, real_name=real_name)
            return go(f"/competitions/{slug}")
        account, slug = sign_up_invited(
            accounts, name, form.text("password"), code, real_name=real_name, address=address
        )
    except (HostingError, ParameterError) as error:
        return _show(request, person, replace(view, name=name, real_name=real_name), error)
    return welcome(request, services, account, f"/competitions/{slug}")


def _view(services: Services, person: Person | None, code: str, address: str) -> InvitationView:
    most = services.settings.sign_in_tries_per_minute * NAMES_PER_ADDRESS
    try:
        link = find_link(services.database, code, address=address, most=most)
        title = services.competition(link.competition).rules.title
    except HostingError as error:
        return InvitationView(problem=sentence(str(error)))
    here = f"{LINK_PATH}?{urlencode({'code': code})}"
    return InvitationView(
        code=code,
        title=title,
        role=link.role if link.role in STAFF else "",
        invited=", ".join(one for one in (link.real_name, link.address) if one is not None),
        asks_name=link.real_name is None,
        account="" if person is None else person.name,
        has_passwords=services.settings.password_sign_in,
        providers=list_provider_links(services, here),
        sign_in=f"/sign-in?{urlencode({'next': here})}",
    )


def _show(
    request: Request,
    person: Person | None,
    view: InvitationView,
    error: LadderboardError | None = None,
) -> Response:
    status = 404 if view.problem else 200
    if error is not None:
        status = error.status if isinstance(error, HostingError) else 422
        view = replace(view, problem=sentence(str(error)))
    return show(request, "enrolment/invitation.html", person, status=status, invitation=view)
