"""The files of an archive: every page, table and download that anybody could see, as the application answers."""

import asyncio
import re
from collections import deque
from collections.abc import Iterator
from urllib.parse import parse_qs, quote, unquote, urlsplit

from starlette.types import ASGIApp

from ladderboard.core.errors import ConflictError
from ladderboard.server.app.api import PREFIX
from ladderboard.server.app.application import create_app
from ladderboard.server.archive.in_process import StoredAnswer, ask
from ladderboard.server.archive.pages import list_addresses, make_standalone
from ladderboard.server.competitions.schedule import advance
from ladderboard.server.operations.archives import ZipMember
from ladderboard.server.services import Services

PAGES = ("", "/data", "/rules", "/leaderboard", "/results", "/announcements")
FILES = {
    "leaderboard?format=csv": "leaderboard.csv",
    "private-leaderboard?format=csv": "private-leaderboard.csv",
    "ledger?format=jsonl": "ledger.jsonl",
    "ledger/publication": "publication.json",
    "ledger/publication/submissions": "submissions.zip",
}
"""Under the competition's address of the API: address → file. What is not published is left out."""
_PLAIN = re.compile(r"[^\w.-]+")
OK = 200


def list_members(services: Services, slug: str) -> Iterator[ZipMember]:
    """Make the files of the archive, one at a time.

    Raises `ConflictError` for a competition whose results are not public, or that only its members may see.
    """
    live = services.competition(slug)
    status = advance(services, slug)
    if live.rules.visibility == "private":
        raise ConflictError(f"{slug} is private, and an archive is for everybody; use `ladderboard export` instead")
    if status != "revealed" and not (status == "closed" and live.rules.reveal == "never"):
        raise ConflictError(f"{slug} is not over; reveal its results first")
    base = services.settings.base_url.rstrip("/") or "http://localhost"
    return _Archive(create_app(services), slug, live.rules.mechanism, base).list_members()


class _Archive:
    """One walk through the pages, from the overview on."""

    def __init__(self, app: ASGIApp, slug: str, mechanism: str, base_url: str) -> None:
        self._app, self._base_url = app, base_url
        self._home = f"/competitions/{slug}"
        self._api = f"{PREFIX}/competitions/{slug}/"
        self._mechanism = f"/mechanisms/{mechanism}"

    def list_members(self) -> Iterator[ZipMember]:
        waiting, seen = deque([self._home + tail for tail in PAGES]), set[str]()
        waiting.extend(f"{self._api}{tail}" for tail in FILES)
        while waiting:
            address = waiting.popleft()
            name = self.find_file(address)
            if name is None or name in seen:
                continue
            seen.add(name)
            answer = self._ask(address)
            if answer.status != OK:
                answer.body.close()
                continue
            if not name.endswith(".html"):
                yield name, answer.parts()
                continue
            html = answer.text()
            waiting.extend(list_addresses(html))
            yield name, [make_standalone(html, find_file=self.find_file, note=self._note).encode()]

    def find_file(self, address: str) -> str | None:
        """The file that an address becomes; None for what is not in an archive."""
        parts = urlsplit(address)
        query = parse_qs(parts.query)
        if parts.path.startswith("/static/"):
            return f"static/{_flatten(parts.path.removeprefix('/static/'))}"
        if parts.path == self._mechanism:
            return "mechanism.html"
        if parts.path.startswith(self._api):
            tail = parts.path.removeprefix(self._api)
            form = f"?format={query['format'][0]}" if "format" in query else ""
            return FILES.get(tail + form)
        return self._find_page(parts.path, query)

    def _find_page(self, path: str, query: dict[str, list[str]]) -> str | None:
        tail = path.removeprefix(self._home)
        if not path.startswith(self._home) or (tail and tail[0] not in "/."):
            return None
        for folder in ("data", "images"):
            if tail.startswith(f"/{folder}/"):
                return f"{folder}/{_flatten(tail.removeprefix(f'/{folder}/'))}"
        if tail == "/announcements.atom":
            return "announcements.atom"
        if tail not in PAGES or set(query) - {"page"}:
            return None
        page = query.get("page", ["1"])[0]
        number = "" if page == "1" or not page.isdecimal() else f"-{int(page)}"
        return f"{tail.removeprefix('/') or 'index'}{number}.html"

    def _ask(self, address: str) -> StoredAnswer:
        return asyncio.run(ask(self._app, address, base_url=self._base_url))

    @property
    def _note(self) -> str:
        return (
            "This is an archive: pages as everybody could see them, without a server. Verify it with "
            "`ladderboard ledger verify ledger.jsonl --publication publication.json`."
        )


def _flatten(path: str) -> str:
    """One name for a path, that every file system takes."""
    return quote(_PLAIN.sub("_", unquote(path)))
