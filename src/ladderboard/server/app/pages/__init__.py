"""The pages of all features, and what they share; they work without JavaScript.

A route function asks the rules of its feature, makes a view (a frozen dataclass of what the page says) and
renders one template. `app/templates/README.md` says how to add a page.
"""

from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute

from ladderboard.server.app.pages import api_page, site
from ladderboard.server.app.pages.error_pages import fault_page
from ladderboard.server.audit import pages as ledger
from ladderboard.server.boards import pages as board
from ladderboard.server.competitions import pages as competitions
from ladderboard.server.operations import pages as dashboard
from ladderboard.server.operations import step_pages as steps
from ladderboard.server.people import pages as accounts
from ladderboard.server.people import sign_in_pages as signing
from ladderboard.server.results import pages as results
from ladderboard.server.submissions import pages as submissions
from ladderboard.server.submissions import submit_page as submitting
from ladderboard.server.teams import organiser_pages as organiser_teams
from ladderboard.server.teams import pages as teams

ROUTERS = (
    site.router,
    api_page.router,
    signing.router,
    accounts.router,
    competitions.router,
    board.router,
    submitting.router,
    submissions.router,
    teams.router,
    results.router,
    dashboard.router,
    organiser_teams.router,
    ledger.router,
    steps.router,  # last: its address has a name where the others have a word
)


def add_pages(app: FastAPI) -> None:
    """Serve the pages with ``app``, and show its errors as pages to browsers."""
    for router in ROUTERS:
        app.include_router(_answer_head(router))
    app.state.render_error = fault_page


def _answer_head(router: APIRouter) -> APIRouter:
    """The router, with HEAD answered wherever GET is, as monitors and link checkers expect."""
    for route in router.routes:
        if isinstance(route, APIRoute) and "GET" in (route.methods or ()):
            route.methods = {"GET", "HEAD"}
    return router
