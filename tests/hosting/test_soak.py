"""A long day in short: mixed load while server processes are killed and the database restarts.

Seconds on each database here; `make soak` takes half an hour on each (SOAK_MINUTES changes that) and prints what was
measured.
"""

import http.client
import os
import random
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.hosting.live import PATIENCE, LiveServer
from tests.hosting.submissions.test_crashes import LoadedCompetition, wait_until
from tests.postgres import Cluster

SHORT = 3.0  # on each of the two databases; `make soak` takes LONG
LONG = float(os.environ.get("SOAK_MINUTES", "30")) * 60
PAGES = (
    "/", "/competitions/pets", "/competitions/pets/leaderboard", "/api/v1/competitions/pets/leaderboard",
    "/api/v1/competitions/pets/ledger?limit=50", "/competitions/pets/rules", "/readyz", "/no-such-page",
)  # fmt: skip
GROWTH_MEGABYTES = 24.0
"""What a process may hold more after the calm part than at its first third; caches fill up until then."""


@dataclass
class Day:
    """Teams that submit and readers who read, whatever happens to the server; they go to the port of the moment."""

    context: LoadedCompetition
    port: int = 0
    """0 while there is no server: its port may already be that of another test."""
    ended: threading.Event = field(default_factory=threading.Event)
    faults: list[str] = field(default_factory=list)
    reads: int = 0
    pauses: int = 0
    """Submissions that were answered 503: nothing changed, come again."""

    def submit(self, team: int) -> None:
        while not self.ended.is_set():
            try:
                reply = self.context.submit(team, self.server_port())
            except (OSError, http.client.HTTPException):
                continue  # the server is being started again
            self.pauses += reply.status == 503
            if reply.status not in (200, 201, 429, 503):
                self.faults.append(f"a submission was answered {reply.status}: {reply.body}")

    def read(self, seed: int) -> None:
        chosen = random.Random(seed)
        while not self.ended.is_set():
            path = chosen.choice(PAGES)
            connection = http.client.HTTPConnection("127.0.0.1", self.server_port(), timeout=PATIENCE)
            try:
                connection.request("GET", path)
                status = connection.getresponse().status
            except (OSError, http.client.HTTPException):
                continue
            finally:
                connection.close()
            self.reads += 1
            if status >= 500 and status != 503:
                self.faults.append(f"{path} was answered {status}")
            time.sleep(0.02)

    def server_port(self) -> int:
        while self.port == 0 and not self.ended.is_set():
            time.sleep(0.02)
        return self.port

    def is_warm(self) -> bool:
        """All kinds of work were done: what a server loads when it is first needed is loaded."""
        return len(self.context.acknowledged) >= 40 and self.reads >= 10 * len(PAGES)


def memory_megabytes(server: LiveServer) -> float:
    lines = Path(f"/proc/{server._process.pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS:")).split()[1]) / 1024


@pytest.mark.parametrize("seconds", [SHORT, pytest.param(LONG, marks=pytest.mark.soak)])
def test_mixed_load_survives_kills_and_restarts(
    tmp_path: Path, database_url: str, database_kind: str, request: pytest.FixtureRequest, seconds: float
) -> None:
    context = LoadedCompetition(tmp_path, database_url)
    cluster: Cluster | None = request.getfixturevalue("postgres") if database_kind == "postgresql" else None
    day, server = Day(context), context.serve()
    day.port = server.port
    threads = [threading.Thread(target=day.submit, args=(team,)) for team in range(len(context.teams))]
    threads += [threading.Thread(target=day.read, args=(seed,)) for seed in range(2)]
    for thread in threads:
        thread.start()
    try:
        wait_until(day.is_warm)
        memory = calm(server, seconds / 2)
        server, kills, restarts = troubled(day, context, server, cluster, seconds / 2)
    finally:
        day.ended.set()
        for thread in threads:
            thread.join(2 * PATIENCE)
    with server:
        # Nothing is stuck: what was on its way is acknowledged now, and the next attempt of everybody too.
        for team in range(len(context.teams)):
            for _ in range(2):
                assert context.submit(team, server.port).status in (200, 201)
    assert not any(thread.is_alive() for thread in threads)
    assert day.faults == []
    print(  # noqa: T201 - `make soak` shows it
        f"{database_kind}: {len(context.acknowledged)} submissions and {day.reads} reads in "
        f"{seconds / 60:.1f} minutes, "
        f"{day.pauses} answers 503, {kills} kills, {restarts} database restarts, "
        f"megabytes of the server while calm: {', '.join(f'{megabytes:.0f}' for megabytes in memory)}"
    )
    assert memory[-1] - memory[2] < GROWTH_MEGABYTES
    assert kills + restarts >= 2
    assert day.reads > 20
    context.check()


def calm(server: LiveServer, seconds: float) -> list[float]:
    """Let them work; the megabytes of the process at the start and at every sixth of the time."""
    memory = [memory_megabytes(server)]
    for _ in range(6):
        time.sleep(seconds / 6)
        memory.append(memory_megabytes(server))
    return memory


def troubled(
    day: Day, context: LoadedCompetition, server: LiveServer, cluster: Cluster | None, seconds: float
) -> tuple[LiveServer, int, int]:
    """Kill the server or restart the database every few seconds; the server in the end, and how often each was done."""
    moments, until, kills, restarts = random.Random(1), time.monotonic() + seconds, 0, 0
    while time.monotonic() < until or kills + restarts < 2:
        time.sleep(moments.uniform(0.5, 3.0))
        if cluster is not None and restarts < kills:
            cluster.stop()
            cluster.start()
            restarts += 1
        else:
            day.port = 0
            server.kill()
            server = context.serve()
            day.port = server.port
            kills += 1
    return server, kills, restarts
