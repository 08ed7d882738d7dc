"""Every address of a server: the API by resource, the pages by feature."""

from fastapi import FastAPI
from fastapi.routing import APIRoute

from ladderboard.server.app import site_pages
from ladderboard.server.app.api import PREFIX
from ladderboard.server.app.error_pages import fault_page
from ladderboard.server.app.errors import errors
from ladderboard.server.audit import api as ledger
from ladderboard.server.audit import pages as ledger_pages
from ladderboard.server.boards import api as leaderboard
from ladderboard.server.boards import pages as board_pages
from ladderboard.server.competitions import api as competitions
from ladderboard.server.competitions import pages as competition_pages
from ladderboard.server.operations import api as organise
from ladderboard.server.operations import export_api as export
from ladderboard.server.operations import health_api as health
from ladderboard.server.operations import metrics_api as metrics
from ladderboard.server.operations import pages as dashboard
from ladderboard.server.operations import step_pages as steps
from ladderboard.server.people import api as accounts
from ladderboard.server.people import pages as account_pages
from ladderboard.server.people import sign_in_pages as signing
from ladderboard.server.people import tokens_api as tokens
from ladderboard.server.results import api as private_board
from ladderboard.server.results import finals_api as finals
from ladderboard.server.results import pages as result_pages
from ladderboard.server.submissions import api as submissions
from ladderboard.server.submissions import pages as submission_pages
from ladderboard.server.submissions import submit_page as submitting
from ladderboard.server.teams import api as teams
from ladderboard.server.teams import organiser_pages as organiser_teams
from ladderboard.server.teams import pages as team_pages
from ladderboard.server.webhooks import api as webhooks

UNVERSIONED = (health.router, metrics.router)
"""What has an address of its own, without `PREFIX`."""

VERSIONED = (
    accounts.router,
    tokens.router,
    competitions.router,
    teams.router,
    teams.codes,
    submissions.router,
    finals.router,
    leaderboard.router,
    private_board.router,
    organise.router,
    ledger.router,
    webhooks.router,
    export.router,
)
"""What stands under `PREFIX`."""

PAGES = (
    site_pages.router,
    signing.router,
    account_pages.router,
    competition_pages.router,
    board_pages.router,
    submitting.router,
    submission_pages.router,
    team_pages.router,
    result_pages.router,
    dashboard.router,
    organiser_teams.router,
    ledger_pages.router,
    steps.router,  # last: its address has a name where the others have a word
)
"""They work without JavaScript. A route asks the rules of its feature, makes a view (a frozen dataclass of what the page
says) and renders one template; `app/templates/README.md` says how to add one."""


def add_routes(app: FastAPI) -> None:
    """Serve every address with ``app``, and show its errors as pages to browsers."""
    for router in UNVERSIONED:
        app.include_router(router)
    for router in VERSIONED:
        app.include_router(router, prefix=PREFIX, responses=errors(400, 413, 422, 503))
    for router in PAGES:
        for route in router.routes:
            if isinstance(route, APIRoute) and "GET" in (route.methods or ()):
                route.methods = {"GET", "HEAD"}  # as monitors and link checkers expect
        app.include_router(router)
    app.state.render_error = fault_page
