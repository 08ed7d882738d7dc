"""`/metrics` for Prometheus. It is the organiser's: by token, by a token of its own, or from this machine if so set."""

import hmac
import os

from fastapi import APIRouter, Depends, Request, Response

from ladderboard.core.errors import SignInRequiredError
from ladderboard.hosting.operations.gauges import gauges, pool_gauge
from ladderboard.hosting.operations.metrics import CONTENT_TYPE, ProcessMetrics, exposition
from ladderboard.hosting.people.roles import require
from ladderboard.hosting.settings import Settings
from ladderboard.web.auth import anyone
from ladderboard.web.background import shelf_of
from ladderboard.web.dependencies import TheServices
from ladderboard.web.errors import errors

router = APIRouter(tags=["health"])

LOOPBACK = frozenset({"127.0.0.1", "::1"})


async def _may_read(request: Request, services: TheServices) -> None:
    if _is_the_monitor(request, services.settings) or _is_from_here(request, services.settings):
        return
    person = await anyone(request, None)
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
    """Counts and durations of all server processes of this machine, and counts from the database."""
    counted: ProcessMetrics = request.app.state.metrics
    own = [*counted.families(), pool_gauge(services, str(os.getpid()))]
    return Response(exposition([*own, *shelf_of(services).of_others(), *gauges(services)]), media_type=CONTENT_TYPE)


def _is_the_monitor(request: Request, settings: Settings) -> bool:
    given = request.headers.get("authorization", "")
    expected = f"Bearer {settings.metrics_token}"
    return bool(settings.metrics_token) and hmac.compare_digest(given.encode(), expected.encode())


def _is_from_here(request: Request, settings: Settings) -> bool:
    # Through a proxy on this machine everybody seems to come from here: whatever was passed on is refused.
    was_passed_on = any(name in request.headers for name in ("forwarded", "x-forwarded-for", "x-real-ip", "via"))
    is_here = request.client is not None and request.client.host in LOOPBACK
    return settings.metrics_on_loopback and is_here and not was_passed_on
