"""The pages: complete without script, one module for each area.

A route function asks a service of `ladderboard.hosting`, makes a view (a frozen dataclass of what the page says) and
renders one template. `templates/README.md` says how to add a page.
"""

from fastapi import APIRouter, Depends, FastAPI
from fastapi.routing import APIRoute

from ladderboard.web.pages import (
    accounts,
    api_page,
    board,
    competitions,
    organiser,
    organiser_records,
    organiser_steps,
    organiser_teams,
    results,
    signing,
    site,
    submissions,
    submitting,
    teams,
)
from ladderboard.web.pages.faults import fault_page
from ladderboard.web.pages.showing import speak_to

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
    organiser.router,
    organiser_teams.router,
    organiser_records.router,
    organiser_steps.router,  # last: its address has a name where the others have a word
)


def add_pages(app: FastAPI) -> None:
    """Serve the pages with ``app``, and show its errors as pages to those who read pages."""
    for router in ROUTERS:
        app.include_router(_answering_head(router), dependencies=[Depends(speak_to)])
    app.state.render_error = fault_page


def _answering_head(router: APIRouter) -> APIRouter:
    """The router, whose pages may also be asked for their head only, as monitors and link checkers do."""
    for route in router.routes:
        if isinstance(route, APIRoute) and "GET" in (route.methods or ()):
            route.methods = {"GET", "HEAD"}
    return router
