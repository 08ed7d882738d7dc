"""Ctrl+C while a server starts, kept until the server can heed it."""

import signal
import socket
from types import FrameType
from typing import Self

import uvicorn


class StopRequest:
    """Whether a signal has asked to stop, from `with` on; in the main thread only.

    Python's own handler raises `KeyboardInterrupt` wherever the program is. In a finalizer or a weak reference's
    callback that is printed and forgotten, and the server would start as if nobody had asked.
    """

    def __init__(self, *signals: signal.Signals) -> None:
        self.is_made = False
        self._signals = signals
        self._server: uvicorn.Server | None = None

    def __enter__(self) -> Self:
        self._former = {one: signal.signal(one, self._note) for one in self._signals}
        return self

    def __exit__(self, *_: object) -> None:
        for one, handler in self._former.items():
            signal.signal(one, handler)

    def run(self, server: uvicorn.Server, listening: socket.socket) -> None:
        """Serve on a listening socket until a stop is asked for, now or before."""
        self._server = server
        server.should_exit = self.is_made
        server.run(sockets=[listening])

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        self.is_made = True
        if self._server is not None:
            self._server.should_exit = True
