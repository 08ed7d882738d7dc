"""The organiser's pages and the final results, read and filled in without script."""

import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from ladderboard.competition import Limits
from ladderboard.core.bounds import overfit_bound
from ladderboard.core.score_format import ScoreFormat
from ladderboard.server.competitions.context import find_competition
from ladderboard.server.db.database import Database
from ladderboard.server.db.rows import competitions, teams
from ladderboard.server.operations.pages.matters import describe_learned
from ladderboard.server.operations.rules import measure_health
from ladderboard.server.people.accounts import Registry
from ladderboard.server.results.pages.board import read_luck, result_rows
from tests.hosting.competitions import NOON, a_competition, a_file, predictions
from tests.web.pages.conftest import EVIL
from tests.web.pages.readers import Page, Reader
from tests.web.servers import PASSWORD, Server, a_host, serving

DESK = "/competitions/pets/organise"
RESULTS = "/competitions/pets/results"
PAGES = ["", "/teams", "/flags", "/ledger", "/freeze"]
FORMS = [
    "/freeze",
    "/unfreeze",
    "/finalize",
    "/reveal",
    "/teams/quota",
    "/teams/ruling",
    "/flags/dismiss-all",
    "/flags/0/dismiss",
    "/baselines",
]


def test_a_refused_change_of_the_folder_is_shown_until_it_is_mended(own_site: Server, olga: Reader) -> None:
    own_site.services.refused_changes["pets"] = "competition.toml:3: this is not TOML: <b>"
    page = olga.open(DESK).html
    assert "A change in the folder was refused." in page
    assert "competition.toml:3: this is not TOML: &lt;b&gt;" in page
    own_site.services.refused_changes.clear()
    assert "was refused" not in olga.open(DESK).html


def test_another_solution_in_the_folder_is_told_with_what_to_do(own_site: Server, olga: Reader) -> None:
    assert "another solution" not in olga.open(DESK).html
    own_site.services.unpublished.add("pets")
    page = olga.open(DESK).html
    assert "The folder has another solution than the one that counts." in page
    assert "<code>ladderboard rescore" in page
    own_site.services.unpublished.clear()


class Ticking:
    """A clock on which every look at it takes a second: decisions come one after the other."""

    def __init__(self) -> None:
        self._now = NOON

    def __call__(self) -> datetime:
        self._now += timedelta(seconds=1)
        return self._now


@pytest.fixture
def own_site(prepared_sqlite: Path, tmp_path: Path) -> Iterator[Server]:
    """A server of one test, whose time goes on."""
    shutil.copy(prepared_sqlite, tmp_path / "site.db")
    database = Database(f"sqlite:///{tmp_path / 'site.db'}", clock=Ticking())
    competition = a_competition(rows=800, limits=Limits(per_day=3), deadline=NOON + timedelta(days=9))
    with serving(a_host(database, tmp_path, competition)) as server:
        yield server
    database.close()


@pytest.fixture
def olga(own_site: Server) -> Reader:
    """An organiser."""
    Registry(own_site.app.state.accounts).add("olga", PASSWORD, role="organiser")
    return Reader(own_site).sign_in("olga")


@pytest.fixture
def ann(own_site: Server) -> Reader:
    """A member of the Owls, who have a number on the board."""
    reader = Reader(own_site).sign_up("ann").found("Owls")
    reader.submit(guess(own_site, 0.8))
    return reader


@pytest.fixture
def closed(ann: Reader, olga: Reader) -> Reader:
    """The organiser of a competition that is closed and finalized."""
    del ann
    send(olga, "/freeze")
    send(olga, "/finalize", at_once="yes")
    return olga


def guess(server: Server, share: float, *, seed: int = 0) -> bytes:
    competition = server.services.competition("pets").competition
    return a_file(competition, predictions(competition, share, seed=seed))


def send(reader: Reader, path: str, *, answer: int = 200, **fields: str) -> str:
    reader.open(DESK)
    return reader.send(DESK + path, fields, status=answer).text


def test_only_organisers_see_the_pages(own_site: Server, ann: Reader, olga: Reader) -> None:
    nobody = Reader(own_site)
    for path in PAGES:
        assert nobody.open(DESK + path).path == "/sign-in"
        ann.open(DESK + path, status=403)
        olga.open(DESK + path)


def test_no_form_is_taken_from_a_participant_or_from_elsewhere(own_site: Server, ann: Reader, olga: Reader) -> None:
    wishes = {"team": "Owls", "status": "disqualified", "per_day": "9", "at_once": "yes", "name": "B"}
    for path in FORMS:
        files = {"file": ("a.csv", guess(own_site, 0.5), "text/csv")} if path == "/baselines" else None
        ann.open("/account")
        ann.send(DESK + path, wishes, files=files, status=403)
        olga.open(DESK)
        olga.send(DESK + path, {**wishes, "csrf": "forged"}, files=files, status=403)
    with own_site.services.database.reading() as connection:
        owls = teams.find_named(connection, "pets", "owls")
    assert owls is not None
    assert (owls.status, owls.extra_per_day) == ("active", 0)
    assert "The competition is open." in olga.open(DESK).text


def test_the_dashboard_tells_how_the_holdout_is_doing(ann: Reader, olga: Reader, own_site: Server) -> None:
    page = olga.open(DESK)
    assert "One submission in the last seven days." in page.text
    assert [node.text for node in page.tree.one(class_="figures").all("li")][:2] == ["1submission", "1team"]
    assert re.search(r"So far all teams together have received \d+ bits; the rules set no limit\.", page.text)
    assert re.search(r"would still be within 0\.\d{3} of the true one", page.text)
    assert "The final result does not suffer" in page.text
    assert "No flags." in page.text
    ann.submit(guess(own_site, 0.8, seed=1))
    assert "2 submissions in the last seven days." in olga.open(DESK).text


@pytest.mark.usefixtures("ann")
def test_the_page_says_in_words_what_matters_first(olga: Reader, own_site: Server) -> None:
    told = [node.text for node in olga.open(DESK).tree.one(class_="pairs").all("dd")]
    assert told[0].startswith("Nothing to do: it closes by itself on 23 March 2026")
    assert told[1] == "None."
    assert told[2].startswith("One person in one team. The last submission came")
    assert told[3].startswith("No team has learned enough to matter")
    bea = Reader(own_site).sign_up("bea").found("Copies")
    bea.submit(guess(own_site, 0.8))
    told = [node.text for node in olga.open(DESK).tree.one(class_="pairs").all("dd")]
    assert told[1] == "One flag to review."
    assert told[2].startswith("2 people in 2 teams")


@pytest.mark.parametrize(
    ("bits", "matters"), [(0.0, "Nobody"), (1.0, "No team"), (100_000.0, "In the worst case a team has")]
)
def test_what_a_team_learned_matters_from_the_gain_that_the_board_shows(
    own_site: Server, bits: float, matters: str
) -> None:
    context = find_competition(own_site.services, None, "pets")
    bound = overfit_bound(bits, context.live.yardstick.hoeffding_units)
    health = replace(measure_health(own_site.services, "pets"), largest_bits=bits, largest_bound=bound)
    assert describe_learned(context, health).startswith(matters)


def test_flags_are_listed_and_put_aside_one_by_one_or_together(own_site: Server, ann: Reader, olga: Reader) -> None:
    del ann
    bea = Reader(own_site).sign_up("bea").found(EVIL)
    bea.submit(guess(own_site, 0.8))
    page = olga.open(DESK)
    assert "has the same predictions as another team" in page.text
    assert EVIL in page.text
    assert "<img src=x" not in page.html
    listed = olga.open(f"{DESK}/flags")
    action = next(
        form.attributes["action"] for form in listed.tree.all("form") if "/flags/" in form.attributes["action"]
    )
    after = olga.send(action, {"next": f"{DESK}/flags"})
    assert after.path == f"{DESK}/flags"
    assert "The flag is dismissed." in after.text
    assert "No flags to review." in after.text
    assert "dismissed" in olga.open(f"{DESK}/flags?all=1").text
    olga.send(action, {"next": "https://evil.example/"})
    cem = Reader(own_site).sign_up("cem").found("Copies")
    cem.submit(guess(own_site, 0.8))
    assert "Copies" in olga.open(DESK).text
    assert "The flags are dismissed." in send(olga, "/flags/dismiss-all", team="Copies", kind="copy")
    assert "No flags." in olga.open(DESK).text


def test_a_team_gets_more_attempts_and_the_ledger_says_so(ann: Reader, olga: Reader, own_site: Server) -> None:
    for seed in (1, 2):
        ann.submit(guess(own_site, 0.5, seed=seed))
    ann.submit(guess(own_site, 0.5, seed=3), status=429)
    said = send(olga, "/teams/quota", team="Owls", per_day="1", total="", reason=EVIL)
    assert "extra submissions are granted" in said
    assert "+1 a day" in said
    ann.submit(guess(own_site, 0.5, seed=3))
    ledger = olga.open(f"{DESK}/ledger")
    assert f"Owls was granted extra submissions: 1 a day. Reason: {EVIL}" in ledger.text
    assert "Owls made submission 4." in ledger.text
    assert "The team Owls was created." in ledger.text
    assert "<img src=x" not in ledger.html
    for wrong in ("-1", "many", "9" * 12, "1.5", "٣"):
        assert "whole number" in send(olga, "/teams/quota", team="Owls", per_day=wrong, answer=422)
    assert "There is no team" in send(olga, "/teams/quota", team="Nobody", per_day="1", answer=404)


@pytest.mark.usefixtures("ann")
def test_a_team_is_hidden_and_shown_again(olga: Reader, own_site: Server) -> None:
    nobody = Reader(own_site)
    assert "disqualified" in send(olga, "/teams/ruling", team="Owls", status="disqualified")
    assert "Owls" not in nobody.open("/competitions/pets/leaderboard").text
    assert "on the board again" in send(olga, "/teams/ruling", team="Owls", status="active")
    assert "Owls" in nobody.open("/competitions/pets/leaderboard").text
    assert "not a decision" in send(olga, "/teams/ruling", team="Owls", status="merged", answer=422)


def test_a_baseline_is_scored_and_a_bad_one_is_explained(olga: Reader, own_site: Server) -> None:
    olga.open(DESK)
    files = {"file": ("base.csv", guess(own_site, 0.7), "text/csv")}
    assert "is on the board" in olga.send(f"{DESK}/baselines", {"name": EVIL}, files=files).text
    board = olga.open("/competitions/pets/leaderboard")
    assert EVIL in board.text
    assert "<img src=x" not in board.html
    olga.open(DESK)
    bad = {"file": ("bad.csv", b"id,label\n1,7\n", "text/csv")}
    assert olga.send(f"{DESK}/baselines", {"name": "Bad"}, files=bad, status=422).tree.one(role="alert").text


def test_decisions_are_asked_for_and_taken_in_their_order(ann: Reader, olga: Reader) -> None:
    del ann
    for early in ("finalize", "reveal", "unfreeze"):
        assert "not possible right now" in olga.open(f"{DESK}/{early}", status=409).text
        assert olga.send(f"{DESK}/{early}", status=409).tree.one(role="alert").text
    assert olga.open(f"{DESK}/melt", status=404).heading == "Page not found"
    assert "Close the competition now?" in olga.open(f"{DESK}/freeze").text
    assert olga.open("/competitions/pets").tree.all(class_="countdown")
    assert "The competition is closed." in olga.send(f"{DESK}/freeze").text
    assert not olga.open("/competitions/pets").tree.all(class_="countdown")
    olga.open(DESK)
    assert "open again" in olga.send(f"{DESK}/unfreeze").text
    olga.send(f"{DESK}/freeze")
    preview = olga.open(f"{DESK}/finalize")
    assert "do not show them to anybody" in preview.text
    assert "may still be in progress" in olga.send(f"{DESK}/finalize", status=409).text
    assert "is computed" in olga.send(f"{DESK}/finalize", {"at_once": "yes"}).text
    assert "labels and split are published" in olga.open(f"{DESK}/reveal").text
    assert "is revealed" in olga.send(f"{DESK}/reveal").text
    assert "The results are public." in olga.open(DESK).text


def test_the_reveal_of_a_secret_solution_is_not_announced_as_its_publication(
    prepared_sqlite: Path, tmp_path: Path
) -> None:
    shutil.copy(prepared_sqlite, tmp_path / "secret.db")
    database = Database(f"sqlite:///{tmp_path / 'secret.db'}", clock=Ticking())
    with serving(a_host(database, tmp_path, a_competition(publish_solution=False))) as server:
        Registry(server.app.state.accounts).add("olga", PASSWORD, role="organiser")
        olga = Reader(server).sign_in("olga")
        olga.open(DESK)
        olga.send(f"{DESK}/freeze")
        olga.send(f"{DESK}/finalize", {"at_once": "yes"})
        assert "Labels and split stay secret." in olga.open(f"{DESK}/reveal").text
    database.close()


def test_results_wait_for_the_reveal(closed: Reader, own_site: Server) -> None:
    reader = Reader(own_site)
    early = reader.open(RESULTS)
    assert early.heading == "No results yet"
    assert "as soon as the organiser reveals them" in early.text
    assert "Owls" not in early.text
    assert "Only organisers see this page" in closed.open(RESULTS).text
    closed.send(f"{DESK}/reveal")
    page = reader.open(RESULTS)
    assert page.heading == "Final results"
    assert "Owls scored" in page.text
    assert "ladderboard ledger verify" in page.text
    assert "Only organisers" not in page.text


def test_after_the_reveal_my_submissions_has_the_private_score_of_each_file(
    ann: Reader, closed: Reader, own_site: Server
) -> None:
    assert "Private score" not in ann.open("/competitions/pets/submissions").text
    closed.open(DESK)
    closed.send(f"{DESK}/reveal")
    competition = own_site.services.competition("pets").competition
    rows = competition.solution.rows("Private")
    right = predictions(competition, 0.8, seed=0) == competition.solution.labels
    page = ann.open("/competitions/pets/submissions")
    (cell,) = (one for one in page.tree.all("td") if one.attributes.get("data-head") == "Private score")
    assert float(cell.text) == pytest.approx(float(np.mean(right[rows])), abs=0.0006)
    assert "What counted is your best" in page.text
    own = ann.open(_first_result(page))
    assert f"Private score of this file{cell.text}" in own.text
    assert "Public score of this file" in own.text


def _first_result(page: Page) -> str:
    return page.tree.one("tbody").all("th")[0].all("a")[0].attributes["href"]


def test_who_could_be_first_follows_from_the_ranks_shown_also_on_boards_of_an_earlier_version() -> None:
    row = {"kind": "team", "value": 0.9, "is_tied": False, "public_value": 0.8, "moved": 0, "could_be_best": False}
    spans = ({"best": 1, "worst": 2}, {"best": 1, "worst": 3}, {"best": 2, "worst": 3})
    rows = [row | {"team": f"t{i}", "rank": i, "rank_range": span} for i, span in enumerate(spans, start=1)]
    assert [shown.could_be_best for shown in result_rows(rows, ScoreFormat(), ScoreFormat())] == [True, True, False]
    old = "t1 scored 0.9 on the private rows. A few large losses weigh more than this number of rows can bear: "
    luck = {"winner": "t1", "score": 0.9, "corrected": 0.88, "interval": [0.8, 0.95], "contenders": 1}
    said = read_luck({"rows": rows, "luck": luck | {"sentence": f"{old}the interval is too short."}}, ScoreFormat())
    assert said is not None
    assert "2 of the 3 teams could truly be the best." in said
    assert said.endswith("so the truth may lie outside the interval.")
    usual = read_luck({"rows": rows, "luck": luck | {"sentence": "t1 scored 0.9 on the private rows."}}, ScoreFormat())
    assert "outside the interval" not in str(usual)


def test_before_the_end_the_results_say_when_and_show_the_seal(own_site: Server) -> None:
    page = Reader(own_site).open(RESULTS)
    assert page.heading == "No results yet"
    assert "still running" in page.text
    with own_site.services.database.reading() as connection:
        commitment = competitions.read_competition(connection, "pets").commitment
    assert commitment in page.text
