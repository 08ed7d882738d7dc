"""Pages of boards that were made already, handed out before anything else is looked at.

Every request asks the database for the board's version (one row, by its key), so that what another process released is
never missed; only what was made for that very version is handed out again. What is not at hand, or not for everybody,
is left to the route in `ladderboard.web.api.leaderboard`.
"""

import re
from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from ladderboard.hosting.lifecycle import Status, status_of
from ladderboard.hosting.live_competition import LiveCompetition
from ladderboard.hosting.schedule import advance, due_step
from ladderboard.hosting.services import Services
from ladderboard.store.versions import Dates, Versions

USUAL, MOST = 100, 200
"""Rows on a page."""
KEPT_BYTES = 64 << 20

_ADDRESS = re.compile(r"/api/v1/competitions/([^/]+)/leaderboard")
_QUERY = re.compile(rb"(?:page=([1-9][0-9]{0,5}))?&?(?:per_page=([1-9][0-9]{0,2}))?")


class Boards:
    """Bodies by what they are of, up to so many bytes; the oldest goes first. Safe among threads."""

    def __init__(self, services: Services, *, most_bytes: int = KEPT_BYTES) -> None:
        self.services, self.versions = services, Versions(services.database)
        self._most, self._size, self._guard = most_bytes, 0, Lock()
        self._bodies: OrderedDict[Hashable, bytes] = OrderedDict()

    def present(self, live: LiveCompetition) -> tuple[str, Status]:
        """What stands for the board as it is now, and the competition's status, after what was due has happened."""
        dates, now = self.versions.read(live.slug)
        if due_step(live.rules, dates, now) is not None:
            advance(self.services, live.slug)
            dates, now = self.versions.read(live.slug)
        status = status_of(live.rules, dates, now)
        return _tag(dates, status), status

    def present_tag(self, live: LiveCompetition) -> str | None:
        """The same, at once; None where something is due first."""
        dates, now = self.versions.read(live.slug)
        if due_step(live.rules, dates, now) is not None:
            return None
        return _tag(dates, status_of(live.rules, dates, now))

    def get(self, key: Hashable) -> bytes | None:
        """The body, if it was made."""
        with self._guard:
            return self._bodies.get(key)

    def put(self, key: Hashable, body: bytes) -> None:
        """Keep a body."""
        with self._guard:
            self._size += len(body) - len(self._bodies.get(key, b""))
            self._bodies[key] = body
            while self._size > self._most:
                self._size -= len(self._bodies.popitem(last=False)[1])


def _tag(dates: Dates, status: Status) -> str:
    return f"{dates.board_version}-{dates.scoring_version}-{status}"


def page_tag(tag: str, page: int, per_page: int) -> str:
    """The ETag of a page, without quotes."""
    return f"{tag}-{page}-{per_page}"


class BoardReads:
    """Answers reads of pages that were made already; everything else goes on as if this were not here."""

    def __init__(self, app: ASGIApp, boards: Boards, route: Any) -> None:
        self._app, self._boards = app, boards
        self._route = route
        """For logs and counts: the route that would have answered."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        asked = _ADDRESS.fullmatch(scope["path"]) if scope["type"] == "http" and scope["method"] == "GET" else None
        found = None if asked is None else await self._found(asked[1], scope["query_string"])
        if found is None:
            await self._app(scope, receive, send)
            return
        scope["route"] = self._route
        tag, body = found
        held = Headers(scope=scope).get("if-none-match")
        is_held = held is not None and not {tag, "*"}.isdisjoint(
            one.strip().removeprefix("W/") for one in held.split(",")
        )
        headers = [
            (b"etag", tag.encode()),
            (b"cache-control", b"public, no-cache"),
            (b"vary", b"Accept-Encoding, Authorization, Cookie"),
        ]
        if not is_held:
            headers += [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 304 if is_held else 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if is_held else body})

    async def _found(self, slug: str, query: bytes) -> tuple[str, bytes] | None:
        """The ETag with its quotes and the body; None where it is not for everybody or was not made yet."""
        live, asked = self._boards.services.competitions.get(slug), _QUERY.fullmatch(query)
        if live is None or asked is None or live.rules.visibility == "private":
            return None
        page, per_page = int(asked[1] or 1), int(asked[2] or USUAL)
        boards = self._boards
        # SQLite never waits for the network or for a writer: asking it here is cheaper than asking another thread to.
        if boards.versions.is_immediate:
            tag = boards.present_tag(live)
        else:
            tag = await run_in_threadpool(boards.present_tag, live)
        body = None if tag is None else boards.get((slug, tag, page, per_page))
        return None if body is None or tag is None else (f'"{page_tag(tag, page, per_page)}"', body)
