"""Servers killed while submissions wait and are scored: nothing is lost, nothing is doubled, on both databases."""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from ladderboard.server.db.database import Database
from ladderboard.server.db.schema import jobs, ledger, submissions, teams
from ladderboard.server.services import open_services
from ladderboard.server.settings import Settings
from tests.hosting.competitions import a_file
from tests.hosting.jobs.queued import values, write_queued
from tests.hosting.live import PATIENCE, LiveServer, enlist

TEAMS, EACH = 3, 3


class QueuedServer:
    """A queued competition whose metric takes a moment, its database, and what its teams were told."""

    def __init__(
        self, folder: Path, database_url: str, monkeypatch: pytest.MonkeyPatch, *, seconds: float = 0.001
    ) -> None:
        monkeypatch.setenv("LADDERBOARD_JOB_LEASE_SECONDS", "2")
        self.folder = write_queued(folder / "whales", seconds=seconds)
        self.data, self.url = folder / "data", database_url
        with self.services() as services:
            self.teams = enlist(services.database, "whales", [f"team-{number}" for number in range(TEAMS)])
            self.competition = services.competition("whales").competition
        self.ids: set[str] = set()
        self._database = Database(database_url)

    @contextmanager
    def services(self) -> Iterator[Any]:
        services = open_services(Settings(data=self.data, database=self.url), [self.folder])
        yield services
        services.close()

    def serve(self) -> LiveServer:
        return LiveServer(self.folder, data=self.data, database=self.url)

    def send_all(self, port: int) -> None:
        """Send every file of every team with its key, for which one job is all there may be."""
        for number in range(EACH):
            for index, team in enumerate(self.teams):
                content = a_file(self.competition, values(0.1 + 0.01 * (number * TEAMS + index)))
                reply = team.post(port, "whales", content, key=f"key-{number}")
                assert reply.status in (201, 202), reply
                self.ids.add(reply.body["id"])
        for team in self.teams:
            team.hang_up()

    def read(self, table: Any) -> list[Any]:
        with self._database.reading() as connection:
            return list(connection.execute(select(table)).all())

    def count(self, status: str) -> int:
        return sum(job.status == status for job in self.read(jobs))

    def wait(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline, self.read(jobs)
            time.sleep(0.05)

    def check(self) -> None:
        """Every acknowledged submission is recorded once, with one entry in the ledger and one attempt."""
        assert {job.id for job in self.read(jobs)} == self.ids
        assert {job.status for job in self.read(jobs)} == {"scored"}, self.read(jobs)
        recorded = self.read(submissions)
        assert sorted(row.id for row in recorded) == sorted(self.ids)
        assert sorted(row.number for row in recorded) == list(range(1, TEAMS * EACH + 1))
        entries = [entry.body["submission"] for entry in self.read(ledger) if entry.kind == "submission"]
        assert sorted(entries) == sorted(self.ids)
        for team in self.read(teams):
            assert (team.attempts, team.queued, team.quota_used) == (EACH, 0, EACH)
            own = sorted((row.received_at, row.number) for row in recorded if row.team_id == team.id)
            assert [number for _, number in own] == sorted(number for _, number in own), "judged as they arrived"
        self._database.close()


@pytest.mark.parametrize("kills", [3, pytest.param(40, marks=pytest.mark.soak)])
def test_a_server_killed_while_it_scores_loses_and_doubles_nothing(
    tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch, kills: int
) -> None:
    context, moments = QueuedServer(tmp_path, database_url, monkeypatch), random.Random(kills)
    with context.serve() as server:
        context.send_all(server.port)
        server.kill()
    for _ in range(kills):
        done = context.count("scored")
        with context.serve() as server:
            # Killed after another one, at a moment of its own in what is done for the next.
            enough = min(TEAMS * EACH - 1, done + 1)
            context.wait(lambda enough=enough: context.count("scored") >= enough)  # type: ignore[misc]
            time.sleep(moments.random() * 0.1)
            server.kill()
    with context.serve() as server:
        context.send_all(server.port)  # sent again: the answers are there, or the places in the queue
        context.wait(lambda: context.count("scored") == TEAMS * EACH)
    context.check()


def test_a_server_that_goes_on_scores_what_a_killed_one_had_taken_up(
    tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = QueuedServer(tmp_path, database_url, monkeypatch)
    with context.serve() as first, context.serve() as second:
        context.send_all(first.port)
        first.kill()
        context.wait(lambda: context.count("scored") == TEAMS * EACH)
        context.send_all(second.port)
    context.check()


def test_a_server_that_is_stopped_gives_back_what_it_was_scoring(
    tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = QueuedServer(tmp_path, database_url, monkeypatch)
    monkeypatch.setenv("LADDERBOARD_JOB_LEASE_SECONDS", "600")
    with context.serve() as server:
        context.send_all(server.port)
    assert context.count("scoring") == 0, "else nobody would take it up for ten minutes"
    with context.serve() as server:
        context.wait(lambda: context.count("scored") == TEAMS * EACH)
    context.check()
