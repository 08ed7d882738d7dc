"""Pages for signing in with an identity provider: there and back, and what newcomers choose."""

import hmac
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import timedelta

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ladderboard.core.errors import ForbiddenError, HostingError, LadderboardError, NotFoundError, ParameterError
from ladderboard.core.networks import find_network
from ladderboard.server.app.api import Address, TheAccounts, TheServices
from ladderboard.server.app.auth import drop_cookie, read_cookie, set_cookie
from ladderboard.server.app.pages import SEE_OTHER, CheckedForm, Reader, go, keep_own_path, show
from ladderboard.server.app.rendering import PAGE_HEADERS
from ladderboard.server.app.text import sentence
from ladderboard.server.people.accounts import MINUTE, NAMES_PER_ADDRESS, count_use
from ladderboard.server.people.pages.sign_in import show_sign_in_again, welcome
from ladderboard.server.people.roles import Person
from ladderboard.server.providers import sign_on
from ladderboard.server.providers.protocol import Attempt, OpenIDClient
from ladderboard.server.providers.records import Newcomer, Provider
from ladderboard.server.services import Services

router = APIRouter(include_in_schema=False)

ATTEMPT, NEWCOMER = "sign-in-attempt", "newcomer"
ATTEMPT_LASTS = timedelta(minutes=15)
NEW = "/sign-in/new"
PLAIN = {"access_denied": "you, or it, said no", "temporarily_unavailable": "it is not available right now"}
"""The refusals that have words; what else stands in an address may be anybody's words."""


@dataclass(frozen=True)
class NewcomerView:
    """What somebody who came from a provider can choose."""

    provider: str
    address: str
    name: str
    asks_code: bool
    account: str
    """The name of the account that is signed in; empty: none is."""
    code: str = ""
    problem: str = ""


@router.get("/sign-in/with/{provider}")
def begin(request: Request, services: TheServices, address: Address, provider: str) -> Response:
    """Lead to the provider. The browser keeps what only it can finish."""
    client, onwards = _find(services, provider), keep_own_path(request.query_params.get("next"))
    attempt = Attempt.new(onwards)
    try:
        _count(services, address)
        url = client.begin(attempt, _back(services, provider))
    except (HostingError, ParameterError) as error:
        return show_sign_in_again(request, services, error, onwards)
    answer = RedirectResponse(url, SEE_OTHER, headers={**PAGE_HEADERS, "Cache-Control": "no-store"})
    set_cookie(request, answer, ATTEMPT, json.dumps({"provider": provider, **asdict(attempt)}), ATTEMPT_LASTS)
    return answer


@router.get("/sign-in/back/{provider}")
def back(
    request: Request,
    services: TheServices,
    accounts: TheAccounts,
    *,
    person: Reader,
    address: Address,
    provider: str,
) -> Response:
    """Take what the provider says: sign in, or ask newcomers what they want."""
    client, attempt = _find(services, provider), _read_attempt(request, provider)
    onwards = "/" if attempt is None else keep_own_path(attempt.next)
    try:
        _count(services, address)
        code = _read_answer(request.query_params, attempt, client.provider)
        assert attempt is not None, "a code was read for it"
        claims = client.finish(attempt, _back(services, provider), code=code)
        account = sign_on.recognise(accounts, claims, person)
    except (HostingError, ParameterError) as error:
        answer = show_sign_in_again(request, services, error, onwards)
    else:
        if account is None:
            answer = go(NEW)
            secret = sign_on.keep_newcomer(accounts, client.provider, claims, onwards=onwards)
            set_cookie(request, answer, NEWCOMER, secret, sign_on.NEWCOMER_LASTS)
        else:
            answer = go(onwards) if person is not None else welcome(request, services, account, onwards)
    drop_cookie(request, answer, ATTEMPT)
    return answer


@router.get(NEW)
def newcomer_page(request: Request, services: TheServices, accounts: TheAccounts, person: Reader) -> Response:
    """Show what newcomers can choose: a name, or to link the account they are signed in to."""
    try:
        newcomer = sign_on.find_newcomer(accounts, read_cookie(request, NEWCOMER))
    except ForbiddenError as error:
        return show_sign_in_again(request, services, error, "/")
    return show(request, "providers/newcomer.html", person, newcomer=_view(services, newcomer, person))


@router.post(NEW)
def choose(
    request: Request,
    services: TheServices,
    accounts: TheAccounts,
    *,
    person: Reader,
    form: CheckedForm,
    address: Address,
) -> Response:
    """Make an account; or link the one that is signed in."""
    secret = read_cookie(request, NEWCOMER) or ""
    try:
        _count(services, address)
        newcomer = sign_on.find_newcomer(accounts, secret)
    except HostingError as error:
        return show_sign_in_again(request, services, error, "/")
    name, code = form.text("name"), form.text("code")
    try:
        if person is None:
            provider = _find(services, newcomer.provider).provider
            account = sign_on.make_account(accounts, provider, newcomer, secret=secret, name=name, code=code or None)
            answer = welcome(request, services, account, newcomer.next)
        else:
            sign_on.link(accounts, person, newcomer, secret=secret)
            answer = go("/account", notice="linked")
    except (HostingError, ParameterError) as error:
        return _choose_again(request, services, newcomer, person, error, name=name, code=code)
    drop_cookie(request, answer, NEWCOMER)
    return answer


def _choose_again(
    request: Request,
    services: Services,
    newcomer: Newcomer,
    person: Person | None,
    error: LadderboardError,
    **typed: str,
) -> Response:
    status = error.status if isinstance(error, HostingError) else 422
    view = _view(services, newcomer, person, problem=sentence(str(error)), **typed)
    return show(request, "providers/newcomer.html", person, status=status, newcomer=view)


def _view(services: Services, newcomer: Newcomer, person: Person | None, **typed: str) -> NewcomerView:
    provider = _find(services, newcomer.provider).provider
    asks_code = services.settings.sign_up == "code" and not sign_on.is_admitted(provider, newcomer)
    shown = {"name": newcomer.name, **typed}
    account = "" if person is None else person.name
    return NewcomerView(provider.title, newcomer.address or "", asks_code=asks_code, account=account, **shown)


def _find(services: Services, provider: str) -> OpenIDClient:
    if provider not in services.providers:
        raise NotFoundError("there is no such way to sign in here")
    return services.providers[provider]


def _back(services: Services, provider: str) -> str:
    """Where the provider sends people back to: the configured address, whatever a request calls us."""
    return f"{services.settings.base_url.rstrip('/')}/sign-in/back/{provider}"


def _read_attempt(request: Request, provider: str) -> Attempt | None:
    try:
        kept = json.loads(read_cookie(request, ATTEMPT) or "")
        return (
            Attempt(**{name: str(kept[name]) for name in ("state", "nonce", "verifier", "next")})
            if (kept["provider"] == provider)
            else None
        )
    except (ValueError, KeyError, TypeError):
        return None


def _read_answer(query: Mapping[str, str], attempt: Attempt | None, provider: Provider) -> str:
    """The code that came back; raises `ForbiddenError` for a refusal, and for what this browser did not begin."""
    state = query.get("state", "")
    if attempt is None or not hmac.compare_digest(attempt.state.encode(), state.encode()):
        raise ForbiddenError("this sign-in was not begun in this browser, or too long ago; begin again")
    if "error" in query:
        why = PLAIN.get(query["error"], "it gave no reason that we know")
        raise ForbiddenError(f"{provider.title} did not sign you in: {why}")
    if query.get("iss", provider.issuer) != provider.issuer:
        raise ForbiddenError("this answer comes from another provider; begin again")
    if not query.get("code"):
        raise ForbiddenError(f"{provider.title} did not sign you in; begin again")
    return query["code"]


def _count(services: Services, address: str) -> None:
    most = services.settings.sign_in_tries_per_minute * NAMES_PER_ADDRESS
    network = find_network(address)
    count_use(services.database, "provider", network, most=most, window=MINUTE, doing="attempts to sign in")
