"""Twins of labels: no answer and no time may tell them apart, and a server that does is found out."""

import itertools
import json
import time
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from ladderboard_lab.drill.run import DrillOptions, drill
from ladderboard_lab.drill.sessions import RecordedSession
from ladderboard_lab.drill.timing import compare_times
from tests.lab.drill.conftest import write_small


def test_answers_and_log_lines_tell_no_labels(tmp_path: Path) -> None:
    folder = write_small(tmp_path / "auc", metric="auc")
    (found,) = drill(folder, DrillOptions(attacks=[], probes=["same_answers"])).probes
    assert found.holds, found.words
    assert "for other private labels" in found.words
    assert "for other public labels" in found.words


def test_a_server_that_leaks_is_found_out(competition: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The part of a bad row in an error, private labels in an answer, and time that depends on labels.

    Time is what the server says that it has worked: whatever else this machine does cannot hide the difference.
    """
    ticks = tmp_path / "ticks"
    ticks.touch()
    monkeypatch.setenv("TICKS", str(ticks))
    monkeypatch.setenv("LEAKS", "split body time")
    monkeypatch.setattr("ladderboard_lab.drill.timing.time.perf_counter", lambda: float(ticks.stat().st_size))
    monkeypatch.setattr("ladderboard_lab.drill.side_channels.QUICK_REQUESTS", 40)
    probes = ["bad_rows", "same_answers", "same_times"]
    report = drill(competition, DrillOptions(attacks=[], probes=probes, quick=True))
    assert [one.holds for one in report.probes] == [False, False, False], report.probes
    split, body, _ = (one.words for one in report.probes)
    assert "the answers differ for" in split
    assert "other private labels: POST /api/v1/competitions/SLUG/submissions: its body differs" in body


class Clock:
    """A clock that only the calls move: each takes its seconds and, as on any machine, some more by chance."""

    def __init__(self, seed: int) -> None:
        self.now, self.rng = 0.0, np.random.default_rng(seed)

    def take(self, seconds: float) -> None:
        self.now += seconds + self.rng.exponential(0.001)


@pytest.fixture(params=range(5))
def clock(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock(request.param)
    monkeypatch.setattr("time.perf_counter", lambda: made.now)
    return made


def test_equal_times_are_not_told_apart_wherever_they_stand_in_a_pair(clock: Clock) -> None:
    """Calls that take turns in being slow; a false alarm for one seed in a million."""
    turns = itertools.cycle([0.0, 0.0005])
    equal = compare_times(*[lambda: clock.take(next(turns))] * 2, requests=400, rng=clock.rng)
    assert not equal.tells_apart


def test_calls_that_take_no_time_at_all_are_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.perf_counter", lambda: 0.0)
    equal = compare_times(int, int, requests=40, rng=np.random.default_rng(0))
    assert equal.p_values == (1.0,)


def test_other_times_are_told_apart_and_measured_twice(clock: Clock) -> None:
    other = compare_times(lambda: clock.take(0), lambda: clock.take(0.001), requests=400, rng=clock.rng)
    assert other.tells_apart
    assert other.requests == 800


def test_lines_of_a_log_are_waited_for_and_compared_in_the_order_of_requests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line is written after its response: that of an earlier request may come after that of the last one."""
    log, nobody = tmp_path / "server.log", cast("Any", None)
    late = iter(["req-a-00001", "req-b-00001", "req-a-00002"])
    log.write_text('{"request_id": "req-a-00003", "route": "req-a-00003"}\n')

    def write_next(_: float) -> None:
        name = next(late)
        with log.open("a") as file:
            file.write(json.dumps({"request_id": name, "route": f"/{name[-1]}"}) + "\n")

    monkeypatch.setattr(time, "sleep", write_next)
    session = RecordedSession(nobody, nobody, "small", "a", requests=3)
    assert [json.loads(line)["route"] for line in session.log_lines(log)] == ["/1", "/2", "REQUEST"]
