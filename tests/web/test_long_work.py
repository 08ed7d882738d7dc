"""The private board while somebody waits for it: progress on the page, and an end where the client leaves."""

import socket
from collections.abc import Callable, Iterator
from threading import Event

import httpx
import pytest

from ladderboard.core.errors import UnavailableError
from ladderboard.server.db.schema import private_results
from ladderboard.server.lifecycle import freeze
from ladderboard.server.people.accounts import Registry
from ladderboard.server.results import finalizing, private_scores
from ladderboard.server.results.steps import Progress
from tests.hosting.competitions import a_file, predictions
from tests.web.pages.readers import Reader
from tests.web.servers import PASSWORD, Server

DESK = "/competitions/pets/organise"
LONG = 120
"""Seconds after which a server that goes on has failed; one that ends needs milliseconds."""


@pytest.fixture
def olga(server: Server) -> Reader:
    """The organiser of a competition that has closed, with three files to score."""
    competition = server.services.competition("pets").competition
    for number in range(3):
        reader = Reader(server).sign_up(f"ann{number}").found(f"Owls of {number}")
        reader.submit(a_file(competition, predictions(competition, 0.7, seed=number)))
    freeze(server.services, "pets")
    Registry(server.app.state.accounts).add("olga", PASSWORD, role="organiser")
    return Reader(server).sign_in("olga")


def test_a_preview_shows_its_progress_without_script(olga: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(private_scores, "MOST_FILES", 2)
    page = olga.open(f"{DESK}/finalize")
    lines = [line.text for line in page.tree.one(class_="progress").all("p")]
    assert lines == ["The preview is being computed …", "2 of 3 files scored", "3 of 3 files scored"]
    assert "do not show them to anybody" in page.text
    assert page.html.rstrip().endswith("</html>")


def test_a_preview_that_fails_half_way_says_why_on_the_page(olga: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> Iterator[Progress]:
        yield Progress("1 of 3 files scored")
        raise UnavailableError("the server cannot store anything right now; nothing was changed")

    monkeypatch.setattr(finalizing, "preview_in_steps", fail)
    page = olga.open(f"{DESK}/finalize")
    assert page.tree.one(class_="progress").all("p")[-1].text.startswith("The server cannot store anything right now")
    assert "do not show them to anybody" not in page.text
    assert page.html.rstrip().endswith("</html>")


class Endless:
    """Steps that go on until somebody closes them."""

    def __init__(self) -> None:
        self.begun, self.ended = Event(), Event()

    def __call__(self, *_: object, **__: object) -> Iterator[Progress]:
        try:
            while True:
                self.begun.set()
                yield Progress("one more")
        finally:
            self.ended.set()


Ask = Callable[[Server, Reader], httpx.Request]


def ask_for_page(server: Server, olga: Reader) -> httpx.Request:
    del server
    return olga.http.build_request("GET", f"{DESK}/finalize")


def ask_by_form(server: Server, olga: Reader) -> httpx.Request:
    del server
    token = olga.open(DESK).tree.all(name="csrf")[0].attributes["value"]
    return olga.http.build_request("POST", f"{DESK}/finalize", data={"csrf": token, "at_once": "yes"})


def ask_by_api(server: Server, olga: Reader) -> httpx.Request:
    del olga
    organiser = server.sign_in("olga", scopes=["organise"])
    return organiser.build_request("POST", "/api/v1/competitions/pets/organise/finalize?at_once=true")


def to_bytes(request: httpx.Request) -> bytes:
    first = f"{request.method} {request.url.raw_path.decode()} HTTP/1.1"
    lines = [first, *(f"{name}: {value}" for name, value in request.headers.items()), "", ""]
    return "\r\n".join(lines).encode() + request.content


@pytest.mark.parametrize("ask", [ask_for_page, ask_by_form, ask_by_api])
def test_the_work_ends_when_its_client_leaves(
    server: Server, olga: Reader, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = Endless()
    for name in ("preview_in_steps", "finalize_in_steps"):
        monkeypatch.setattr(finalizing, name, work)
    request = ask(server, olga)
    with socket.create_connection((request.url.host, request.url.port)) as client:
        client.sendall(to_bytes(request))
        assert work.begun.wait(LONG)
        assert not work.ended.is_set()
    assert work.ended.wait(LONG)
    with server.services.database.reading() as connection:
        assert connection.execute(private_results.select()).all() == []
