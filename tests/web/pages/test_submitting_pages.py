"""Submitting on a page: exact problems, the result in words, the quota, picks, one's own files and nobody else's."""

import gzip
import re
from dataclasses import replace

import pytest

from ladderboard.server.competitions.downloads import list_downloads
from ladderboard.server.db.schema import submissions
from tests.hosting.competitions import a_file, predictions
from tests.web.pages.conftest import EVIL
from tests.web.pages.readers import Reader
from tests.web.pages.tree import tree_of
from tests.web.servers import Server

SUBMIT, MINE = "/competitions/pets/submit", "/competitions/pets/submissions"


def file_of(server: Server, share: float, *, seed: int = 0) -> bytes:
    competition = server.services.competition("pets").competition
    return a_file(competition, predictions(competition, share, seed=seed))


@pytest.fixture
def ada(own_site: Server) -> Reader:
    """A participant with a team of her own."""
    return Reader(own_site).sign_up("ada").found("Owls")


def test_a_good_file_gets_its_number_its_outcome_and_what_that_number_is(own_site: Server, ada: Reader) -> None:
    page = ada.submit(file_of(own_site, 0.9), note="first try")
    assert re.fullmatch(rf"{MINE}/\w+", page.path)
    assert page.heading == "Attempt 1"
    assert page.tree.one(class_="verdict").one("h2").text == "Improved"
    assert "Proven better than the baseline." in page.text
    assert "What the score shown is" in page.text
    with own_site.services.database.reading() as connection:
        row = connection.execute(submissions.select()).one()
    assert page.tree.one(class_="score").one("b").text == f"{row.release['board_value']:.3f}"
    assert "2 today, 19 in all" in page.text
    assert page.tree.one("textarea").text == "first try"


def test_a_file_that_is_no_better_shows_no_number_as_its_own(own_site: Server, ada: Reader) -> None:
    first = ada.submit(file_of(own_site, 0.9)).tree.one(class_="score").one("b").text
    page = ada.submit(file_of(own_site, 0.5, seed=2))
    verdict = page.tree.one(class_="verdict")
    assert verdict.one("h2").text == "No change"
    assert f"Your score stays {first} (attempt 1)." in verdict.text
    assert "usually proven." in verdict.text
    assert not page.tree.all(class_="score")
    assert "95 % interval" not in page.text
    newest, oldest = ada.open(MINE).tree.one("tbody").all("tr")
    assert "No change" in newest.text
    assert "not shown" in newest.text
    assert first not in newest.text
    assert "Improved" in oldest.text
    assert first in oldest.text


def test_what_would_be_recognised_is_said_before_submitting(own_site: Server, ada: Reader) -> None:
    first = re.compile(r"On this test set, a first score about 0\.\d+ better than the baseline is usually shown")
    later = re.compile(r"On this test set, a gain of about 0\.\d+ is usually shown, one of about 0\.\d+ usually prov")
    rules = "/competitions/pets/rules"
    assert all(first.search(ada.open(page).text) for page in (SUBMIT, rules))
    ada.submit(file_of(own_site, 0.9))
    assert all(later.search(ada.open(page).text) for page in (SUBMIT, rules))
    assert first.search(Reader(own_site).open(rules).text)


def test_the_same_predictions_again_get_the_same_answer_and_cost_nothing(own_site: Server, ada: Reader) -> None:
    ada.submit(file_of(own_site, 0.9))
    page = ada.submit(gzip.compress(file_of(own_site, 0.9)), name="again.csv.gz")
    assert "This repeats attempt 1" in page.tree.one(role="status").text
    assert "Attempt 1 is your proven entry." in page.text
    best = ada.submit(file_of(own_site, 0.98, seed=3)).tree.one(class_="score").one("b").text
    old = ada.submit(file_of(own_site, 0.9)).tree.one(class_="verdict")
    assert old.one("h2").text == "No change"
    assert f"Your score stays {best} (attempt 2)." in old.text
    assert "proven entry" not in old.text
    assert "1 of 3" in ada.open(SUBMIT).text


def test_a_bad_file_is_refused_with_its_lines_and_costs_nothing(ada: Reader) -> None:
    page = ada.submit(b"id,label\n1,0\n1,1\n2,maybe\n<b>,1\n", note=EVIL, status=422)
    problems = {item.one(class_="where").text: item.text for item in page.tree.one("ul", class_="problems").all("li")}
    assert "1 appears twice" in problems["line 3"]
    assert "maybe" in problems["line 4"]
    assert "<b>" in problems["line 5"]
    assert "whole file" in problems
    assert "Nothing was charged." in page.tree.one(role="alert").text
    assert page.tree.one("input", name="note").attributes["value"] == EVIL
    assert "3 of 3" in page.text


def test_a_file_that_is_wrong_in_the_same_way_on_every_line_has_one_line_of_problems_for_it(ada: Reader) -> None:
    page = ada.submit(b"id,label\n" + b"".join(b"%d,x\n" % i for i in range(1, 31)), status=422)
    missing, wrong = page.tree.one("ul", class_="problems").all("li")
    assert "370 ids have no row" in missing.text
    assert "29 more like it: line 3 ('x'), line 4 ('x'), line 5 ('x'), line 6 ('x'), …" in wrong.text
    assert "It has 2 problems." in page.tree.one(role="alert").text


@pytest.mark.parametrize("content", [b"", b"\x00\x01\x02", b"PK\x03\x04broken", b"\xff\xfe\x00"])
def test_what_is_no_table_is_refused_too(ada: Reader, content: bytes) -> None:
    assert "Nothing was charged." in ada.submit(content, status=422).tree.one(role="alert").text


def test_a_form_without_a_file_is_refused(ada: Reader) -> None:
    ada.open(SUBMIT)
    files = {"note": (None, "x")}
    page = ada.send(SUBMIT, files=files, status=422)
    assert "no file in the upload" in page.tree.one(role="alert").text


def test_when_all_attempts_of_the_day_are_used_the_page_says_when_the_next_begins(
    own_site: Server, ada: Reader
) -> None:
    for seed in range(3):
        ada.submit(file_of(own_site, 0.6, seed=seed))
    page = ada.open(SUBMIT)
    assert "No attempts left" in page.text
    assert "The next day begins" in page.text
    assert not page.tree.all("input", type="file")
    late = ada.http.post(SUBMIT, data={"csrf": ada._token}, files={"file": ("a.csv", file_of(own_site, 0.6, seed=9))})
    assert late.status_code == 429
    assert "All 3 attempts for today are used" in late.text
    assert "T23:00:00" not in tree_of(late.text).one("main").text  # times are for people, in their zone


@pytest.mark.parametrize(
    ("slug", "words"),
    [("pets", "Your team's name"), ("later", "Not open yet")],
)
def test_whoever_cannot_submit_is_told_what_to_do_first(own_site: Server, slug: str, words: str) -> None:
    assert words in Reader(own_site).sign_up("bea").open(f"/competitions/{slug}/submit").text


def test_the_first_submission_makes_a_team_and_a_bad_file_makes_none(own_site: Server) -> None:
    bea = Reader(own_site).sign_up("bea")
    good, bad = file_of(own_site, 0.8), b"row,label\n1,cat\n"
    page = bea.submit(bad, team="The Bees", status=422)
    assert "This file cannot be scored" in page.text
    assert page.tree.one("input", name="team").attributes["value"] == "The Bees"
    assert "Create a team" in bea.open("/competitions/pets/team").text
    assert "choose" in bea.submit(good, team="!", status=422).text
    page = bea.submit(good, team="The Bees")
    assert "/submissions/" in page.path
    assert bea.open("/competitions/pets/team").heading == "The Bees"
    assert not bea.open(SUBMIT).tree.all("input", name="team")


def test_picks_are_kept_changed_and_limited(own_site: Server, ada: Reader) -> None:
    for seed in range(3):
        ada.submit(file_of(own_site, 0.6 + seed / 10, seed=seed))
    page = ada.open(MINE)
    boxes = page.tree.all("input", name="pick")
    assert len(boxes) == 3
    assert "by default" in page.text
    picks = [box.attributes["value"] for box in boxes]
    kept = ada.send("/competitions/pets/finals", {"pick": picks[:2]})
    assert [("checked" in box.attributes) for box in kept.tree.all("input", name="pick")] == [True, True, False]
    refused = ada.send("/competitions/pets/finals", {"pick": picks}, status=422)
    assert "at most 2" in refused.tree.one(role="alert").text
    assert "by default" in ada.send("/competitions/pets/finals").text


def test_a_note_can_be_changed_and_stays_text(own_site: Server, ada: Reader) -> None:
    path = ada.submit(file_of(own_site, 0.9)).path
    ada.send(f"{path}/note", {"note": f"{EVIL} </textarea>"})
    assert ada.open(path).tree.one("textarea").text == f"{EVIL} </textarea>"


def test_one_gets_back_the_file_that_was_sent_as_an_attachment(own_site: Server, ada: Reader) -> None:
    content = file_of(own_site, 0.9)
    path = ada.submit(content, name='a"\r\nSet-Cookie: x=1.csv').path
    answer = ada.http.get(f"{path}/file")
    assert answer.content == content
    assert answer.headers["content-disposition"] == 'attachment; filename="pets-1.csv"'
    assert answer.headers["content-type"] == "application/octet-stream"
    assert "x" not in answer.cookies


def test_another_teams_submissions_do_not_exist(own_site: Server, ada: Reader) -> None:
    path = ada.submit(file_of(own_site, 0.9)).path
    bea = Reader(own_site).sign_up("bea").found("Foxes")
    bea.open(path, status=404)
    bea.open(f"{path}/file", status=404)
    bea.open("/competitions/pets/team")
    bea.send(f"{path}/note", {"note": "mine"}, status=404)
    identity = path.rsplit("/", 1)[1]
    assert bea.send("/competitions/pets/finals", {"pick": identity}, status=404).tree.one(role="alert")
    assert Reader(own_site).http.get(f"{path}/file").headers.get("content-type") != "application/octet-stream"


def test_the_staircase_has_a_mark_for_every_attempt(own_site: Server, ada: Reader) -> None:
    for seed, share in enumerate((0.7, 0.5, 0.9)):
        ada.submit(file_of(own_site, share, seed=seed))
    chart = ada.open(MINE).tree.all("svg", class_="ch-wide")[0]
    assert chart.one("title").text == "The board's score after each of 3 attempts"
    crosses = chart.one("path", class_="ch-reject").attributes["d"].count("M")
    assert crosses + len(chart.all("circle", class_="ch-step")) == 3


def test_only_listed_files_can_be_downloaded(site: Server, passer_by: Reader) -> None:
    offered = list_downloads(site.services.competition("pets"))
    assert set(offered) == {"sample_submission.csv", "train.csv", "naïve <b>.txt"}
    page = passer_by.open("/competitions/pets/data")
    for link in page.tree.one("table").all("a"):
        answer = passer_by.http.get(link.attributes["href"])
        assert answer.status_code == 200
        assert answer.headers["content-disposition"].startswith("attachment")
        assert answer.headers["content-type"] == "application/octet-stream"
    up = ["../solution.csv", "..%2fsolution.csv", "%2e%2e/solution.csv", "/etc/passwd"]
    for name in [*up, "solution.csv", "link.csv", ".hidden"]:
        assert passer_by.http.get(f"/competitions/pets/data/{name}").status_code == 404


def test_the_sample_submission_can_be_submitted(ada: Reader) -> None:
    sample = ada.http.get("/competitions/pets/data/sample_submission.csv").content
    assert ada.submit(sample).heading == "Attempt 1"


def test_a_file_that_is_too_large_is_refused_on_the_page(own_site: Server, ada: Reader) -> None:
    live = own_site.services.competition("pets")
    limits = replace(live.rules.limits, max_file_bytes=1000)
    object.__setattr__(live.competition, "rules", replace(live.rules, limits=limits))
    page = ada.submit(b"x" * (3 << 20), status=413)
    assert "is the limit" in page.tree.one(role="alert").text
    assert "3 of 3" in page.text
