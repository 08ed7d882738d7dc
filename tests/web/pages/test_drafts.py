"""A competition made in the browser, without script: from a file to a board, with mistakes on the way."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ladderboard.server.competitions.drafts import list_drafts
from ladderboard.server.db.database import Database
from tests.hosting.competitions import NOON
from tests.web.pages.readers import Page, Reader
from tests.web.servers import PASSWORD, Server, a_host, serving

SOLUTION = "id,label\n" + "".join(f"{i},{'diseased' if i % 3 == 0 else 'healthy'}\n" for i in range(300))


@pytest.fixture
def empty_site(prepared_sqlite: Path, tmp_path: Path) -> Iterator[Server]:
    """A server without competitions."""
    shutil.copy(prepared_sqlite, tmp_path / "site.db")
    database = Database(f"sqlite:///{tmp_path / 'site.db'}", clock=lambda: NOON)
    with serving(a_host(database, tmp_path)) as server:
        yield server
    database.close()


@pytest.fixture
def olga(empty_site: Server) -> Reader:
    empty_site.organiser("Olga")
    return Reader(empty_site).sign_in("Olga")


def send_solution(reader: Reader, content: str = SOLUTION, *, status: int = 200, **fields: str) -> Page:
    reader.open("/drafts/new")
    files = {"file": ("answers.csv", content.encode(), "text/csv")}
    return reader.send("/drafts/new", {"title": "Sick or not", **fields}, files=files, status=status)


def fields_of(page: Page) -> dict[str, str]:
    """What a browser would send of the draft's form."""
    form = next(one for one in page.tree.all("form") if one.all("textarea"))
    fields = {one.attributes["name"]: one.attributes.get("value", "") for one in form.all("input")}
    fields["description"] = form.one("textarea").text
    for select in form.all("select"):
        chosen = [one for one in select.all("option") if "selected" in one.attributes]
        fields[select.attributes["name"]] = (chosen or select.all("option"))[0].attributes["value"]
    return {name: value for name, value in fields.items() if name != "csrf"}


def save(reader: Reader, page: Page, do: str = "save", *, status: int = 200, **changed: str) -> Page:
    return reader.send(page.path, {**fields_of(page), "do": do, **changed}, status=status)


def test_an_organiser_makes_a_competition_from_one_file(olga: Reader, empty_site: Server) -> None:
    page = send_solution(olga)
    assert "Which class is positive, 'diseased' or 'healthy'" in page.text
    page = save(olga, page, positive="diseased", deadline="2027-03-01T18:00", per_day="3")
    assert "300 rows, two classes, diseased is positive, 150 public" in page.text
    assert "Answer this first" not in page.text
    page = save(olga, page, do="publish")
    assert page.path == "/competitions/sick-or-not/organise"
    rules = empty_site.services.competition("sick-or-not").rules
    assert (rules.metric, rules.positive, rules.limits.per_day) == ("auc", "diseased", 3)
    assert rules.deadline is not None
    assert list_drafts(empty_site.services) == []
    ann = Reader(empty_site).sign_up("ann")
    assert "Sick or not" in ann.open("/").text
    ann.found("Hoppers", slug="sick-or-not")
    answers = "id,label\n" + "".join(f"{i},{0.9 if i % 3 == 0 else 0.1}\n" for i in range(300))
    assert ann.submit(answers.encode(), slug="sick-or-not").status == 200
    assert "Hoppers" in ann.open("/competitions/sick-or-not/leaderboard").text


def test_an_open_question_keeps_a_draft_from_being_published_and_nothing_is_lost(olga: Reader) -> None:
    page = send_solution(olga)
    page = save(olga, page, do="publish", status=409, summary="Who is ill?")
    assert "A question is open" in page.text
    assert fields_of(page)["summary"] == "Who is ill?"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "the file is empty"),
        ("id,label\n", "answers.csv has no rows"),
        ("id,label\n1,a\n1,b\n2,a\n3,b\n", "appears twice"),
        ("a,b,c,d\n1,2,3,4\n1,2,5,6\n", "which column has the labels?"),
        ("\x00\x01\x02", "answers.csv:1: there is a NUL byte"),
    ],
)
def test_a_broken_file_is_told_and_makes_nothing(olga: Reader, empty_site: Server, content: str, told: str) -> None:
    page = send_solution(olga, content, status=422)
    assert "This file cannot be used yet" in page.text
    assert told in page.text
    assert page.tree.one("input", name="title").attributes["value"] == "Sick or not"
    assert list_drafts(empty_site.services) == []


def test_every_problem_of_a_file_is_told_with_its_line_as_on_the_command_line(olga: Reader) -> None:
    broken = SOLUTION.replace("\n7,healthy\n", "\n7,\n").replace("\n9,diseased\n", "\n8,diseased\n")
    page = send_solution(olga, broken, status=422)
    assert "line 9" in page.text
    assert "line 11" in page.text


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"per_day": "many"}, "not a whole number"),
        ({"opens": "tomorrow"}, "not a time"),
        ({"time_zone": "Berlin"}, "Europe/Berlin"),
        ({"public_share": "150"}, "from 1 to 100"),
        ({"title": "a\x01b"}, "plain text"),
        ({"opens": "2027-03-02T00:00", "deadline": "2027-03-01T00:00"}, "must come after opens"),
        ({"slug": "Not a slug"}, "part of the address"),
        ({"metric": "rmse"}, "label"),
        ({"reveal": "deadline"}, "needs a deadline"),
    ],
)
def test_a_choice_that_cannot_be_is_told_and_what_was_entered_stays(
    olga: Reader, changed: dict[str, str], told: str
) -> None:
    page = save(olga, send_solution(olga), positive="diseased")
    page = save(olga, page, status=422, summary="kept", **changed)
    assert told in page.text
    assert fields_of(page)["summary"] == "kept"
    assert fields_of(page) | changed == fields_of(page)


def test_of_two_who_edit_at_once_the_second_is_told_and_can_still_save(olga: Reader, empty_site: Server) -> None:
    page = send_solution(olga, metric="accuracy")
    empty_site.organiser("Paul")
    paul = Reader(empty_site).sign_in("Paul")
    his = paul.open(page.path)
    save(olga, page, per_day="7")
    told = save(paul, his, status=409, per_day="2", description="# Sick or not\n\nMine.")
    assert "Somebody else saved this draft meanwhile" in told.text
    assert "Submissions per team and day is now: 7" in told.text
    assert fields_of(told)["per_day"] == "2"
    saved = save(paul, told)
    assert fields_of(saved)["per_day"] == "2"
    assert "Mine." in fields_of(saved)["description"]


def test_a_draft_is_previewed_as_participants_will_see_it(olga: Reader) -> None:
    page = send_solution(olga, metric="accuracy")
    page = save(olga, page, description="# Sick or not\n\nWho is *ill*?", do="preview")
    assert "<em>ill</em>" in page.html
    page = save(olga, page)
    base = f"{page.path}/preview"
    assert "<em>ill</em>" in olga.open(base).html
    assert "sample_submission.csv" in olga.open(f"{base}/data").text
    assert olga.http.get(f"{base}/data/sample_submission.csv").text.startswith("id,label")
    assert "diseased" not in olga.http.get(f"{base}/data/sample_submission.csv").text.split("\n")[0]
    assert "5 attempts a day" in olga.open(f"{base}/rules").text


@pytest.mark.parametrize("path", ["/drafts/new", "/drafts/{}", "/drafts/{}/preview", "/drafts/{}/preview/data"])
def test_only_organisers_see_drafts(olga: Reader, empty_site: Server, path: str) -> None:
    address = path.format(send_solution(olga).path.rpartition("/")[2])
    Reader(empty_site).sign_up("ann").open(address, status=403)
    assert Reader(empty_site).open(address).path == "/sign-in"


def test_a_draft_can_be_discarded(olga: Reader, empty_site: Server) -> None:
    page = send_solution(olga)
    olga.send(f"{page.path}/discard", {"based_on": fields_of(page)["based_on"]})
    assert list_drafts(empty_site.services) == []
    olga.open(page.path, status=404)


def test_a_second_competition_of_the_same_title_gets_an_address_of_its_own(olga: Reader, empty_site: Server) -> None:
    for _ in range(2):
        save(olga, send_solution(olga, metric="accuracy"), do="publish")
    assert {"sick-or-not", "sick-or-not-2"} <= set(empty_site.services.competitions)
    page = save(olga, send_solution(olga, metric="accuracy"), do="publish", slug="sick-or-not", status=409)
    assert "There is a competition with the address" in page.text


def test_the_first_organiser_comes_to_the_page_that_makes_a_competition(empty_site: Server) -> None:
    from ladderboard.server.people.first_organiser import make_link_code

    code = make_link_code(empty_site.services.database)
    reader = Reader(empty_site)
    reader.open(f"/first-organiser?code={code}")
    page = reader.send("/first-organiser", {"name": "Ada", "password": PASSWORD, "code": code})
    assert page.heading == "New competition"


@pytest.mark.parametrize("path", ["/drafts/new", "/drafts/{draft}/files"])
def test_a_form_with_a_file_is_refused_without_our_token(olga: Reader, path: str) -> None:
    address = path.format(draft=send_solution(olga).path.split("/")[2])
    files = {"file": ("answers.csv", SOLUTION.encode(), "text/csv")}
    for token in ("", "wrong"):
        answer = olga.http.post(address, data={"csrf": token, "title": "Sick or not"}, files=files)
        assert answer.status_code == 403
        assert "reload the page" in answer.text
