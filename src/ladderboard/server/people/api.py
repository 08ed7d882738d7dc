"""Accounts (signing up, passwords, who is signed in) and tokens for programs, shown once and revocable at any time."""

from typing import Annotated

from fastapi import APIRouter, Path, Request
from pydantic import Field

from ladderboard.core.tokens import hash_secret
from ladderboard.server.app.api import Address, Code, Input, Line, Name, Paging, Password, TheAccounts, TheServices
from ladderboard.server.app.auth import SESSION, SignedIn, read_cookie
from ladderboard.server.app.errors import errors
from ladderboard.server.app.records import Page
from ladderboard.server.people import identities
from ladderboard.server.people.identities import LONGEST_DAYS, USUAL_DAYS
from ladderboard.server.people.records import AccountBody, MeBody, MembershipBody, NewTokenBody, Scope, TokenBody
from ladderboard.server.people.roles import SCOPES_OF, Person

router = APIRouter(tags=["people"])


class SignUp(Input):
    """A new account; `code` if the organiser requires one."""

    name: Name
    password: Password
    code: Code | None = None


class Reset(Input):
    """A new password, set with a one-time code from the organiser."""

    code: Code
    password: Password
    revoke_tokens: bool = False


class PasswordChange(Input):
    """The current password and the new one."""

    password: Password
    new_password: Password
    revoke_tokens: bool = False


@router.post("/accounts", status_code=201, responses=errors(403, 409, 429))
def sign_up(given: SignUp, accounts: TheAccounts, address: Address) -> AccountBody:
    """Create an account. No email address is needed."""
    return accounts.sign_up(given.name, given.password, code=given.code, address=address)


@router.post("/accounts/reset", responses=errors(403, 429))
def reset(given: Reset, accounts: TheAccounts, address: Address) -> AccountBody:
    """Set a new password with a one-time code; all sessions end. `revoke_tokens` ends all tokens too."""
    return accounts.reset_password(given.code, given.password, revoke_tokens=given.revoke_tokens, address=address)


@router.get("/me", responses=errors(401))
def me(person: SignedIn, accounts: TheAccounts) -> MeBody:
    """Return who is signed in, and their teams."""
    own = [MembershipBody(one.competition, one.name, one.status) for one in accounts.list_memberships(person.id)]
    return MeBody(person.id, person.name, person.role, sorted(person.scopes), own)


@router.put("/me/password", status_code=204, responses=errors(401, 403, 429))
def change_password(
    given: PasswordChange, request: Request, person: SignedIn, accounts: TheAccounts, address: Address
) -> None:
    """Change your password; all other sessions end. `revoke_tokens` ends all tokens too."""
    session = read_cookie(request, SESSION)
    accounts.change_password(
        person.id,
        password=given.password,
        new_password=given.new_password,
        address=address,
        session=None if session is None else hash_secret(session),
        revoke_tokens=given.revoke_tokens,
    )


tokens_router = APIRouter(prefix="/tokens", tags=["people"])


class TokenWish(Input):
    """Name and password of an account, and what the token may do."""

    name: Name
    password: Password
    label: Line = ""
    scopes: Annotated[
        tuple[Scope, ...] | None,
        Field(min_length=1, max_length=3, description="null: `read`, and `submit` if the account may"),
    ] = None
    days: Annotated[int | None, Field(ge=1, le=LONGEST_DAYS, description="null: until it is revoked")] = USUAL_DAYS


class TokenRenewal(Input):
    """Name and password of the account, and for how many days from now its token is good."""

    name: Name
    password: Password
    days: Annotated[int, Field(ge=1, le=LONGEST_DAYS)] = USUAL_DAYS


@tokens_router.post("", status_code=201, responses=errors(401, 403, 409, 429))
def make(given: TokenWish, accounts: TheAccounts, services: TheServices, address: Address) -> NewTokenBody:
    """Create a token. Its secret is shown only in this response."""
    account = accounts.sign_in(given.name, given.password, address=address)
    secret, token = identities.make_token(
        services.database, account, label=given.label, scopes=given.scopes, days=given.days
    )
    return NewTokenBody(secret, token.id, token.label, token.scopes, token.created_at, token.expires_at)


@tokens_router.get("", responses=errors(401))
def list_own(person: SignedIn, services: TheServices, paging: Paging) -> Page[TokenBody]:
    """List your tokens that are not revoked, newest first."""
    tokens, total = identities.list_tokens(services.database, person, limit=paging.limit, offset=paging.offset)
    return paging.page(tokens, total)


@tokens_router.post("/{token_id}/renewal", status_code=204, responses=errors(401, 403, 404, 429))
def renew(
    token_id: Annotated[str, Path(max_length=100)],
    given: TokenRenewal,
    accounts: TheAccounts,
    services: TheServices,
    address: Address,
) -> None:
    """Extend a token. This needs the password, so that nobody can extend a token they found."""
    account = accounts.sign_in(given.name, given.password, address=address)
    identities.renew_token(
        services.database,
        Person(account.id, account.name, account.role, SCOPES_OF[account.role]),
        token_id,
        days=given.days,
    )


@tokens_router.delete("/{token_id}", status_code=204, responses=errors(401, 403, 404))
def revoke(token_id: Annotated[str, Path(max_length=100)], person: SignedIn, services: TheServices) -> None:
    """Revoke a token immediately and permanently."""
    identities.revoke_token(services.database, person, token_id)
