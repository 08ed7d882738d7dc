"""uvicorn's HTTP protocol with limits on the form of requests: heads, chunks, pipelining and upgrades.

What is beyond a limit is answered with 400, and the connection is closed.
"""

from typing import ClassVar, NoReturn

from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

BYTES_PER_CHUNK = 64
"""How long the chunks of a body should be on average."""


class StrictProtocol(HttpToolsProtocol):
    """An HTTP protocol in which no form of a request holds much memory, or the event loop for long."""

    most_head_bytes: ClassVar[int] = 1 << 16
    """How much may come without the end of a head or a part of a body: httptools keeps headers without limit."""
    most_small_chunks: ClassVar[int] = 20_000
    """How many chunks a body may have beside one for every 64 bytes: a million of one byte keep everybody waiting."""
    most_pipelined: ClassVar[int] = 8
    """How many requests may wait for the answer to another one of their connection: each holds memory."""
    _head_bytes = 0
    _small_chunks = 0.0
    _refusal: str | None = None
    _running: RequestResponseCycle | None = None
    """The request that is being answered; ``cycle`` is the last that came."""
    _pieces: list[bytes]
    """The parts of a body in what has just come: one by one, small ones take the application ten times as long."""

    def data_received(self, data: bytes) -> None:
        self._head_bytes += len(data)
        self._pieces = []
        super().data_received(data)
        if self.transport.is_closing():
            return
        self._pass_on_body()
        if self._head_bytes > self.most_head_bytes:
            self.send_400_response("The head of the request is too large.")

    def on_headers_complete(self) -> None:
        self._head_bytes, self._small_chunks = 0, 0.0
        if len(self.pipeline) >= self.most_pipelined:
            self._refuse("Too many requests at once; wait for an answer before you send more.")
        is_upgrade = self.parser.should_upgrade()
        if is_upgrade and any(name in (b"content-length", b"transfer-encoding") for name, _ in self.headers):
            self._refuse("Send the request without Upgrade.")  # httptools would pass over its body
        super().on_headers_complete()
        if is_upgrade:
            self.cycle.keep_alive = False  # httptools reads nothing that follows

    def on_body(self, body: bytes) -> None:
        self._head_bytes = 0
        self._pieces.append(body)

    def on_message_complete(self) -> None:
        self._head_bytes = 0
        self._pass_on_body()
        if not self.transport.is_closing():
            super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        super().send_400_response(self._refusal or msg)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._running is not None and self._running is not self.cycle:  # uvicorn tells only the last one
            self._running.disconnected = True
            self._running.message_event.set()
        super().connection_lost(exc)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self._running = cycle
        super()._start_asgi_task(cycle, app)

    def _should_upgrade(self) -> bool:
        """Serve nothing but HTTP/1: a request that offers an upgrade is answered as if it had not."""
        return False

    def _unsupported_upgrade_warning(self) -> None:
        """Log nothing: whoever asks could fill the log."""

    def _pass_on_body(self) -> int:
        """Pass on what has come of a body, and tell its length."""
        if not self._pieces:
            return 0
        body = b"".join(self._pieces)
        self._small_chunks += len(self._pieces) - 1 - len(body) / BYTES_PER_CHUNK
        self._pieces.clear()
        if self._small_chunks > self.most_small_chunks:
            self.send_400_response("The chunks of the body are too small; send larger ones.")
        else:
            super().on_body(body)
        return len(body)

    def _refuse(self, sentence: str) -> NoReturn:
        """Stop the parser in the middle of what it reads."""
        self._refusal = sentence
        raise ValueError(sentence)
