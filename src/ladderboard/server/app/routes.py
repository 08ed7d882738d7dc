"""Every address of a server: the API by resource, the pages by feature."""

from fastapi import FastAPI
from fastapi.routing import APIRoute

from ladderboard.server.announcements import api as announcements
from ladderboard.server.announcements import pages as announcement_pages
from ladderboard.server.app import site_pages
from ladderboard.server.app.api import PREFIX
from ladderboard.server.app.error_pages import fault_page
from ladderboard.server.app.errors import errors
from ladderboard.server.audit import api as audit
from ladderboard.server.audit import pages as audit_pages
from ladderboard.server.boards import api as boards
from ladderboard.server.boards import pages as board_pages
from ladderboard.server.competitions import api as competitions
from ladderboard.server.competitions.pages import drafts, editing, files, preview, public
from ladderboard.server.enrolment import api as enrolment
from ladderboard.server.enrolment.pages import door
from ladderboard.server.enrolment.pages import people as enrolled_people
from ladderboard.server.jobs import api as jobs
from ladderboard.server.jobs import pages as job_pages
from ladderboard.server.moderation import pages as flag_pages
from ladderboard.server.monitoring import api as monitoring
from ladderboard.server.operations import api as operations
from ladderboard.server.operations.pages import dashboard, grades, steps
from ladderboard.server.own_data import api as own_data
from ladderboard.server.own_data import pages as own_data_pages
from ladderboard.server.people import api as people
from ladderboard.server.people.pages import account, first_organiser, sign_in
from ladderboard.server.providers import pages as provider_pages
from ladderboard.server.results import api as results
from ladderboard.server.results.pages import board as result_pages
from ladderboard.server.results.pages import labels
from ladderboard.server.submissions import api as submissions
from ladderboard.server.submissions.pages import own, submit
from ladderboard.server.teams import api as teams
from ladderboard.server.teams.pages import organiser, team
from ladderboard.server.webhooks import api as webhooks

VERSIONED = (
    people.router,
    people.tokens_router,
    own_data.router,
    competitions.router,
    teams.router,
    teams.codes,
    submissions.router,
    results.finals_router,
    boards.router,
    announcements.router,
    results.router,
    operations.router,
    enrolment.router,
    jobs.router,
    audit.router,
    webhooks.router,
    operations.export_router,
)
"""What stands under `PREFIX`."""

PAGES = (
    site_pages.router,
    sign_in.router,
    provider_pages.router,
    first_organiser.router,
    account.router,
    drafts.router,
    preview.router,
    editing.router,
    files.router,
    labels.router,
    public.router,
    own_data_pages.router,
    announcement_pages.router,
    board_pages.router,
    submit.router,
    own.router,
    team.router,
    result_pages.router,
    dashboard.router,
    flag_pages.router,
    job_pages.router,
    organiser.router,
    grades.router,
    enrolled_people.router,
    door.router,
    audit_pages.router,
    steps.router,  # last: its address has a name where the others have a word
)
"""They work without JavaScript. A route asks the rules of its feature, makes a view (a frozen dataclass of what the
page says) and renders one template; `app/templates/README.md` says how to add one."""


def add_routes(app: FastAPI) -> None:
    """Serve every address with ``app``, and show its errors as pages to browsers."""
    app.include_router(monitoring.router)
    for router in VERSIONED:
        app.include_router(router, prefix=PREFIX, responses=errors(400, 413, 422, 503))
    for router in PAGES:
        for route in router.routes:
            if isinstance(route, APIRoute) and "GET" in (route.methods or ()):
                route.methods = {"GET", "HEAD"}  # as monitors and link checkers expect
        app.include_router(router)
    app.state.render_error = fault_page
