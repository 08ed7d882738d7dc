"""Submissions over the API, taken to their route before anything else is looked at.

Finding one route among a hundred and solving its dependencies takes as long as recording a small submission. The route
itself is the one of `ladderboard.web.api.submissions`; what is out of the ordinary goes the usual way to it.
"""

import re
from typing import Any

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from ladderboard.hosting.people.identities import Identities
from ladderboard.hosting.services import Services
from ladderboard.web.api.submissions import LONGEST_KEY, submit
from ladderboard.web.errors import answer, problem_of

_ADDRESS = re.compile(r"/api/v1/competitions/([^/]+)/submissions")


class DirectSubmissions:
    """Calls the route of submissions; everything else goes on as if this were not here."""

    def __init__(self, app: ASGIApp, services: Services, identities: Identities, route: Any) -> None:
        self._app, self._services, self._identities = app, services, identities
        self._route = route
        """For logs and counts: the route that would have answered."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        asked = _ADDRESS.fullmatch(scope["path"]) if scope["type"] == "http" and scope["method"] == "POST" else None
        if asked is None:
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        keys = request.headers.getlist("idempotency-key")
        if len(keys) > 1 or any(len(key) > LONGEST_KEY for key in keys):
            await self._app(scope, receive, send)
            return
        scope["route"] = self._route
        key = keys[0] if keys else None
        try:
            response = await submit(asked[1], request, self._services, self._identities, None, key)
        except Exception as error:
            problem = problem_of(error)
            if problem is None:
                raise
            # From here, through the layers between: one of them closes the connection of who is too slow.
            response = answer(request, problem)
        await response(scope, receive, send)
