"""Graceful shutdown: uploads in progress get a short time, then their connections are closed.

Whoever's file has come whole is still answered. An upload that never ends would otherwise keep the server from stopping
for as long as it waits for answers, and be logged as a fault of ours.
"""

import asyncio
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol as Protocol
else:  # whichever uvicorn would take: the fast one where it is installed
    from uvicorn.protocols.http.auto import AutoHTTPProtocol as Protocol


class StoppingProtocol(Protocol):
    """uvicorn's HTTP protocol, with a limit on how long a stopping server waits for uploads."""

    grace_seconds: ClassVar[float] = 5.0

    def shutdown(self) -> None:
        super().shutdown()
        asyncio.get_running_loop().call_later(self.grace_seconds, self._give_up)

    def _give_up(self) -> None:
        """Hang up where the body has not come. The application sees a client that has gone, and nothing was charged."""
        if self.cycle is not None and self.cycle.more_body and not self.cycle.response_complete:
            self.transport.close()
