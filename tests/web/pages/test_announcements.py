"""Announcements: posted by the staff, read by everybody, carried by a feed."""

import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from ladderboard.cli.main import cli
from ladderboard.core.errors import ConflictError, ParameterError
from ladderboard.server.announcements import rules
from ladderboard.server.announcements.rules import LONGEST_TEXT, LONGEST_TITLE, post
from ladderboard.server.db.database import Database
from ladderboard.server.enrolment.staff import give_role
from tests.hosting.competitions import NOON, a_competition
from tests.hosting.conftest import begin
from tests.hosting.hosts import Begin
from tests.web.pages.readers import Reader
from tests.web.servers import Server, a_host, serving

__all__ = ["begin"]

PAGE = "/competitions/pets/announcements"
ATOM = "{http://www.w3.org/2005/Atom}"


class Ticking:
    """A clock on which every look at it takes a second."""

    def __init__(self) -> None:
        self._now = NOON

    def __call__(self) -> datetime:
        self._now += timedelta(seconds=1)
        return self._now


@pytest.fixture
def own_site(prepared_sqlite: Path, tmp_path: Path) -> Iterator[Server]:
    """A server of one test, whose time goes on."""
    shutil.copy(prepared_sqlite, tmp_path / "ladderboard.db")
    database = Database(f"sqlite:///{tmp_path / 'ladderboard.db'}", clock=Ticking())
    with serving(a_host(database, tmp_path, a_competition())) as server:
        yield server
    database.close()


def somebody(server: Server, name: str, role: str = "") -> Reader:
    reader = Reader(server).sign_up(name)
    if role:
        give_role(server.services.database, "pets", name, role)  # type: ignore[arg-type]
    return reader


def read_feed(reader: Reader) -> ElementTree.Element:
    answer = reader.http.get(f"{PAGE}.atom")
    assert answer.headers["content-type"] == "application/atom+xml; charset=utf-8"
    return ElementTree.fromstring(answer.content)


def test_an_assistant_posts_and_everybody_reads_it_on_the_overview_the_page_and_the_feed(own_site: Server) -> None:
    helper, stranger = somebody(own_site, "helper", "assistant"), Reader(own_site)
    assert "No announcements yet." in stranger.open(PAGE).text
    helper.open(PAGE)
    helper.send(PAGE, {"title": "First", "text": "one"})
    page = helper.send(
        PAGE, {"title": "Two  <more> days", "text": "Until **Friday** & no later.\n\n<script>x</script>"}
    )
    assert "The announcement is posted." in page.text
    for path in (PAGE, "/competitions/pets"):
        html = stranger.open(path).html
        assert "Two &lt;more&gt; days" in html
        assert "<strong>Friday</strong>" in html
        assert "<script>x" not in html
    feed = read_feed(stranger)
    titles = [one.findtext(f"{ATOM}title") for one in feed.iter(f"{ATOM}entry")]
    assert titles == ["Two <more> days", "First"]
    first = next(feed.iter(f"{ATOM}entry"))
    assert "<strong>Friday</strong> &amp; no later" in (first.findtext(f"{ATOM}content") or "")
    assert feed.findtext(f"{ATOM}updated") == first.findtext(f"{ATOM}updated")
    ids = [one.text or "" for one in feed.iter(f"{ATOM}id")]
    assert len(set(ids)) == 3
    assert all(one.startswith("http://") for one in ids)


def test_the_feed_is_asked_for_again_without_being_sent_again(own_site: Server) -> None:
    reader = Reader(own_site)
    read_feed(reader)
    tag = reader.http.get(f"{PAGE}.atom").headers["etag"]
    assert reader.http.get(f"{PAGE}.atom", headers={"If-None-Match": tag}).status_code == 304
    post(own_site.services.database, "pets", "News", "text")
    assert reader.http.get(f"{PAGE}.atom", headers={"If-None-Match": tag}).status_code == 200


def test_what_was_typed_stays_in_the_form_when_it_is_refused(own_site: Server) -> None:
    helper = somebody(own_site, "helper", "teacher")
    helper.open(PAGE)
    page = helper.send(PAGE, {"title": "x" * (LONGEST_TITLE + 1), "text": "kept"}, status=422)
    assert "has 121 characters" in page.tree.one(role="alert").text
    assert "kept</textarea>" in page.html
    helper.send(PAGE, {"title": "t", "text": "a \x08 sign"}, status=422)


def test_an_announcement_is_removed(own_site: Server) -> None:
    helper = somebody(own_site, "helper", "assistant")
    posted = post(own_site.services.database, "pets", "Wrong", "text")
    helper.open(PAGE)
    assert "The announcement is removed." in helper.send(f"{PAGE}/{posted.id}/remove").text
    assert not list(read_feed(helper).iter(f"{ATOM}entry"))
    helper.send(f"{PAGE}/{posted.id}/remove", status=404)


@pytest.mark.parametrize("role", ["", "reader", "participant"])
def test_others_post_and_remove_nothing(own_site: Server, role: str) -> None:
    reader = somebody(own_site, "bob", role)
    posted = post(own_site.services.database, "pets", "Stays", "text")
    assert "Announce something" not in reader.open(PAGE).text
    reader.send(PAGE, {"title": "t", "text": "x"}, status=403)
    reader.open(PAGE)
    reader.send(f"{PAGE}/{posted.id}/remove", status=403)
    assert "Stays" in reader.open(PAGE).text


def test_announcements_of_a_private_competition_are_for_those_who_see_it(begin: Begin) -> None:
    stage = begin(visibility="private")
    post(stage.database, "pets", "Secret", "text")
    with serving(stage.services) as server:
        for path in (PAGE, f"{PAGE}.atom", "/api/v1/competitions/pets/announcements"):
            assert server.client().get(path, follow_redirects=True).status_code in (401, 404)


def test_the_api_posts_lists_and_removes(own_site: Server) -> None:
    olga, address = own_site.organiser(), "/api/v1/competitions/pets/announcements"
    made = olga.post(address, json={"title": "News", "text": "text"})
    assert made.status_code == 201
    assert own_site.client().get(address).json()["items"] == [made.json()]
    assert own_site.client().post(address, json={"title": "News", "text": "text"}).status_code == 401
    assert olga.delete(f"{address}/{made.json()['id']}").status_code == 204
    assert olga.delete(f"{address}/{made.json()['id']}").status_code == 404


@pytest.mark.parametrize(
    ("title", "text", "told"),
    [
        (" ", "x", "title of the announcement is missing"),
        ("x", " \n", "text of the announcement is missing"),
        ("x", "y" * (LONGEST_TEXT + 1), "at most 10,000"),
        ("x\x00", "y", "control character"),
        ("x", "\ufffe", "control character"),
    ],
)
def test_an_unreadable_announcement_is_refused(begin: Begin, title: str, text: str, told: str) -> None:
    stage = begin()
    with pytest.raises(ParameterError, match=told):
        post(stage.database, "pets", title, text)
    assert rules.list_announcements(stage.database, "pets", limit=9) == ([], 0)


def test_there_are_only_so_many(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = begin()
    monkeypatch.setattr(rules, "MOST", 1)
    post(stage.database, "pets", "one", "text")
    with pytest.raises(ConflictError, match="remove one first"):
        post(stage.database, "pets", "two", "text")


def test_the_command_posts(own_site: Server, tmp_path: Path) -> None:
    words = ["announce", "pets", "News", "--data", str(tmp_path)]
    answer = CliRunner().invoke(cli, words, input="The *text*.\n")
    assert answer.exit_code == 0, answer.output
    assert "<em>text</em>" in Reader(own_site).open(PAGE).html
