"""The account page: teams, tokens, password, sessions."""

from dataclasses import dataclass, replace
from datetime import datetime

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.core.errors import ForbiddenError, HostingError, LadderboardError, ParameterError, SignInRequiredError
from ladderboard.core.tokens import hash_secret
from ladderboard.server.app.api import Address, TheAccounts, TheServices
from ladderboard.server.app.auth import SESSION, read_cookie
from ladderboard.server.app.pages import CheckedForm, Reader, find_site_address, go, read_checked_form, show
from ladderboard.server.app.text import sentence
from ladderboard.server.people import identities
from ladderboard.server.people.accounts import Accounts
from ladderboard.server.people.pages.sign_in import PASSWORD_HINT, ProviderLink, list_provider_links
from ladderboard.server.people.records import Role, Scope, SessionSummary, TokenBody
from ladderboard.server.people.roles import Person, find_scopes
from ladderboard.server.providers.records import LinkedIdentity
from ladderboard.server.providers.sign_on import list_linked, unlink
from ladderboard.server.services import Services

router = APIRouter(include_in_schema=False)

MOST_SHOWN = 100
MOST_SESSIONS = 8
NOTICES = {
    "password": "Your password is changed. All other sessions have ended.",
    "revoked": "The token is revoked.",
    "renewed": "The token is renewed.",
    "sessions": "All other sessions have ended.",
    "linked": "The account is linked. You can sign in with it from now on.",
    "unlinked": "The link is removed.",
}
ROLES: dict[Role, str] = {
    "organiser": "organiser",
    "participant": "participant",
    "reader": "reader",
}
_WORDS: dict[str, str] = {
    "read": "read only",
    "read submit": "submit and read",
    "organise read submit": "organise, submit and read",
}


@dataclass(frozen=True)
class MembershipLine:
    """A team the person is in."""

    name: str
    href: str
    competition: str


@dataclass(frozen=True)
class TokenLine:
    """A token, without its secret."""

    id: str
    name: str
    scopes: str
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None


@dataclass(frozen=True)
class NewToken:
    """A token that was just created, shown once."""

    name: str
    text: str
    server: str


@dataclass(frozen=True)
class ScopeChoice:
    """What a token may do."""

    value: str
    label: str


@dataclass(frozen=True)
class IdentityLine:
    """An identity that signs in to the account."""

    id: str
    title: str
    created_at: datetime


@dataclass(frozen=True)
class AccountView:
    """The account page."""

    name: str
    role: str
    teams: tuple[MembershipLine, ...]
    tokens: tuple[TokenLine, ...]
    scopes: tuple[ScopeChoice, ...]
    sessions: tuple[SessionSummary, ...]
    more_sessions: int
    has_password: bool
    identities: tuple[IdentityLine, ...]
    providers: tuple[ProviderLink, ...]
    new_token: NewToken | None = None
    password_hint: str = PASSWORD_HINT
    problem: str = ""
    notice: str = ""


@router.get("/account")
def account_page(request: Request, person: Reader) -> Response:
    """Show the account page."""
    view = _view(request, _require_person(person))
    return show(
        request,
        "people/account.html",
        person,
        account=replace(view, notice=NOTICES.get(request.query_params.get("notice", ""), "")),
    )


@router.post("/account/tokens")
def make_token(
    request: Request, accounts: TheAccounts, services: TheServices, person: Reader, form: CheckedForm
) -> Response:
    """Create a token; it is shown only in this response."""
    somebody, label = _require_person(person), form.text("name").strip()[:100]
    try:
        secret, _ = identities.make_token(
            services.database, accounts.get(somebody.id), label=label, scopes=_scopes(form.text("scope"))
        )
    except (HostingError, ParameterError) as error:
        return _show_again(request, somebody, error)
    view = replace(_view(request, somebody), new_token=NewToken(label, secret, find_site_address(request)))
    return show(request, "people/account.html", somebody, account=view)


@router.post("/account/tokens/{token_id}/revoke", dependencies=[Depends(read_checked_form)])
def revoke_token(request: Request, services: TheServices, person: Reader, token_id: str) -> Response:
    """Revoke a token."""
    somebody = _require_person(person)
    try:
        identities.revoke_token(services.database, somebody, token_id)
    except HostingError as error:
        return _show_again(request, somebody, error)
    return go("/account", notice="revoked")


@router.post("/account/tokens/{token_id}/renew", dependencies=[Depends(read_checked_form)])
def renew_token(request: Request, services: TheServices, person: Reader, token_id: str) -> Response:
    """Renew a token."""
    somebody = _require_person(person)
    try:
        identities.renew_token(services.database, somebody, token_id)
    except HostingError as error:
        return _show_again(request, somebody, error)
    return go("/account", notice="renewed")


@router.post("/account/password")
def change_password(
    request: Request, accounts: TheAccounts, person: Reader, form: CheckedForm, address: Address
) -> Response:
    """Change the password; the current session stays."""
    somebody = _require_person(person)
    try:
        accounts.change_password(
            somebody.id,
            password=form.text("password"),
            new_password=form.text("new_password"),
            address=address,
            session=_session(request),
            revoke_tokens=form.text("revoke_tokens") == "yes",
        )
    except SignInRequiredError:
        wrong = ForbiddenError("the current password is wrong; nothing was changed")
        return _show_again(request, somebody, wrong)
    except (HostingError, ParameterError) as error:
        return _show_again(request, somebody, error)
    return go("/account", notice="password")


@router.post("/account/identities/{identity_id}/remove", dependencies=[Depends(read_checked_form)])
def remove_identity(request: Request, accounts: TheAccounts, person: Reader, identity_id: str) -> Response:
    """Remove an identity that signs in to the account."""
    somebody = _require_person(person)
    try:
        unlink(accounts, somebody, identity_id)
    except HostingError as error:
        return _show_again(request, somebody, error)
    return go("/account", notice="unlinked")


@router.post("/account/sessions/end")
def end_sessions(request: Request, services: TheServices, person: Reader, form: CheckedForm) -> Response:
    """End all other sessions; with ``everywhere`` the current one too."""
    somebody, everywhere = _require_person(person), form.text("everywhere") == "yes"
    identities.end_sessions(services.database, somebody, but=None if everywhere else _session(request))
    return go("/sign-in") if everywhere else go("/account", notice="sessions")


def _view(request: Request, person: Person) -> AccountView:
    services: Services = request.app.state.services
    accounts: Accounts = request.app.state.accounts
    active = identities.list_sessions(services.database, person, current=_session(request))
    tokens, _ = identities.list_tokens(services.database, person, limit=MOST_SHOWN)
    allowed = find_scopes(person.role, person.roles)
    lines = sorted(active, key=lambda one: not one.is_current)
    return AccountView(
        name=person.name,
        role=ROLES[person.role],
        teams=tuple(
            MembershipLine(
                one.name, f"/competitions/{one.competition}/team", services.competitions[one.competition].rules.title
            )
            for one in accounts.list_memberships(person.id)
            if one.competition in services.competitions
        ),
        tokens=tuple(_token_line(one) for one in tokens),
        scopes=tuple(
            ScopeChoice(value, label) for value, label in reversed(_WORDS.items()) if set(value.split()) <= allowed
        ),
        has_password=accounts.has_password(person.id),
        identities=tuple(_identity_line(services, one) for one in list_linked(accounts, person)),
        providers=list_provider_links(services, "/account"),
        sessions=tuple(lines[:MOST_SESSIONS]),
        more_sessions=max(0, len(lines) - MOST_SESSIONS),
    )


def _identity_line(services: Services, identity: LinkedIdentity) -> IdentityLine:
    titles = {one.provider.issuer: one.provider.title for one in services.providers.values()}
    return IdentityLine(identity.id, titles.get(identity.issuer, identity.issuer), identity.created_at)


def _token_line(token: TokenBody) -> TokenLine:
    scopes = _WORDS.get(" ".join(sorted(token.scopes)), ", ".join(token.scopes))
    return TokenLine(token.id, token.label, scopes, token.created_at, token.expires_at, token.last_used_at)


def _show_again(request: Request, person: Person, error: LadderboardError) -> Response:
    status = error.status if isinstance(error, HostingError) else 422
    view = replace(_view(request, person), problem=sentence(str(error)))
    return show(request, "people/account.html", person, status=403 if status == 401 else status, account=view)


def _scopes(text: str) -> list[Scope]:
    known: tuple[Scope, ...] = ("read", "submit", "organise")
    return [scope for scope in known if scope in text.split()]


def _session(request: Request) -> str | None:
    secret = read_cookie(request, SESSION)
    return None if secret is None else hash_secret(secret)


def _require_person(person: Person | None) -> Person:
    if person is None:
        raise SignInRequiredError("sign in to see your account")
    return person
