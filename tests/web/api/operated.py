"""A server with a competition that publishes everything in the end, and what people do there."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from ladderboard.competition import Competition
from ladderboard.server.db.database import Database
from ladderboard.server.lifecycle import freeze, reveal
from ladderboard.server.results.finalizing import finalize
from tests.hosting.competitions import a_competition, a_file, predictions
from tests.web.servers import Server, a_host, serving

PETS = "/api/v1/competitions/pets"


@contextmanager
def operated(prepared_sqlite: Path, folder: Path, *, rules: Any = None, **settings: Any) -> Iterator[Server]:
    """A running server; ``rules`` and ``settings`` differ from the usual."""
    shutil.copy(prepared_sqlite, folder / "server.db")
    database = Database(f"sqlite:///{folder / 'server.db'}")
    usual = {"publish_submissions": True, "mechanism": "ladder", "metric": "error_rate"}
    with serving(a_host(database, folder, a_competition(**usual | (rules or {})), **settings)) as running:
        yield running
    database.close()


def team_of_one(server: Server, name: str) -> httpx.Client:
    """A new participant in a team of that name."""
    client = server.sign_up(name)
    assert client.post(f"{PETS}/teams", json={"name": f"Team {name}"}).status_code == 201
    return client


def submit(client: httpx.Client, competition: Competition, share: float, *, seed: int = 0) -> Any:
    """A submission; its answer."""
    content = a_file(competition, predictions(competition, share, seed=seed))
    answer = client.post(f"{PETS}/submissions", files={"file": ("p.csv", content)})
    assert answer.status_code == 201, answer.text
    return answer.json()


def end(server: Server) -> None:
    """Close, finalize and reveal."""
    freeze(server.services, "pets")
    finalize(server.services, "pets", at_once=True)
    reveal(server.services, "pets")


def competition_of(server: Server) -> Competition:
    return server.services.competition("pets").competition
