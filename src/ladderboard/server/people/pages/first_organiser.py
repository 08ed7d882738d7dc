"""The page behind the link that `ladderboard serve` prints: it makes the first organiser's account."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.core.errors import HostingError, ParameterError
from ladderboard.server.app.api import Address, TheAccounts, TheServices
from ladderboard.server.app.pages import CheckedForm, show
from ladderboard.server.people.first_organiser import LINK_PATH, sign_up_first
from ladderboard.server.people.pages.sign_in import SignForm, show_again, welcome

router = APIRouter(include_in_schema=False)
TEMPLATE = "people/first_organiser.html"


@router.get(LINK_PATH)
def first_organiser_page(request: Request) -> Response:
    """Show the form; opening the link spends nothing."""
    return show(request, TEMPLATE, None, form=SignForm(code=request.query_params.get("code", "")))


@router.post(LINK_PATH)
def first_organiser(
    request: Request, form: CheckedForm, accounts: TheAccounts, services: TheServices, address: Address
) -> Response:
    """Make the account, and begin its first session where a competition is made."""
    name, code = form.text("name"), form.text("code")
    try:
        account = sign_up_first(accounts, name, form.text("password"), code=code, address=address)
    except (HostingError, ParameterError) as error:
        return show_again(request, TEMPLATE, error, SignForm(name=name, code=code))
    return welcome(request, services, account, "/" if services.competitions else "/drafts/new")
