"""The web application of a host: the API and the pages in one frame."""

from fastapi import FastAPI

from ladderboard import __version__
from ladderboard.hosting.accounts import Accounts
from ladderboard.hosting.host import Host
from ladderboard.hosting.identities import Identities
from ladderboard.hosting.passwords import Passwords
from ladderboard.hosting.prometheus import ProcessMetrics
from ladderboard.web.api import PREFIX, ROUTERS, VERSIONED, leaderboard, submissions
from ladderboard.web.background import background
from ladderboard.web.boards import BoardReads, Boards
from ladderboard.web.direct_submissions import DirectSubmissions
from ladderboard.web.errors import errors, handle_errors
from ladderboard.web.logging import Watched
from ladderboard.web.middleware import Frame
from ladderboard.web.pages import add_pages
from ladderboard.web.slow_clients import Patience

DESCRIPTION = """
A leaderboard that cannot be climbed by luck.

Send `Authorization: Bearer <token>`; `POST /api/v1/tokens` makes a token. Every error has one shape:
`{"error": {"code", "message", "details"}}`; programs go by the code. Lists come in parts: `items`, `total`, and `next`,
the address of the following part. Every answer has an `X-Request-Id`.
"""


def create_app(host: Host, *, passwords: Passwords | None = None) -> FastAPI:
    """The application that serves ``host``; close the host when the server has stopped.

    ``passwords`` replaces how passwords are hashed, for tests that make many accounts.
    """
    app = FastAPI(
        title="Ladderboard",
        version=__version__,
        description=DESCRIPTION,
        openapi_url=f"{PREFIX}/openapi.json",
        # The usual pages of documentation load scripts from elsewhere; ours load nothing.
        docs_url=None,
        redoc_url=None,
        lifespan=background,
    )
    app.state.host = host
    app.state.accounts = Accounts(host.database, host.settings, passwords=passwords)
    app.state.identities = Identities(host.database)
    app.state.metrics = ProcessMetrics()
    app.state.boards = Boards(host)
    app.add_middleware(
        DirectSubmissions, host=host, identities=app.state.identities, route=submissions.router.routes[0]
    )
    app.add_middleware(BoardReads, boards=app.state.boards, route=leaderboard.router.routes[0])
    app.add_middleware(Patience, seconds=host.settings.slow_upload_seconds)
    app.add_middleware(Frame, settings=host.settings)
    app.add_middleware(Watched, metrics=app.state.metrics)
    handle_errors(app)
    for router in ROUTERS:
        app.include_router(router)
    for router in VERSIONED:
        app.include_router(router, prefix=PREFIX, responses=errors(400, 413, 422, 503))
    add_pages(app)
    return app
