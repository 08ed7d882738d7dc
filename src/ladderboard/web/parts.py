"""What every route may ask for by its type."""

from typing import TYPE_CHECKING, Annotated

from fastapi import Depends
from starlette.requests import Request

if TYPE_CHECKING:
    from ladderboard.hosting.host import Host


async def _host(request: Request) -> "Host":
    host: Host = request.app.state.host
    return host


TheHost = Annotated["Host", Depends(_host)]
