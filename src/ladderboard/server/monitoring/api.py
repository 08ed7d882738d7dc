"""Health checks for load balancers and containers, and `GET /metrics` for Prometheus.

The metrics are open to organisers, to a monitor with its own token, and to this machine if so set.
"""

import hmac
import time

from fastapi import APIRouter, Depends, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST

from ladderboard.core.errors import DatabaseError, SignInRequiredError, UnavailableError
from ladderboard.server.app.api import TheServices
from ladderboard.server.app.auth import find_person
from ladderboard.server.app.errors import errors
from ladderboard.server.app.records import Health, Readiness
from ladderboard.server.monitoring.metrics import DatabaseGauges, ProcessMetrics, write_exposition
from ladderboard.server.people.roles import require
from ladderboard.server.settings import Settings

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


LOOPBACK = frozenset({"127.0.0.1", "::1"})


async def _may_read(request: Request, services: TheServices) -> None:
    if _is_the_monitor(request, services.settings) or _is_from_here(request, services.settings):
        return
    person = await find_person(request, None)
    if person is None:
        raise SignInRequiredError("/metrics is the organiser's; send `Authorization: Bearer <token>`")
    require(person, "organise")


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {}}, "description": "Prometheus's text format"}, **errors(401, 403)},
    dependencies=[Depends(_may_read)],
)
def metrics(request: Request, services: TheServices) -> Response:
    """Return counts and durations of all workers of this server, and counts from the database."""
    counted: ProcessMetrics = request.app.state.metrics
    return Response(write_exposition(counted, DatabaseGauges(services)), media_type=CONTENT_TYPE_LATEST)


def _is_the_monitor(request: Request, settings: Settings) -> bool:
    given = request.headers.get("authorization", "")
    expected = f"Bearer {settings.metrics_token}"
    return bool(settings.metrics_token) and hmac.compare_digest(given.encode(), expected.encode())


def _is_from_here(request: Request, settings: Settings) -> bool:
    # Through a proxy on this machine everybody seems to come from here: whatever was passed on is refused.
    was_passed_on = any(name in request.headers for name in ("forwarded", "x-forwarded-for", "x-real-ip", "via"))
    is_here = request.client is not None and request.client.host in LOOPBACK
    return settings.metrics_on_loopback and is_here and not was_passed_on
