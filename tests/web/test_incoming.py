"""A submission over the API and one on the page follow the same rules and get the same messages."""

import time
from datetime import timedelta
from html import unescape

import pytest
from sqlalchemy import select

from ladderboard.server.db.schema import submissions
from ladderboard.server.submissions.receiving import compute_arrival
from ladderboard.server.submissions.records import LONGEST_NOTE
from tests.hosting.competitions import NOON, a_file, predictions
from tests.web.pages.readers import Reader
from tests.web.servers import Server

API, PAGE = "/api/v1/competitions/pets/submissions", "/competitions/pets/submit"


class Sender:
    """Somebody who sends files by one of the two ways."""

    def __init__(self, server: Server, way: str) -> None:
        self._server, self._way = server, way
        if way == "API":
            self._http = server.sign_up("ada")
            assert self._http.post("/api/v1/competitions/pets/teams", json={"name": "Owls"}).status_code == 201
        else:
            self._reader = Reader(server).sign_up("ada").found("Owls")

    def send(self, **fields: str) -> tuple[int, str]:
        """The status, and what the sender reads."""
        competition = self._server.services.competition("pets").competition
        files = {"file": ("mine.csv", a_file(competition, predictions(competition, 0.9)))}
        if self._way == "API":
            answer = self._http.post(API, data=fields, files=files)
            return answer.status_code, answer.json().get("error", {}).get("message", "")
        self._reader.open(PAGE)
        answer = self._reader.http.post(PAGE, data={"csrf": self._reader._token, **fields}, files=files)
        return answer.status_code, unescape(answer.text)


@pytest.fixture(params=["API", "page"])
def sender(request: pytest.FixtureRequest, server: Server) -> Sender:
    return Sender(server, request.param)


def stored(server: Server) -> list[tuple[str, float | None]]:
    with server.services.database.reading() as connection:
        return [tuple(row) for row in connection.execute(select(submissions.c.note, submissions.c.training_score))]


def test_a_note_that_is_too_long_is_refused_with_its_length(server: Server, sender: Sender) -> None:
    status, text = sender.send(note="x" * (LONGEST_NOTE + 1))
    assert status == 422
    assert f"note has {LONGEST_NOTE + 1} characters; at most {LONGEST_NOTE} are kept" in text
    assert stored(server) == []


def test_a_note_of_the_greatest_length_is_kept_whole(server: Server, sender: Sender) -> None:
    assert sender.send(note="x" * LONGEST_NOTE)[0] in (201, 200)
    assert stored(server) == [("x" * LONGEST_NOTE, None)]


@pytest.mark.parametrize("text", ["0.83", "0,83", " 0,83 "])
def test_a_training_score_is_read_with_a_point_or_a_comma(server: Server, sender: Sender, text: str) -> None:
    assert sender.send(training_score=text)[0] in (201, 200)
    assert stored(server) == [("", 0.83)]


@pytest.mark.parametrize("text", ["high", "nan", "1e999", "0,8,3"])
def test_a_training_score_that_is_no_number_is_refused(server: Server, sender: Sender, text: str) -> None:
    status, message = sender.send(training_score=text)
    assert status == 422
    assert f"training score is {text!r}; give a number such as 0.83, or leave it out" in message
    assert stored(server) == []


def test_what_a_request_has_waited_is_not_held_against_it() -> None:
    assert NOON - compute_arrival(NOON, time.monotonic() - 5) >= timedelta(seconds=5)
