"""Holdout services for tests: a real one on a real socket, in a thread of the test."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from ladderboard.client.remote_holdout import RemoteHoldout
from ladderboard.client.retries import ONCE
from ladderboard.guard.clients import add_client
from ladderboard.guard.holdout import Holdout
from ladderboard.guard.service.body_limit import BodyLimit
from ladderboard.guard.service.service import HoldoutService
from ladderboard.server.holdout.app import create_holdout_app, make_server
from tests.guard.guards import labels_of

ITEMS = 600
UPLOAD_BYTES = 1 << 16


@dataclass
class RunningService:
    """A service that answers, with the token of its client "ci", and what it complained of."""

    holdout: Holdout
    labels: Path
    url: str
    token: str
    complaints: list[str] = field(default_factory=list)

    def ask(self, method: str, path: str, **given: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.token}", **given.pop("headers", {})}
        return httpx.request(method, self.url + path, headers=headers, timeout=120, **given)

    def connect(self) -> RemoteHoldout:
        return RemoteHoldout(self.url, token=self.token, retries=ONCE)

    def add_client(self, name: str) -> str:
        with self.holdout._guard.use() as connection:
            return add_client(connection, name)

    @property
    def address(self) -> tuple[str, int]:
        host, _, port = self.url.removeprefix("http://").partition(":")
        return host, int(port)


@contextmanager
def run_service(
    folder: Path, *, has_trusted_grader: bool = False, slow_upload_seconds: float = 600.0, **options: Any
) -> Iterator[RunningService]:
    """Serve a guard of 600 labels, or of graded ``items``, perhaps with their ``grader``, until the block ends."""
    labels = folder / "labels.csv"
    labels.write_text("y\n" + "\n".join(map(str, labels_of(ITEMS))) + "\n")
    with _listen_anywhere() as listening, _make_guard(folder / "holdout.db", **options) as holdout:
        running = RunningService(holdout, labels, f"http://127.0.0.1:{listening.getsockname()[1]}", "")
        running.token = running.add_client("ci")
        service = HoldoutService(
            holdout,
            labels=labels,
            describe=lambda _, release: [f"attempt {release.attempt}"],
            complain=running.complaints.append,
            has_trusted_grader=has_trusted_grader,
        )
        app = create_holdout_app(service, BodyLimit(UPLOAD_BYTES), slow_upload_seconds=slow_upload_seconds)
        server = make_server(app)
        listening.listen()  # from here on clients wait instead of being refused
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield running
        finally:
            server.should_exit = True
            thread.join()


def _make_guard(path: Path, items: Any = None, grader: Any = None, **options: Any) -> Holdout:
    if grader is not None:
        return Holdout.from_grader(items, grader, path=path, seed=7)
    if items is None:
        return Holdout(labels_of(ITEMS), path=path, seed=7, **options)
    return Holdout.from_item_scores(items, path=path, seed=7)


def _listen_anywhere() -> socket.socket:
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    return listening
