import pickle
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import pytest

import ladderboard as lb
from ladderboard.client import Client
from ladderboard.client.connection import Connection, read_json
from ladderboard.client.retries import PATIENT, Retries
from tests.client.scripted_server import HANG_UP, Scripted, ScriptedServer, refused, serving

FINE = Scripted(200, {"status": "ok"})
BUSY = refused(503, "unavailable", headers={"Retry-After": "2"})


@dataclass
class Patience:
    """Retries whose pauses are noted and not waited for."""

    pauses: list[float] = field(default_factory=list)

    def retries(self, tries: int = 4) -> Retries:
        return Retries(tries=tries, longest_wait=10, sleep=self.pauses.append, draw=lambda: 1.0)


@contextmanager
def connected(*answers: Scripted, tries: int = 4) -> Iterator[tuple[Connection, ScriptedServer, Patience]]:
    patience = Patience()
    with serving(*answers) as server, _connection(server.url, patience.retries(tries)) as connection:
        yield connection, server, patience


def _connection(url: str, retries: Retries, token: str | None = "secret") -> Connection:
    return Connection(url, token=token, timeout=120, retries=retries)


def test_a_request_carries_the_token_and_the_answer_is_read() -> None:
    with connected(FINE) as (connection, server, _):
        assert read_json(connection.get("/healthz")) == {"status": "ok"}
    assert server.asked[0].headers["authorization"] == "Bearer secret"
    assert server.asked[0].headers["user-agent"].startswith("ladderboard/")


def test_a_repeatable_request_is_sent_again_after_what_may_pass_with_growing_pauses() -> None:
    with connected(HANG_UP, refused(502, "x"), BUSY, FINE) as (connection, server, patience):
        assert connection.get("/").status_code == 200
    assert len(server.asked) == 4
    assert patience.pauses == [0.25, 0.5, 2 + 1.0]


def test_the_next_try_sends_what_the_first_one_sent() -> None:
    with connected(BUSY, FINE) as (connection, server, _):
        connection.send("PUT", "/finals", is_repeatable=True, json={"a": 1}, headers={"If-None-Match": "x"})
    first, second = server.asked
    assert first == second
    assert second.headers["if-none-match"] == "x"


def test_the_tries_are_bounded_and_the_last_refusal_is_raised() -> None:
    with connected(BUSY, tries=3) as (connection, server, _), pytest.raises(lb.UnavailableError) as caught:
        connection.get("/")
    assert len(server.asked) == 3
    assert caught.value.retry_after == 2


def test_a_quota_that_comes_back_tomorrow_is_not_waited_for() -> None:
    over = refused(429, "quota_exceeded", "all used", headers={"Retry-After": "40000"}, retry_after=40000)
    with connected(over) as (connection, server, patience), pytest.raises(lb.QuotaExceededError, match="all used") as e:
        connection.send("POST", "/", is_repeatable=True)
    assert (len(server.asked), patience.pauses) == (1, [])
    assert e.value.retry_after == 40000


@pytest.mark.parametrize("answer", [HANG_UP, BUSY])
def test_what_is_not_repeatable_is_never_sent_twice(answer: Scripted) -> None:
    with connected(answer) as (connection, server, _), pytest.raises((lb.UnreachableError, lb.UnavailableError)):
        connection.send("POST", "/")
    assert len(server.asked) == 1


def test_what_never_arrived_is_sent_again_even_if_it_is_not_repeatable() -> None:
    with socket.socket() as bound:  # bound and not listening: nobody answers, nobody else can take the port
        bound.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{bound.getsockname()[1]}"
        patience = Patience()
        with _connection(url, patience.retries()) as connection, pytest.raises(lb.UnreachableError, match=url):
            connection.send("POST", "/")
    assert len(patience.pauses) == 3


def test_an_upload_waits_as_long_as_a_server_may_take_to_restart(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    shortest = replace(PATIENT, sleep=pauses.append, draw=lambda: 0.0)
    monkeypatch.setattr("ladderboard.client.client.PATIENT", shortest)
    down = [HANG_UP] * (PATIENT.tries - 1)
    with serving(*down, FINE) as server, Client(server.url) as client, pytest.raises(lb.AnswerError):
        client.submit("whales", b"id,label\n")  # answered in the end, with nothing that could be read as a score
    assert len(server.asked) == PATIENT.tries
    assert 20 < sum(pauses) < 60


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (refused(401, "sign_in_required"), lb.SignInRequiredError),
        (refused(403, "forbidden"), lb.ForbiddenError),
        (refused(404, "not_found"), lb.NotFoundError),
        (refused(409, "deadline_passed"), lb.DeadlinePassedError),
        (refused(409, "not_open"), lb.NotOpenError),
        (refused(409, "spent"), lb.CompetitionSpentError),
        (refused(413, "too_large"), lb.PayloadTooLargeError),
        (refused(422, "idempotency_mismatch"), lb.IdempotencyMismatchError),
        (refused(409, "of_a_later_version"), lb.ConflictError),
        (refused(418, "teapot"), lb.HostingError),
    ],
)
def test_a_refusal_is_the_exception_of_its_code_or_else_of_its_status(
    answer: Scripted, expected: type[lb.HostingError]
) -> None:
    with connected(answer) as (connection, _, _), pytest.raises(lb.HostingError) as caught:
        connection.get("/")
    assert type(caught.value) is expected
    assert (caught.value.status, caught.value.code) == (answer.status, answer.body["error"]["code"])


def test_a_refusal_carries_its_words_its_details_and_the_id_to_tell_the_organiser() -> None:
    answer = refused(500, "internal_error", "our fault", headers={"X-Request-Id": "abc12345"}, more=1)
    with connected(answer) as (connection, _, _), pytest.raises(lb.HostingError, match="our fault") as caught:
        connection.get("/")
    assert (caught.value.request_id, caught.value.details) == ("abc12345", {"more": 1})


def test_a_bad_file_keeps_its_problems_with_their_lines() -> None:
    problems = [{"kind": "duplicate_id", "sentence": "id 7 twice", "line": 9, "of a later version": 1}]
    answer = refused(422, "bad_submission", "one problem", problems=problems, counts={"duplicate_id": 3})
    with connected(answer) as (connection, _, _), pytest.raises(lb.SubmissionError) as caught:
        connection.get("/")
    assert [str(one) for one in caught.value.problems] == ["line 9: id 7 twice"]
    assert caught.value.total == 3


def test_an_answer_that_is_no_ladderboards_is_told_as_such() -> None:
    page = Scripted(404, b"<html>nginx")
    with connected(page) as (connection, _, _), pytest.raises(lb.NotFoundError, match="a Ladderboard does not"):
        connection.get("/")
    with connected(Scripted(200, b"<html>")) as (connection, _, _), pytest.raises(lb.AnswerError, match="no JSON"):
        read_json(connection.get("/"))


def test_a_redirect_is_not_followed_so_that_no_token_goes_astray() -> None:
    moved = Scripted(301, {}, {"Location": "https://elsewhere.example/"})
    with connected(moved) as (connection, server, _), pytest.raises(lb.AnswerError, match=r"elsewhere\.example"):
        connection.get("/")
    assert len(server.asked) == 1


@pytest.mark.parametrize("address", ["board.example.org", "ftp://board.example.org", "https://", ""])
def test_an_address_without_http_is_refused(address: str) -> None:
    with pytest.raises(lb.ParameterError, match=r"https://board\.example\.org"):
        _connection(address, Retries())


def test_a_missing_httpx_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(lb.ParameterError, match=r"pip install '.\[client\]'"):
        _connection("http://127.0.0.1", Retries())


def test_a_refusal_can_be_handed_from_one_process_to_another() -> None:
    over = refused(429, "quota_exceeded", "all used", headers={"Retry-After": "40000"}, used=5)
    with connected(over) as (connection, _, _), pytest.raises(lb.QuotaExceededError) as caught:
        connection.get("/")
    carried = pickle.loads(pickle.dumps(caught.value))
    assert (type(carried), str(carried), carried.details) == (lb.QuotaExceededError, "all used", {"used": 5})
    assert (carried.retry_after, carried.code, carried.status) == (40000, "quota_exceeded", 429)
