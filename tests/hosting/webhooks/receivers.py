"""A server that receives webhooks on loopback, and remembers what it got."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Received:
    """One request."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """What came. ``answer`` gives the status of each, and may take its time."""

    url: str = ""
    answer: Callable[[Received], int] = lambda _request: 200
    requests: list[Received] = field(default_factory=list)
    arrived: threading.Condition = field(default_factory=threading.Condition)

    def wait_for(self, count: int, seconds: float = 120) -> None:
        with self.arrived:
            assert self.arrived.wait_for(lambda: len(self.requests) >= count, seconds), len(self.requests)


@contextmanager
def receiving(answer: Callable[[Received], int] | None = None) -> Iterator[Receiver]:
    """A receiver on a free port."""
    receiver = Receiver()
    if answer is not None:
        receiver.answer = answer

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            request = Received(self.path, dict(self.headers), body)
            with receiver.arrived:
                receiver.requests.append(request)
                receiver.arrived.notify_all()
            status = receiver.answer(request)
            self.send_response(status)
            if 300 <= status < 400:
                self.send_header("Location", f"{receiver.url}/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the library's name
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    receiver.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
