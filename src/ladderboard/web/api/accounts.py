"""People: signing up, a new password, and who one is."""

from fastapi import APIRouter, Request

from ladderboard.hosting.people.accounts import Account
from ladderboard.hosting.people.codes import hash_of
from ladderboard.store import teams
from ladderboard.web.api.inputs import Code, Input, Name, Password
from ladderboard.web.auth import SignedIn
from ladderboard.web.cookies import SESSION, cookie_of
from ladderboard.web.dependencies import Address, TheAccounts, TheServices
from ladderboard.web.errors import errors
from ladderboard.wire.people import AccountBody, MeBody, MembershipBody

router = APIRouter(tags=["people"])


class SignUp(Input):
    """A new account; `code` where the organiser asks for one."""

    name: Name
    password: Password
    code: Code | None = None


class Reset(Input):
    """A new password, by the one-time code that the organiser gives."""

    code: Code
    password: Password
    revoke_tokens: bool = False


class PasswordChange(Input):
    """The present password and the one to come."""

    password: Password
    new_password: Password


@router.post("/accounts", status_code=201, responses=errors(403, 409, 429))
def sign_up(given: SignUp, accounts: TheAccounts, address: Address) -> AccountBody:
    """Make an account. No e-mail address is asked for."""
    return _body(accounts.sign_up(given.name, given.password, code=given.code, address=address))


@router.post("/accounts/reset", responses=errors(403, 429))
def reset(given: Reset, accounts: TheAccounts, address: Address) -> AccountBody:
    """Set a new password with a one-time code; all sessions end, and all tokens too where that is asked for."""
    return _body(
        accounts.reset_password(given.code, given.password, revoke_tokens=given.revoke_tokens, address=address)
    )


@router.get("/me", responses=errors(401))
def me(person: SignedIn, services: TheServices) -> MeBody:
    """Who is asking, and the own teams."""
    with services.database.reading() as connection:
        rows = teams.memberships(connection, person.id)
    own = [MembershipBody(row.competition, row.name, row.status) for row in rows]
    return MeBody(person.id, person.name, person.role, sorted(person.scopes), own)


@router.put("/me/password", status_code=204, responses=errors(401, 403, 429))
def change_password(
    given: PasswordChange, request: Request, person: SignedIn, accounts: TheAccounts, address: Address
) -> None:
    """Replace the own password; all other sessions end."""
    session = cookie_of(request, SESSION)
    accounts.change_password(
        person.id,
        password=given.password,
        new_password=given.new_password,
        address=address,
        session=None if session is None else hash_of(session),
    )


def _body(account: Account) -> AccountBody:
    return AccountBody(account.id, account.name, account.role, account.created_at.isoformat())
