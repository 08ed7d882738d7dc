"""The logs of a whole run: one line of JSON for each request, and nothing in them that a label is in."""

import io
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ladderboard.competition import Competition
from ladderboard.core.records import Evaluation
from ladderboard.server.app.access_log import LOGGERS, configure_logs
from tests.hosting.competitions import a_file, predictions
from tests.web.api.operated import PETS, competition_of, end, operated, submit, team_of_one


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    """What the server writes; the loggers are as before afterwards."""
    loggers = [logging.getLogger(name) for name in (*LOGGERS, "uvicorn.access")]
    before = [(one, one.handlers, one.propagate, one.level) for one in loggers]
    stream = io.StringIO()
    configure_logs("debug", stream)
    yield stream
    for one, handlers, propagates, level in before:
        one.handlers, one.propagate = handlers, propagates
        one.setLevel(level)


def records(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def scores_of(competition: Competition, seeds: int, share: float) -> set[str]:
    """Every spelling of every true score that was computed on the way."""
    spelled: set[str] = set()
    for key in (competition.public, competition.private, competition.whole):
        assert key is not None
        for seed in range(seeds):
            rows = predictions(competition, share, seed=seed)
            part = rows if key is competition.whole else rows[competition.solution.usage == _usage(competition, key)]
            evaluation: Evaluation = key.evaluate(key.read(part), submission="x")
            spelled |= {repr(evaluation.score), f"{evaluation.score:.4f}", f"{evaluation.score:.3f}"}
    return spelled


def _usage(competition: Competition, key: object) -> str:
    return "Public" if key is competition.public else "Private"


def test_the_log_of_a_whole_run_holds_nothing_that_a_label_is_in(
    written: io.StringIO, prepared_sqlite: Path, tmp_path: Path
) -> None:
    with operated(prepared_sqlite, tmp_path) as server:
        competition, ada = competition_of(server), team_of_one(server, "ada")
        told = [submit(ada, competition, 0.77, seed=seed) for seed in range(4)]
        bad = ada.post(f"{PETS}/submissions", files={"file": ("secret-name.csv", b"id,label\n1,hunter2\n")})
        assert bad.status_code == 422
        ada.get(f"{PETS}/leaderboard?team=hidden-query")
        server.client("lb_notatoken").get(f"{PETS}/submissions")
        server.client().get("/invitations/secret-code")
        end(server)
        ada.get(f"{PETS}/private-leaderboard")
        tokens = [client.headers["Authorization"].removeprefix("Bearer ") for client in (ada, server.organiser())]
    # Times have decimals too, which may look like any score.
    text = "".join(f"{value}\n" for line in records(written) for key, value in line.items() if key != "at")
    lines = [line for line in records(written) if line["event"] == "request"]
    assert len(lines) >= 12
    values = {repr(value) for one in told for value in _numbers(one["release"])} - {"0.0", "1.0"}
    assert len(values) >= 2
    assert [one for one in values | scores_of(competition, 4, 0.77) if one in text] == []
    for secret in ("hunter2", "secret-name", "hidden-query", "lb_notatoken", "secret-code", "correct horse", *tokens):
        assert secret not in text
    assert "".join(str(label) for label in competition.solution.labels[:20]) not in text


def _numbers(release: dict[str, Any]) -> list[float]:
    found = [release["value"], release["board_value"], *(release["interval"] or [])]
    return [value for value in found if isinstance(value, float)]


def test_a_line_tells_who_asked_for_which_kind_of_thing_and_how_it_ended(
    written: io.StringIO, prepared_sqlite: Path, tmp_path: Path
) -> None:
    with operated(prepared_sqlite, tmp_path) as server:
        ada = team_of_one(server, "ada")
        answer = ada.get(f"{PETS}/submissions?limit=5", headers={"X-Request-Id": "from-the-proxy-1"})
        assert answer.headers["X-Request-Id"] == "from-the-proxy-1"
    line = next(line for line in records(written) if line.get("request_id") == "from-the-proxy-1")
    assert line["account"] is not None
    assert line["duration_ms"] % 10 == 0
    expected = {
        "level": "info",
        "logger": "ladderboard.requests",
        "event": "request",
        "method": "GET",
        "route": "/api/v1/competitions/{slug}/submissions",
        "status": 200,
    }
    assert line.items() >= expected.items()


def test_a_fault_is_logged_by_kind_and_place_without_its_words(
    written: io.StringIO, prepared_sqlite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_arguments: object, **_more: object) -> None:
        raise RuntimeError("the label of row 7 is 1")

    with operated(prepared_sqlite, tmp_path) as server:
        ada = team_of_one(server, "ada")
        monkeypatch.setattr(server.services.referee, "submit", fail)
        content = a_file(competition_of(server), predictions(competition_of(server), 0.7))
        answer = ada.post(f"{PETS}/submissions", files={"file": ("p.csv", content)})
        assert answer.status_code == 500
    assert "the label of row 7" not in written.getvalue()
    assert "RuntimeError" in written.getvalue()
    assert [line["status"] for line in records(written) if line["event"] == "request"][-1] == 500


def test_an_exception_that_is_logged_shows_no_words(written: io.StringIO) -> None:
    try:
        raise ValueError("label=1")
    except ValueError:
        logging.getLogger("uvicorn.error").exception("it broke")
    [line] = records(written)
    assert line["error"] == "ValueError"
    assert "label=1" not in written.getvalue()
