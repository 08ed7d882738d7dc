"""Requests to the application without a network: what a visitor who is not signed in would get."""

import asyncio
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any
from urllib.parse import unquote, urlsplit

from starlette.types import ASGIApp

IN_MEMORY = 1 << 20
PART = 1 << 16


@dataclass(frozen=True)
class StoredAnswer:
    """An answer; its body is on disk where it is large, and is read once."""

    status: int
    body: IO[bytes]

    def text(self) -> str:
        with self.body:
            return self.body.read().decode()

    def parts(self) -> Iterator[bytes]:
        with self.body:
            while part := self.body.read(PART):
                yield part


async def ask(app: ASGIApp, address: str, *, base_url: str) -> StoredAnswer:
    """Send a GET request for an address of this site, with its query."""
    parts, site = urlsplit(address), urlsplit(base_url)
    body: IO[bytes] = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115  # the answer closes it
    status = 0
    asked = False

    async def receive() -> dict[str, Any]:
        nonlocal asked
        if asked:
            await asyncio.Event().wait()  # nobody leaves before the end of a stream
        asked = True
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]
        elif message["type"] == "http.response.body":
            body.write(message.get("body", b""))

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": site.scheme,
        "path": unquote(parts.path),
        "raw_path": parts.path.encode(),
        "root_path": "",
        "query_string": parts.query.encode(),
        "headers": [(b"host", site.netloc.encode()), (b"accept", b"text/html")],
        "client": ("127.0.0.1", 0),
        "server": (site.hostname, site.port or 443),
        "state": {},
    }
    await app(scope, receive, send)
    body.seek(0)
    return StoredAnswer(status, body)
