"""The page on which people delete their own account."""

from dataclasses import dataclass

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.core.errors import ForbiddenError, HostingError, LadderboardError, ParameterError, SignInRequiredError
from ladderboard.server.app.api import PREFIX, Address, TheAccounts
from ladderboard.server.app.auth import end_session
from ladderboard.server.app.pages import CheckedForm, Reader, go, show
from ladderboard.server.app.text import sentence
from ladderboard.server.own_data.rules import delete_own_account
from ladderboard.server.people.accounts import Accounts
from ladderboard.server.people.roles import Person

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True)
class DeletionView:
    """The page."""

    name: str
    has_password: bool
    export: str = f"{PREFIX}/me/export"
    problem: str = ""


@router.get("/account/delete")
def deletion_page(request: Request, accounts: TheAccounts, person: Reader) -> Response:
    """Say what deleting the account does, and ask for its name."""
    return _show(request, accounts, _require_person(person))


@router.post("/account/delete")
def delete(request: Request, accounts: TheAccounts, person: Reader, form: CheckedForm, address: Address) -> Response:
    """Delete the account."""
    somebody = _require_person(person)
    name, password = form.text("name"), form.text("password")
    try:
        delete_own_account(accounts, somebody.id, name=name, password=password, address=address)
    except SignInRequiredError:
        return _show(request, accounts, somebody, ForbiddenError("the password is wrong; nothing was deleted"))
    except (HostingError, ParameterError) as error:
        return _show(request, accounts, somebody, error)
    answer = go("/sign-in", notice="deleted")
    end_session(request, answer)
    return answer


def _show(request: Request, accounts: Accounts, person: Person, error: LadderboardError | None = None) -> Response:
    status = 200
    if error is not None:
        status = error.status if isinstance(error, HostingError) else 422
    problem = "" if error is None else sentence(str(error))
    view = DeletionView(person.name, accounts.has_password(person.id), problem=problem)
    return show(request, "own_data/delete.html", person, status=status, deletion=view)


def _require_person(person: Person | None) -> Person:
    if person is None:
        raise SignInRequiredError("sign in to delete your account")
    return person
