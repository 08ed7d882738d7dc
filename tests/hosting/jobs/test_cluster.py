"""A real Dask cluster that scores what is queued: nothing is lost or doubled, whoever is killed."""

from pathlib import Path

import pytest

from ladderboard.core.errors import ParameterError
from ladderboard.server.jobs.cluster import refuse_open_scheduler
from ladderboard.server.settings import Settings
from tests.hosting.jobs.clusters import Process, start_scheduler, start_worker
from tests.hosting.jobs.test_kills import EACH, TEAMS, QueuedServer


def test_whoever_is_killed_nothing_is_lost_or_doubled(
    tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = QueuedServer(tmp_path, database_url, monkeypatch, seconds=0.05)
    everything = TEAMS * EACH

    def wait_for(more: int) -> None:
        enough = min(everything - 1, context.count("scored") + more)
        context.wait(lambda: context.count("scored") >= enough)

    def work(address: str) -> Process:
        return start_worker(tmp_path, address, data=context.data, database=context.url)

    with start_scheduler(tmp_path) as scheduler:
        address = scheduler.told.strip()
        monkeypatch.setenv("LADDERBOARD_SCHEDULER", address)
        with context.serve() as server:
            context.send_all(server.port)
            assert context.count("scored") == 0, "there is no worker yet"
            with work(address) as first:
                wait_for(1)
                first.kill()
            with work(address):
                wait_for(1)
                scheduler.kill()
                with start_scheduler(tmp_path, port=int(address.rpartition(":")[2])):
                    wait_for(1)
                    server.kill()
                    with context.serve() as again:
                        context.send_all(again.port)
                        context.wait(lambda: context.count("scored") == everything)
    context.check()


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("10.0.0.7:8786", "give an address such as"),
        ("tcp://10.0.0.7:8786", "use tls://"),
        ("tcp://board.example.org:8786", "use tls://"),
        ("tcp://0.0.0.0:8786", "use tls://"),
        ("tls://10.0.0.7:8786", "LADDERBOARD_SCHEDULER_CA, LADDERBOARD_SCHEDULER_CERT, LADDERBOARD_SCHEDULER_KEY"),
        ("inproc://x", "give an address such as"),
    ],
)
def test_a_scheduler_that_others_could_reach_needs_certificates(address: str, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        refuse_open_scheduler(Settings(scheduler=address))


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:8786", "tcp://localhost:8786", "tcp://[::1]:8786"])
def test_on_this_machine_a_scheduler_needs_none(address: str) -> None:
    refuse_open_scheduler(Settings(scheduler=address))
