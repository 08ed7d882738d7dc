"""Health checks for load balancers and containers: whether the server runs, and whether it can serve."""

import time

from fastapi import APIRouter

from ladderboard.core.errors import DatabaseError, UnavailableError
from ladderboard.server.app.api import TheServices
from ladderboard.server.app.errors import errors
from ladderboard.server.app.records import Health, Readiness

router = APIRouter(tags=["health"])


@router.get("/healthz")
async def healthz() -> Health:
    """Check that the process answers."""
    return Health()


@router.get("/readyz", responses=errors(503))
def readyz(services: TheServices) -> Readiness:
    """Check that the database answers, has the tables of this version and the solution of every competition.

    `damaged_files` counts stored files that were found damaged and, when last looked at, still were: `ladderboard
    verify-files` names them.
    """
    if not services.has_current_tables():
        raise UnavailableError("the tables of the database are not those of this version; restart the server")
    for slug in services.list_outdated():
        try:
            services.follow_correction(slug)
        except DatabaseError:
            raise UnavailableError(
                f"the corrected solution of {slug} cannot be read; `ladderboard verify-files` says what to do"
            ) from None
    return Readiness(damaged_files=services.files.count_damaged(time.monotonic()))
