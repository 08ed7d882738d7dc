"""Servers that are killed, databases that go away, disks that fill up: what was acknowledged is kept, once."""

import http.client
import random
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ladderboard.server.services import open_services
from ladderboard.server.settings import Settings
from tests.contracts.store_cases import check
from tests.hosting.competitions import a_competition
from tests.hosting.live import PATIENCE, LiveServer, Reply, enlist, write_folder
from tests.postgres import Cluster


class LoadedCompetition:
    """A competition's folder, a database, four teams; and everything that was acknowledged to them."""

    def __init__(self, folder: Path, database_url: str) -> None:
        self.competition = a_competition(rows=200, metric="error_rate", mechanism="shaky_ladder")
        self.folder = write_folder(folder / "pets", self.competition)
        self.data, self.url = folder / "data", database_url
        with self._services() as services:
            self.teams = enlist(services.database, "pets", [f"team-{number}" for number in range(4)])
        self.acknowledged: list[dict[str, Any]] = []
        self.in_doubt = [0] * len(self.teams)
        """The number of each team's present submission: sent again until it is acknowledged."""

    @contextmanager
    def _services(self) -> Iterator[Any]:
        services = open_services(Settings(data=self.data, database=self.url), [self.folder])
        yield services
        services.close()

    def serve(self, **options: Any) -> LiveServer:
        return LiveServer(self.folder, data=self.data, database=self.url, **options)

    def submit(self, team: int, port: int) -> Reply:
        """Send the team's present submission; where it is acknowledged the next one becomes the present one."""
        number = self.in_doubt[team]
        reply = self.teams[team].submit(port, self.competition, number * 4 + team, key=f"key-{number}")
        if reply.status in (200, 201):
            self.acknowledged.append(reply.body)
            self.in_doubt[team] += 1
        return reply

    def check(self) -> None:
        for team in self.teams:
            team.hang_up()
        with self._services() as services:
            check(services.database, services.competition("pets"), acknowledged=self.acknowledged)
        assert len(self.acknowledged) == sum(self.in_doubt)
        assert len({one["id"] for one in self.acknowledged}) == len(self.acknowledged)


@contextmanager
def under_load(
    context: LoadedCompetition, port: int, seen: Callable[[Reply], None] | None = None
) -> Iterator[threading.Event]:
    """All teams submit, one thread each, until the connection breaks or the block ends."""
    ended, first = threading.Event(), threading.Event()

    def play(team: int) -> None:
        while not ended.is_set():
            try:
                reply = context.submit(team, port)
            except (OSError, http.client.HTTPException):
                return
            first.set()
            if seen is not None:
                seen(reply)

    threads = [threading.Thread(target=play, args=(team,)) for team in range(len(context.teams))]
    for thread in threads:
        thread.start()
    try:
        assert first.wait(PATIENCE)
        yield ended
    finally:
        ended.set()
        for thread in threads:
            thread.join()


@pytest.mark.parametrize("kills", [2, pytest.param(100, marks=pytest.mark.soak)])
def test_a_server_killed_at_any_moment_loses_and_doubles_nothing(tmp_path: Path, database_url: str, kills: int) -> None:
    context, moments = LoadedCompetition(tmp_path, database_url), random.Random(kills)
    for _ in range(kills):
        server, before = context.serve(), len(context.acknowledged)
        # The answer to one team comes at a moment of its own in what is done for the other three.
        enough = before + moments.randint(2, 12)
        with under_load(context, server.port):
            wait_until(lambda enough=enough: len(context.acknowledged) >= enough)  # type: ignore[misc]
            server.kill()
    with context.serve() as server:
        # What was on its way when a server died is sent again, and is there once.
        for team in range(len(context.teams)):
            assert context.submit(team, server.port).status == 201
    assert len(context.acknowledged) >= 2 * kills + len(context.teams)
    context.check()


@pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True)
def test_a_database_that_goes_away_and_comes_back_is_a_pause(
    tmp_path: Path, database_url: str, postgres: Cluster
) -> None:
    context = LoadedCompetition(tmp_path, database_url)
    refusals: list[Reply] = []
    others: list[Reply] = []
    with context.serve() as server:
        refused = threading.Event()

        def see(reply: Reply) -> None:
            if reply.status == 503:
                refusals.append(reply)
                refused.set()
            elif reply.status != 201:
                others.append(reply)

        with under_load(context, server.port, see):
            for _ in range(2):
                refused.clear()
                postgres.stop()
                assert refused.wait(PATIENCE)
                before = len(context.acknowledged)
                postgres.start()
                wait_until(lambda before=before: len(context.acknowledged) >= before + 4)  # type: ignore[misc]
        assert others == []
        assert all(int(reply.retry_after or 0) >= 1 for reply in refusals)
        assert {reply.body["error"]["code"] for reply in refusals} <= {"unavailable", "outcome_unknown"}
        for team in range(len(context.teams)):
            assert context.submit(team, server.port).status in (200, 201)
    context.check()


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_full_disk_refuses_cleanly_and_all_goes_on_when_there_is_room(tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    with a_small_disk(small):
        context = LoadedCompetition(small, "")
        ballast = small / "ballast"
        with context.serve() as server:
            assert context.submit(0, server.port).status == 201
            fill(ballast)
            refusal = send_until_refused(context, server.port)
            assert refusal.status in (503, 507)
            assert refusal.body["error"]["message"].endswith("nothing was changed")
            assert "label" not in refusal.body["error"]["message"]
            assert server.get("/healthz") == 200
            ballast.unlink()
            for team in range(len(context.teams)):
                assert context.submit(team, server.port).status == 201
        context.check()


def test_a_file_that_may_not_grow_refuses_cleanly(tmp_path: Path) -> None:
    context = LoadedCompetition(tmp_path, "")
    size = (context.data / "ladderboard.db").stat().st_size
    with context.serve(file_limit=size + 30_000) as server:
        refusal = send_until_refused(context, server.port)
        assert refusal.status in (503, 507)
        assert refusal.body["error"]["message"].endswith("nothing was changed")
        assert server.get("/healthz") == 200
    with context.serve() as server:
        for team in range(len(context.teams)):
            assert context.submit(team, server.port).status == 201
    context.check()


def send_until_refused(context: LoadedCompetition, port: int) -> Reply:
    for _ in range(500):
        reply = context.submit(0, port)
        if reply.status != 201:
            return reply
    raise AssertionError("the disk was never full")


@contextmanager
def a_small_disk(where: Path) -> Iterator[None]:
    """A file system of a few megabytes; mounting one is up to root."""
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", where], capture_output=True, check=False)
    if made.returncode:
        pytest.skip("no file system can be mounted here; the next test has a limit on files instead")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", where], check=True)


def fill(ballast: Path) -> None:
    """Leave no room at all."""
    with ballast.open("wb", buffering=0) as file:
        for piece in (1 << 16, 1 << 12, 1 << 9):
            try:
                while True:
                    file.write(bytes(piece))
            except OSError:
                continue
