"""A holdout service over a real socket: what it answers, what it refuses, and that refusals charge nothing."""

import json
import select
import socket
import struct
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ladderboard as lb
from ladderboard.client.retries import ONCE
from ladderboard.guard.clients import list_clients, revoke_client
from ladderboard.server.app.http_protocol import LimitedProtocol
from tests.guard.guards import labels_of, with_errors
from tests.guard.services import ITEMS, UPLOAD_BYTES, RunningService, run_service

LABELS = labels_of(ITEMS)
FAIR = with_errors(LABELS, 180, seed=1)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """For requests that change nothing."""
    with run_service(tmp_path_factory.mktemp("shared")) as running:
        yield running


@pytest.fixture
def service(tmp_path: Path) -> Iterator[RunningService]:
    with run_service(tmp_path) as running:
        yield running


def error_of(answer: Any) -> tuple[int, str, str]:
    told = answer.json()["error"]
    assert told.keys() == {"code", "message", "details"}
    return answer.status_code, told["code"], told["message"]


def test_a_remote_holdout_answers_as_a_local_one(service: RunningService) -> None:
    sent = [FAIR, with_errors(LABELS, 181, seed=2), with_errors(LABELS, 60, seed=3), FAIR]
    with lb.Holdout(LABELS, path=":memory:", seed=7) as local, service.connect() as remote:
        here, there = [local.score(one) for one in sent], [remote.score(one) for one in sent]
        assert there == here
        assert [one.is_repeat for one in there] == [False, False, False, True]
        assert [one.to_answer() for one in there] == [one.to_answer() for one in here]
        assert [one.outcome_name for one in there] == ["improved", "no_change", "improved", "no_change"]
        assert [one._repr_html_() for one in remote.history()] == [one._repr_html_() for one in local.history()]
        assert (remote.best, remote.attempts, remote.leakage) == (local.best, local.attempts, local.leakage)
        assert remote.history() == local.history()
        assert len(remote) == ITEMS
        with pytest.raises(lb.PredictionsError) as refused:
            local.score(FAIR[:-1])
        with pytest.raises(lb.PredictionsError, match=str(refused.value)):
            remote.score(FAIR[:-1])
        assert service.holdout.attempts == 3


def test_predictions_with_ids_are_scored_by_their_ids_as_they_are_locally(tmp_path: Path) -> None:
    ids, order = [f"row {number}" for number in range(ITEMS)], np.random.default_rng(0).permutation(ITEMS)
    shuffled = pd.Series(FAIR[order], index=[ids[one] for one in order])
    with lb.Holdout(LABELS, path=":memory:", seed=7) as local, run_service(tmp_path, ids=ids) as service:
        told = local.score(FAIR)
        with service.connect() as remote:
            assert remote.score(shuffled) == told
            for again in (shuffled.to_dict(), FAIR, pl.DataFrame({"id": ids, "p": FAIR})):
                assert remote.score(again).is_repeat
            assert remote.score(FAIR[order], ids=list(shuffled.index)).is_repeat
            assert remote.status()["has_ids"]
            with pytest.raises(lb.PredictionsError, match="no prediction for items 'row 0'"):
                remote.score(pd.Series(FAIR))  # pandas' own index, which names no row of these
        body: dict[str, Any] = {"predictions": dict(zip(ids, FAIR.tolist(), strict=True))}
        assert service.ask("POST", "/score", json=body).json()["is_repeat"]
        body = {"ids": ids[:-1], "predictions": FAIR[:-1].tolist()}
        assert "'row 599'" in error_of(service.ask("POST", "/score", json=body))[2]
        assert service.holdout.attempts == 1


def test_plain_http_tells_the_release_what_it_means_and_what_to_send(service: RunningService) -> None:
    told = service.ask("POST", "/score", json={"predictions": FAIR.tolist()}).json()
    assert (told["attempt"], told["improved"], told["outcome"]) == (1, True, ["attempt 1"])
    status = service.ask("GET", "/status").json()
    assert (status["items"], status["metric"], status["classes"]) == (ITEMS, "error_rate", [0, 1])
    assert not status["has_ids"]
    assert status["expects"] == "one of the known classes for each item"
    assert [one["attempt"] for one in service.ask("GET", "/plan").json()["gains"]] == [2, 12, 102, 1002]
    assert len(service.ask("GET", "/history").json()["history"]) == 1


def test_attempts_are_counted_for_each_client_and_together(service: RunningService) -> None:
    other = lb.RemoteHoldout(service.url, token=service.add_client("agent-1"))
    with service.connect() as one, other:
        one.score(FAIR)
        other.score(with_errors(LABELS, 200, seed=4))
        other.score(with_errors(LABELS, 201, seed=5))
        other.score(FAIR)  # the first client's predictions: known, so nobody is charged
        assert one.status()["client"] == {"name": "ci", "attempts": 1, "accepts": 1}
        assert other.status()["client"]["attempts"] == 2
        assert (one.attempts, other.attempts) == (3, 3)


def test_eight_threads_of_two_clients_lose_and_double_no_attempt(service: RunningService) -> None:
    tokens = [service.token, service.add_client("agent-1")]
    clients = [lb.RemoteHoldout(service.url, token=token) for token in tokens]

    def ask(number: int) -> int:
        return clients[number % 2].score(with_errors(LABELS, 150, seed=100 + number)).attempt

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(ask, range(24))) == list(range(1, 25))
    assert [one.status()["client"]["attempts"] for one in clients] == [12, 12]
    for one in clients:
        one.close()


def test_one_score_is_computed_at_a_time_and_the_status_told_meanwhile(
    service: RunningService, monkeypatch: pytest.MonkeyPatch
) -> None:
    score, inside, seen = service.holdout.score, list[int](), list[int]()
    tokens = [service.token, service.add_client("agent-1")]
    other = {"Authorization": f"Bearer {service.add_client('agent-2')}"}

    def watch(*given: Any, **named: Any) -> Any:
        inside.append(1)
        # Time enough for the other one to come in, if it were let in.
        answers = [service.ask("GET", "/status", headers=other).status_code for _ in range(10)]
        seen.extend([len(inside), *answers])
        inside.pop()
        return score(*given, **named)

    monkeypatch.setattr(service.holdout, "score", watch)

    def ask(number: int) -> int:
        with lb.RemoteHoldout(service.url, token=tokens[number % 2]) as client:
            return client.score(with_errors(LABELS, 150, seed=200 + number)).attempt

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(ask, range(4))) == [1, 2, 3, 4]
    assert seen == [1, *[200] * 10] * 4


@pytest.mark.parametrize("token", ["lb_wrong", "lb_" + "x" * 5000, "é".encode().decode("latin-1")])
def test_a_wrong_token_learns_and_charges_nothing(shared: RunningService, token: str) -> None:
    headers = {"Authorization": f"Bearer {token}".encode()}
    answer = shared.ask("POST", "/score", json={"predictions": FAIR.tolist()}, headers=headers)
    assert error_of(answer)[:2] == (401, "sign_in_required")
    assert answer.headers["www-authenticate"] == "Bearer"
    assert shared.holdout.attempts == 0


def test_tokens_are_stored_as_hashes_and_revoked_at_once(service: RunningService, tmp_path: Path) -> None:
    assert service.token.encode() not in (tmp_path / "holdout.db").read_bytes()
    with service.holdout._guard.use() as connection:
        revoke_client(connection, "ci")
    with service.connect() as remote, pytest.raises(lb.SignInRequiredError, match="unknown or revoked"):
        remote.score(FAIR)
    assert service.holdout.attempts == 0
    service.token = service.add_client("ci")  # again: a new token, and the counts go on
    assert service.ask("GET", "/status").json()["client"]["attempts"] == 0


def test_a_client_that_is_revoked_while_it_asks_is_not_charged(service: RunningService) -> None:
    with service.holdout._guard.use() as connection:
        revoke_client(connection, "ci")
    with pytest.raises(lb.SignInRequiredError):
        service.holdout.score(FAIR, client="ci")
    with service.holdout._guard.use() as connection:
        assert list_clients(connection)[0].attempts == 0
    assert service.holdout.attempts == 0


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:8765"])
def test_a_browser_is_refused_whatever_page_it_shows(shared: RunningService, origin: str) -> None:
    answer = shared.ask("POST", "/score", json={"predictions": FAIR.tolist()}, headers={"Origin": origin})
    assert error_of(answer)[:2] == (403, "forbidden")
    assert "access-control-allow-origin" not in answer.headers
    assert shared.holdout.attempts == 0


BAD_BODIES = {
    b"": "not JSON",
    b"predictions=1": "not JSON",
    b'{"predictions": ["\xff"]}': "not UTF-8",
    b'{"predictions": [' + b"9" * 5000 + b"]}": "too many digits",
    b"[" * 30_000: "nested too deeply",
    b"[0, 1]": "must be a JSON object",
    b"{}": "one of predictions and item_scores",
    b'{"predictions": [0], "item_scores": {}}': "one of predictions and item_scores",
    b'{"predictions": [0], "labels": [0]}': "'labels' is not known here",
    b'{"predictions": "0,1"}': "must be a list",
    b'{"predictions": {"a": 0, "a": 1}}': "'a' is given twice",
    b'{"predictions": {"a": 0}, "ids": ["a"]}': "brings its own ids",
    b'{"predictions": [0], "training_score": "high"}': "training_score must be a number",
    b'{"predictions": [0], "training_score": NaN}': "training_score must be a number",
    b'{"predictions": [0], "explain": 0}': "explain must be true or false",
    b'{"predictions": [0, 1]}': "2 predictions for 600 items",
    json.dumps({"predictions": [float("nan")] * ITEMS}).encode(): "prediction nan",
    json.dumps({"predictions": [float("inf")] * ITEMS}).encode(): "prediction inf",
    json.dumps({"predictions": [None] * ITEMS}).encode(): "prediction",
    json.dumps({"predictions": [[0, 1]] * ITEMS}).encode(): "prediction",
    json.dumps({"predictions": [7] * ITEMS}).encode(): "prediction 7",
}


@pytest.mark.parametrize("body", BAD_BODIES, ids=lambda body: body[:40].decode("latin-1"))
def test_bad_input_gets_one_sentence_and_charges_nothing(shared: RunningService, body: bytes) -> None:
    status, code, message = error_of(shared.ask("POST", "/score", content=body))
    assert (status, code in ("bad_parameter", "bad_predictions")) == (422, True)
    assert BAD_BODIES[body] in message
    assert shared.holdout.attempts == 0


def test_item_scores_are_refused_from_clients_who_are_not_trusted_to_grade(shared: RunningService) -> None:
    answer = shared.ask("POST", "/score", json={"item_scores": {"a": 1.0}})
    assert error_of(answer)[:2] == (403, "forbidden")
    assert "--trusted-grader" in error_of(answer)[2]


def test_a_trusted_grader_sends_item_scores_as_a_local_guard_takes_them(tmp_path: Path) -> None:
    items = [f"task {number}" for number in range(ITEMS)]
    passed = {item: float(number % 3 == 0) for number, item in enumerate(items)}
    with lb.Holdout.from_item_scores(items, path=":memory:", seed=7) as local:
        told = local.score(passed)
    with run_service(tmp_path, items=items, has_trusted_grader=True) as service, service.connect() as remote:
        assert remote.score(passed) == told
        assert service.ask("POST", "/score", json={"item_scores": passed}).json()["is_repeat"]
        assert error_of(service.ask("POST", "/score", json={"predictions": passed}))[:2] == (422, "bad_parameter")
        with pytest.raises(lb.PredictionsError, match="'task 599'"):
            remote.score({item: passed[item] for item in items[:-1]})
        assert service.holdout.attempts == 1


def test_graded_items_are_not_served_to_clients_who_are_not_trusted(tmp_path: Path) -> None:
    with pytest.raises(lb.ParameterError, match="--trusted-grader"), run_service(tmp_path, items=range(200)):
        pass


def test_a_trusted_grader_cannot_grade_what_the_labels_grade(tmp_path: Path) -> None:
    with run_service(tmp_path, has_trusted_grader=True) as service:
        answer = service.ask("POST", "/score", json={"item_scores": {"a": 1.0}})
        assert error_of(answer)[:2] == (422, "bad_parameter")
        assert service.holdout.attempts == 0


def test_what_is_not_there_is_said(shared: RunningService) -> None:
    assert error_of(shared.ask("GET", "/labels")) == (
        404,
        "not_found",
        "there is nothing at this address; there are POST /score, GET /status, GET /plan and GET /history",
    )
    assert error_of(shared.ask("GET", "/score"))[:2] == (405, "method_not_allowed")


def test_a_body_that_is_too_large_is_refused_declared_or_not(shared: RunningService) -> None:
    large = b" " * (UPLOAD_BYTES + 1)
    assert error_of(shared.ask("POST", "/score", content=large))[:2] == (413, "too_large")
    assert error_of(shared.ask("POST", "/score", content=iter([large])))[:2] == (413, "too_large")
    assert shared.holdout.attempts == 0


def head_of(service: RunningService, length: int) -> bytes:
    lines = ["POST /score HTTP/1.1", "Host: x", f"Authorization: Bearer {service.token}", f"Content-Length: {length}"]
    return "\r\n".join([*lines, "", ""]).encode()


def test_a_client_killed_in_mid_upload_is_not_charged_and_blocks_nobody(service: RunningService) -> None:
    body = json.dumps({"predictions": FAIR.tolist()}).encode()
    for _ in range(4):  # more than a client's uploads at once
        with socket.create_connection(service.address) as dying:
            dying.sendall(head_of(service, len(body)) + body[:500])
            dying.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # close by a reset
    with service.connect() as remote:
        assert remote.score(FAIR).attempt == 1


def test_an_upload_that_stalls_ends_with_408(tmp_path: Path) -> None:
    with run_service(tmp_path, slow_upload_seconds=0.2) as service, socket.create_connection(service.address) as slow:
        slow.sendall(head_of(service, 9) + b"{")
        assert b"408" in slow.recv(4096).split(b"\r\n")[0]
        assert service.holdout.attempts == 0


def test_a_silent_connection_is_closed_and_too_many_make_room(
    service: RunningService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LimitedProtocol, "most_connections", 3)
    monkeypatch.setattr(LimitedProtocol, "head_seconds", 600)
    silent = [socket.create_connection(service.address) for _ in range(4)]
    closed, _, _ = select.select(silent, [], [])  # one made room for the fourth; all came at about the same time
    assert [one.recv(1) for one in closed] == [b""]
    monkeypatch.setattr(LimitedProtocol, "head_seconds", 0.1)
    with socket.create_connection(service.address) as late:
        assert late.recv(1) == b""
    monkeypatch.setattr(LimitedProtocol, "head_seconds", 600)  # on a busy machine an honest head takes longer
    for one in silent:
        one.close()
    assert service.ask("GET", "/status").status_code == 200


def test_slow_bodies_of_one_client_shut_no_other_client_out(service: RunningService) -> None:
    honest, body = service.add_client("agent-1"), json.dumps({"predictions": FAIR.tolist()}).encode()
    with ExitStack() as opened:
        waiting = opened.enter_context(socket.create_connection(service.address, timeout=120))
        head = head_of(service, len(body)).replace(service.token.encode(), honest.encode())
        waiting.sendall(head.replace(b"Host: x", b"Host: x\r\nExpect: 100-continue"))
        assert waiting.recv(1000).startswith(b"HTTP/1.1 100 ")
        for _ in range(120):
            slow = opened.enter_context(socket.create_connection(service.address, timeout=120))
            slow.sendall(head_of(service, 1000) + b"{")
        with lb.RemoteHoldout(service.url, token=honest, retries=ONCE) as other:
            assert other.status()["client"]["name"] == "agent-1"
        waiting.sendall(body)  # the oldest of all unfinished bodies, but not of the client that has the most
        assert b" 200 " in waiting.recv(1000)
    assert service.holdout.attempts == 1


def test_changed_labels_stop_the_scoring_until_the_old_file_is_back(service: RunningService) -> None:
    kept = service.labels.with_name("kept.csv")
    service.labels.rename(kept)
    for content in (None, "y\n1\n"):  # gone, then another file
        if content is not None:
            service.labels.write_text(content)
        answer = service.ask("POST", "/score", json={"predictions": FAIR.tolist()})
        assert error_of(answer)[:2] == (503, "unavailable")
        assert str(service.labels) not in answer.text
    assert len(service.complaints) == 2
    assert str(service.labels) in service.complaints[0]
    assert service.holdout.attempts == 0
    kept.replace(service.labels)
    with service.connect() as remote:
        assert remote.score(FAIR).attempt == 1


def test_a_guard_file_that_went_away_is_the_services_fault_and_said_without_its_path(service: RunningService) -> None:
    path = service.labels.with_name("holdout.db")
    path.rename(path.with_suffix(".moved"))
    answer = service.ask("POST", "/score", json={"predictions": FAIR.tolist()})
    assert error_of(answer)[:2] == (503, "unavailable")
    assert "holdout.db" not in answer.text
    assert "removed or replaced" in service.complaints[0]
    path.with_suffix(".moved").rename(path)
    assert service.ask("POST", "/score", json={"predictions": FAIR.tolist()}).json()["attempt"] == 1


def test_a_spent_holdout_is_the_librarys_error(tmp_path: Path) -> None:
    mechanism = lb.Thresholdout(budget=1, threshold=1e-6, noise=1e-9)
    with run_service(tmp_path, mechanism=mechanism) as service, service.connect() as remote:
        remote.score(FAIR, training_score=0.0)
        with pytest.raises(lb.HoldoutSpentError):
            remote.score(with_errors(LABELS, 20, seed=9), training_score=0.0)
