"""The web application of a host: the API and the pages in one frame."""

from fastapi import FastAPI

from ladderboard import __version__
from ladderboard.server.app.api import PREFIX, ROUTERS, VERSIONED
from ladderboard.server.app.background import background
from ladderboard.server.app.error_handlers import handle_errors
from ladderboard.server.app.errors import errors
from ladderboard.server.app.middleware.access_log import AccessLog
from ladderboard.server.app.middleware.request_frame import RequestFrame
from ladderboard.server.app.middleware.upload_timeout import UploadTimeout
from ladderboard.server.app.pages import add_pages
from ladderboard.server.boards.cache import BoardCache
from ladderboard.server.operations.metrics import ProcessMetrics
from ladderboard.server.people.accounts import Accounts
from ladderboard.server.people.passwords import Passwords
from ladderboard.server.services import Services

DESCRIPTION = """
A leaderboard that cannot be climbed by luck.

Send `Authorization: Bearer <token>`; `POST /api/v1/tokens` makes a token. Every error has one shape:
`{"error": {"code", "message", "details"}}`; programs go by the code. Lists come in parts: `items`, `total`, and `next`,
the address of the following part. Every answer has an `X-Request-Id`.
"""


def create_app(services: Services, *, passwords: Passwords | None = None) -> FastAPI:
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
    app.state.services = services
    app.state.accounts = Accounts(services.database, services.settings, passwords=passwords)
    app.state.metrics = ProcessMetrics()
    app.state.board_cache = BoardCache()
    app.add_middleware(UploadTimeout, seconds=services.settings.slow_upload_seconds)
    app.add_middleware(
        RequestFrame,
        upload_bytes=services.settings.max_request_bytes,
        is_secure=services.settings.cookies_are_secure,
    )
    app.add_middleware(AccessLog, metrics=app.state.metrics)
    handle_errors(app)
    for router in ROUTERS:
        app.include_router(router)
    for router in VERSIONED:
        app.include_router(router, prefix=PREFIX, responses=errors(400, 413, 422, 503))
    add_pages(app)
    return app
