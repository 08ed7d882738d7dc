"""Accounts: signing up, changing or resetting a password, and who is signed in."""

from fastapi import APIRouter, Request

from ladderboard.core.tokens import hash_secret
from ladderboard.server.app.api import Address, Code, Input, Name, Password, TheAccounts
from ladderboard.server.app.auth import SESSION, SignedIn, read_cookie
from ladderboard.server.app.errors import errors
from ladderboard.server.people.records import AccountBody, MeBody, MembershipBody

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
