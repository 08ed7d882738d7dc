"""A proxy on loopback that loses the answers to the first requests: the server has acted, the client cannot know."""

import select
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread
from urllib.parse import urlsplit


@contextmanager
def losing_answers(url: str, *, losses: int) -> Iterator[str]:
    """The address of a proxy for the server at ``url`` that hangs up instead of its first ``losses`` answers."""
    target = urlsplit(url)
    listening = socket.create_server(("127.0.0.1", 0))
    pairs: list[Thread] = []

    def accept() -> None:
        with suppress(OSError):
            while True:
                client, _ = listening.accept()
                server = socket.create_connection((target.hostname, target.port))
                pairs.append(Thread(target=_carry, args=(client, server, len(pairs) < losses)))
                pairs[-1].start()

    accepting = Thread(target=accept)
    accepting.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        # Closing alone would leave accept() waiting.
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        for thread in [accepting, *pairs]:
            thread.join(120)


def _carry(client: socket.socket, server: socket.socket, is_lossy: bool) -> None:
    """Bytes both ways until one side has had enough."""
    with client, server, suppress(OSError):
        while True:
            for ready in select.select([client, server], [], [])[0]:
                data = ready.recv(65536)
                if not data or (ready is server and is_lossy):
                    return
                (server if ready is client else client).sendall(data)
