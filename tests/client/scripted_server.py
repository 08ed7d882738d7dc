"""A real HTTP server on loopback that answers what a test tells it to, and remembers what it was asked."""

import json
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


@dataclass(frozen=True)
class Scripted:
    """One answer; ``status`` 0: hang up without one."""

    status: int
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def content(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


HANG_UP = Scripted(0)


@dataclass(frozen=True)
class Asked:
    """One request."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass
class ScriptedServer:
    """Gives its answers in their order; the last one again and again."""

    answers: list[Scripted]
    asked: list[Asked] = field(default_factory=list)
    url: str = ""


@contextmanager
def serving(*answers: Scripted) -> Iterator[ScriptedServer]:
    scripted = ScriptedServer(list(answers))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            scripted.asked.append(Asked(self.command, self.path, headers, self.rfile.read(length)))
            next_one = scripted.answers.pop(0) if len(scripted.answers) > 1 else scripted.answers[0]
            if next_one.status == 0:
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            content = b"" if next_one.status == 304 else next_one.content()
            self.send_response(next_one.status)
            for name, value in {"Content-Length": str(len(content)), **next_one.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_DELETE = answer

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the name that is overridden)
            """Nothing is logged."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    scripted.url = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield scripted
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def refused(status: int, code: str, message: str = "no", **more: Any) -> Scripted:
    """A refusal in the one shape of errors."""
    headers = more.pop("headers", {})
    return Scripted(status, {"error": {"code": code, "message": message, "details": more}}, headers)
