"""Whether the server runs (`/healthz`) and whether it can serve (`/readyz`), for load balancers and containers."""

from fastapi import APIRouter

from ladderboard.core.errors import UnavailableError
from ladderboard.web.dependencies import TheServices
from ladderboard.web.errors import errors
from ladderboard.wire.common import Health

router = APIRouter(tags=["health"])


@router.get("/healthz")
async def healthz() -> Health:
    """The process answers; nothing else is asked."""
    return Health()


@router.get("/readyz", responses=errors(503))
def readyz(services: TheServices) -> Health:
    """The database answers, and its tables are those of this version."""
    if not services.has_current_tables():
        raise UnavailableError("the database has other tables than this version knows; restart the server")
    return Health()
