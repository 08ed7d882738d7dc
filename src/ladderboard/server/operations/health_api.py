"""Health checks for load balancers and containers: whether the server runs, and whether it can serve."""

from fastapi import APIRouter

from ladderboard.core.errors import UnavailableError
from ladderboard.server.app.dependencies import TheServices
from ladderboard.server.app.errors import errors
from ladderboard.server.app.records import Health, Readiness

router = APIRouter(tags=["health"])


@router.get("/healthz")
async def healthz() -> Health:
    """Check that the process answers."""
    return Health()


@router.get("/readyz", responses=errors(503))
def readyz(services: TheServices) -> Readiness:
    """Check that the database answers and has the tables of this version.

    `damaged_files` counts stored files that were found damaged and still are: `ladderboard verify-files` names them.
    """
    if not services.has_current_tables():
        raise UnavailableError("the tables of the database are not those of this version; restart the server")
    return Readiness(damaged_files=services.files.count_damaged())
