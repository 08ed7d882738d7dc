"""Pages for signing up, in and out, and for resetting a password."""

from dataclasses import dataclass, replace
from urllib.parse import urlencode

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.core.errors import HostingError, LadderboardError, ParameterError
from ladderboard.server.app.api import Address, TheAccounts, TheServices
from ladderboard.server.app.auth import begin_session, end_session
from ladderboard.server.app.pages import CheckedForm, Reader, go, keep_own_path, read_checked_form, show
from ladderboard.server.app.text import sentence
from ladderboard.server.people import identities
from ladderboard.server.people.passwords import SHORTEST
from ladderboard.server.people.records import Account
from ladderboard.server.services import Services

router = APIRouter(include_in_schema=False)

PASSWORD_HINT = f"At least {SHORTEST} characters; a few random words work best."
NOTICES = {
    "password-set": "Your new password is set. You can sign in now.",
    "deleted": "Your account is deleted.",
}


@dataclass(frozen=True)
class ProviderLink:
    """An identity provider to sign in with."""

    title: str
    href: str


@dataclass(frozen=True)
class SignForm:
    """A sign-in or sign-up form: what was typed (never a password) and what was wrong."""

    name: str = ""
    code: str = ""
    next: str = "/"
    problem: str = ""
    notice: str = ""
    sign_up: str = "open"
    password_hint: str = PASSWORD_HINT
    providers: tuple[ProviderLink, ...] = ()
    has_passwords: bool = True

    @property
    def asks_code(self) -> bool:
        return self.sign_up == "code"


@router.get("/sign-in")
def sign_in_page(request: Request, services: TheServices, person: Reader) -> Response:
    """Show the sign-in form; a signed-in person is sent on."""
    onwards = keep_own_path(request.query_params.get("next"))
    if person is not None:
        return go(onwards)
    form = make_form(services, onwards)
    notice = NOTICES.get(request.query_params.get("notice", ""), "")
    return show(request, "people/sign_in.html", None, form=replace(form, notice=notice))


@router.post("/sign-in")
def sign_in(
    request: Request, form: CheckedForm, accounts: TheAccounts, services: TheServices, address: Address
) -> Response:
    """Begin a session."""
    name, onwards = form.text("name"), keep_own_path(form.text("next"))
    try:
        account = accounts.sign_in(name, form.text("password"), address=address)
    except HostingError as error:
        return show_sign_in_again(request, services, error, onwards, name=name)
    return welcome(request, services, account, onwards)


@router.get("/sign-up")
def sign_up_page(request: Request, services: TheServices, person: Reader) -> Response:
    """Show the sign-up form."""
    onwards = keep_own_path(request.query_params.get("next"))
    if person is not None:
        return go(onwards)
    if not services.settings.password_sign_in:
        return go("/sign-in", next=onwards)
    form = replace(make_form(services, onwards), code=request.query_params.get("code", ""))
    return show(request, "people/sign_up.html", None, form=form)


@router.post("/sign-up")
def sign_up(
    request: Request, form: CheckedForm, accounts: TheAccounts, services: TheServices, address: Address
) -> Response:
    """Create an account and begin its first session."""
    name, code, onwards = form.text("name"), form.text("code"), keep_own_path(form.text("next"))
    try:
        account = accounts.sign_up(name, form.text("password"), code=code or None, address=address)
    except (HostingError, ParameterError) as error:
        again = replace(make_form(services, onwards), name=name, code=code)
        return show_again(request, "people/sign_up.html", error, again)
    return welcome(request, services, account, onwards)


@router.post("/sign-out", dependencies=[Depends(read_checked_form)])
def sign_out(request: Request) -> Response:
    """End the session."""
    answer = go("/")
    end_session(request, answer)
    return answer


@router.get("/reset-password")
def reset_page(request: Request, person: Reader) -> Response:
    """Show the form for a reset code."""
    return show(request, "people/reset_password.html", person, form=SignForm(code=request.query_params.get("code", "")))


@router.post("/reset-password")
def reset(request: Request, form: CheckedForm, accounts: TheAccounts, address: Address) -> Response:
    """Set the password with a code; all sessions end."""
    code = form.text("code").strip()
    try:
        accounts.reset_password(code, form.text("password"), address=address)
    except (HostingError, ParameterError) as error:
        return show_again(request, "people/reset_password.html", error, SignForm(code=code))
    answer = go("/sign-in", notice="password-set")
    end_session(request, answer)
    return answer


def make_form(services: Services, onwards: str) -> SignForm:
    """An empty form, with every way to sign in that this server has."""
    return SignForm(
        next=onwards,
        sign_up=services.settings.sign_up,
        providers=list_provider_links(services, onwards),
        has_passwords=services.settings.password_sign_in,
    )


def list_provider_links(services: Services, onwards: str) -> tuple[ProviderLink, ...]:
    """The identity providers, with the addresses that lead to them and on."""
    return tuple(
        ProviderLink(one.provider.title, f"/sign-in/with/{name}?{urlencode({'next': onwards})}")
        for name, one in services.providers.items()
    )


def show_sign_in_again(
    request: Request, services: Services, error: LadderboardError, onwards: str, *, name: str = ""
) -> Response:
    """Show the sign-in page with what was wrong."""
    return show_again(request, "people/sign_in.html", error, replace(make_form(services, onwards), name=name))


def welcome(request: Request, services: Services, account: Account, onwards: str) -> Response:
    """Begin a session and go on."""
    answer = go(onwards)
    begin_session(request, answer, identities.begin_session(services.database, account))
    return answer


def show_again(request: Request, template: str, error: LadderboardError, form: SignForm) -> Response:
    """Show the form again, with what was wrong. A 401 would make browsers ask for a password themselves."""
    status = error.status if isinstance(error, HostingError) else 422
    status = 403 if status == 401 else status
    return show(request, template, None, status=status, form=replace(form, problem=sentence(str(error))))
