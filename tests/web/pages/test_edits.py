"""A competition that was made in the browser and is changed there while it runs."""

import io
import zipfile
from pathlib import Path

import pytest

from ladderboard.competition import inspect_folder
from ladderboard.server.audit.audit import audit
from ladderboard.server.audit.ledger_view import whole_view
from ladderboard.server.competitions.context import find_competition
from tests.web.pages.readers import Page, Reader
from tests.web.pages.test_drafts import SOLUTION, empty_site, fields_of, olga, save, send_solution
from tests.web.servers import Server

__all__ = ["empty_site", "olga"]

BASE = "/competitions/sick-or-not"
EDIT, FILES = f"{BASE}/organise/edit", f"{BASE}/organise/files"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


@pytest.fixture
def made(olga: Reader) -> Reader:
    """An organiser with a published competition."""
    save(olga, send_solution(olga, metric="accuracy"), do="publish", deadline="2027-03-01T18:00")
    return olga


def last_entries(server: Server) -> list[tuple[str, object]]:
    with server.services.database.reading() as connection:
        entries = list(whole_view(connection, "sick-or-not").entries(connection))
    assert audit([entry.to_json() for entry in entries]).is_sound
    return [(one.entry.kind, one.entry.body) for one in entries]


def add_file(reader: Reader, name: str, content: bytes, folder: str = "data", *, status: int = 200) -> Page:
    page = reader.open(FILES)
    version = page.tree.all("input", name="based_on")[-1].attributes["value"]
    fields = {"based_on": version, "folder": folder}
    return reader.send(FILES, fields, files={"file": (name, content, "text/csv")}, status=status)


def test_a_change_is_in_force_at_once_and_in_the_ledger(made: Reader, empty_site: Server) -> None:
    page = made.open(EDIT)
    page = save(made, page, title="Ill or not", deadline="2027-04-01T18:00", description="# New\n\nAll *new*.")
    assert "The change is in force" in page.text
    ann = Reader(empty_site).open(BASE)
    assert ann.heading.startswith("Ill or not")
    assert "<em>new</em>" in ann.html
    assert "1 April 2027" in ann.text
    kinds = [kind for kind, _ in last_entries(empty_site)]
    assert kinds[-2:] == ["rules_changed", "description_changed"]


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"deadline": "2027-02-01T18:00"}, "may be extended but not brought forward"),
        ({"finals": "1"}, "it may only grow"),
        ({"reveal": "never"}, "teams were promised a private board"),
        ({"largest": "many"}, "not a whole number"),
        ({"description": "![x](images/nothing.png)"}, "there is no file images/nothing.png"),
    ],
)
def test_what_a_running_competition_may_not_change_is_told_and_changes_nothing(
    made: Reader, empty_site: Server, changed: dict[str, str], told: str
) -> None:
    before = last_entries(empty_site)
    page = made.open(EDIT)
    answer = made.http.post(EDIT, data={**fields_of(page), "csrf": made._token, "do": "save", **changed})
    if "description" in changed:  # a missing picture is a warning, as in a folder
        assert answer.status_code == 200
        return
    assert answer.status_code in (409, 422)
    assert told in answer.text.replace("&#39;", "'")
    assert last_entries(empty_site) == before


def test_what_is_committed_to_is_no_choice_any_more_not_even_by_hand(made: Reader, empty_site: Server) -> None:
    page = made.open(EDIT)
    assert not {"metric", "slug", "mechanism", "public_share", "time_zone"} & fields_of(page).keys()
    save(made, page, metric="log_loss", slug="other", mechanism="full_disclosure")
    rules = empty_site.services.competition("sick-or-not").rules
    assert (rules.metric, rules.mechanism) == ("accuracy", "witness_ladder")


def test_of_two_organisers_the_second_is_told_what_differs_and_loses_nothing(made: Reader, empty_site: Server) -> None:
    empty_site.organiser("Paul")
    paul = Reader(empty_site).sign_in("Paul")
    his = paul.open(EDIT)
    save(made, made.open(EDIT), per_day="7", summary="Olga was here")
    told = save(paul, his, status=409, per_day="2", description="# Mine")
    assert "Submissions per team and day is now: 7" in told.text
    assert "Summary is now: Olga was here" in told.text
    saved = save(paul, told, summary="Olga was here")
    assert "in force" in saved.text
    assert empty_site.services.competition("sick-or-not").rules.limits.per_day == 2
    assert empty_site.services.competition("sick-or-not").rules.summary == "Olga was here"


def test_files_are_added_replaced_removed_and_searched_for_answers(made: Reader, empty_site: Server) -> None:
    assert "The file is there" in add_file(made, "train.csv", b"id,x\n1,2\n").text
    assert "train.csv" in Reader(empty_site).open(f"{BASE}/data").text
    page = add_file(made, "leak.csv", SOLUTION.encode(), status=422)
    assert "This file was not added" in page.text
    assert "participants can download this file" in page.text
    add_file(made, "plot.png", PNG, "images")
    assert "is not a picture" in add_file(made, "fake.png", b"<script>", "images", status=422).text
    save(made, made.open(EDIT), description="![A plot](images/plot.png)")
    shown = Reader(empty_site)
    assert f"{BASE}/images/plot.png" in shown.open(BASE).html
    assert shown.http.get(f"{BASE}/images/plot.png").content == PNG
    page = made.open(FILES)
    version = page.tree.all("input", name="based_on")[-1].attributes["value"]
    made.send(f"{FILES}/remove", {"based_on": version, "path": "data/train.csv"})
    assert shown.http.get(f"{BASE}/data/train.csv").status_code == 404


@pytest.mark.parametrize(
    ("name", "folder"),
    [(".hidden", "data"), ("competition.toml", ".."), ("x", "../.."), ("sample_submission.csv", "data"), ("", "data")],
)
def test_no_name_leads_to_another_file(made: Reader, empty_site: Server, name: str, folder: str) -> None:
    before = find_competition(empty_site.services, None, "sick-or-not").live.competition.folder
    page = made.open(FILES)
    version = page.tree.all("input", name="based_on")[-1].attributes["value"]
    fields = {"csrf": made._token, "based_on": version, "folder": folder}
    answer = made.http.post(FILES, data=fields, files={"file": (name, b"id\n1\n", "text/csv")})
    assert answer.status_code == 422
    assert find_competition(empty_site.services, None, "sick-or-not").live.competition.folder == before
    for path in ("competition.toml", "solution.csv", "data/../solution.csv"):
        answer = made.http.post(f"{FILES}/remove", data={"csrf": made._token, "based_on": version, "path": path})
        assert answer.status_code == 422


def test_the_folder_that_is_downloaded_is_the_competition(made: Reader, empty_site: Server, tmp_path: Path) -> None:
    add_file(made, "train.csv", b"id,x\n1,2\n")
    save(made, made.open(EDIT), summary="As a folder")
    archive = zipfile.ZipFile(io.BytesIO(made.http.get(f"{BASE}/organise/folder.zip").content))
    archive.extractall(tmp_path)
    found = inspect_folder(tmp_path / "sick-or-not").competition
    assert found is not None
    live = empty_site.services.competition("sick-or-not").competition
    assert found.rules == live.rules
    assert (found.solution.labels == live.solution.labels).all()
    assert (found.solution.usage == live.solution.usage).all()
    assert (tmp_path / "sick-or-not/data/train.csv").read_bytes() == b"id,x\n1,2\n"


@pytest.mark.parametrize("path", ["edit", "files", "folder.zip"])
@pytest.mark.usefixtures("made")
def test_only_organisers_change_a_competition(empty_site: Server, path: str) -> None:
    ann = Reader(empty_site).sign_up("ann")
    assert ann.http.get(f"{BASE}/organise/{path}").status_code == 403
    assert Reader(empty_site).open(f"{BASE}/organise/{path}").path == "/sign-in"


def test_one_that_is_served_from_a_folder_is_edited_there(own_site: Server) -> None:
    own_site.organiser("Olga")
    reader = Reader(own_site).sign_in("Olga")
    page = reader.open("/competitions/pets/organise/edit", status=409)
    assert "served from a folder" in page.text


LABELS = f"{BASE}/organise/labels"


def with_board(server: Server) -> None:
    """Two teams, of which the second is right about row 7 whichever label is the right one."""
    for name, wrong in (("ann", 20), ("ben", 6)):
        reader = Reader(server).sign_up(name)
        lines = SOLUTION.splitlines()
        flipped = [lines[0], *(_flip(line) if i % wrong == 7 % wrong else line for i, line in enumerate(lines[1:]))]
        reader.submit("\n".join(flipped).encode(), slug="sick-or-not", team=f"Team {name}")


def _flip(line: str) -> str:
    name, label = line.split(",")
    return f"{name},{'healthy' if label == 'diseased' else 'diseased'}"


def values_of(server: Server) -> dict[str, float | None]:
    rows = server.client().get("/api/v1/competitions/sick-or-not/leaderboard").json()["items"]
    return {row["team"]: row["value"] for row in rows}


def test_a_label_is_corrected_after_a_preview_and_the_folder_goes_along(
    made: Reader, empty_site: Server, tmp_path: Path
) -> None:
    with_board(empty_site)
    before, split = values_of(empty_site), empty_site.services.competition("sick-or-not").competition.solution.usage
    made.open(LABELS)
    wanted = "\n".join(_flip(line) for line in SOLUTION.splitlines()[1:] if int(line.split(",")[0]) % 20 == 7)
    page = made.send(LABELS, {"labels": wanted, "do": "preview"})
    assert "Team ann" in page.text
    assert values_of(empty_site) == before
    fields = {one.attributes["name"]: one.attributes["value"] for one in page.tree.all("input", type="hidden")}
    page = made.send(LABELS, {**fields, "do": "publish"})
    assert "The correction is published" in page.text
    assert values_of(empty_site) != before
    live = empty_site.services.competition("sick-or-not")
    assert live.scoring_version == 2
    assert (live.competition.solution.usage == split).all()
    assert [kind for kind, _ in last_entries(empty_site)].count("rescored") == 1
    made.open(LABELS)
    late = made.send(LABELS, {**fields, "do": "publish"}, status=409)
    assert "another correction was published meanwhile" in late.text.lower()
    archive = zipfile.ZipFile(io.BytesIO(made.http.get(f"{BASE}/organise/folder.zip").content))
    archive.extractall(tmp_path)
    found = inspect_folder(tmp_path / "sick-or-not").competition
    assert found is not None
    assert (found.solution.labels == live.competition.solution.labels).all()
    assert (found.solution.usage == split).all()
    assert "The change is in force" in save(made, made.open(EDIT), summary="Still editable").text


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        ("", "nothing to correct"),
        ("7", "write an id, a comma and the right label"),
        ("7,diseased\n7,diseased", "is there twice"),
        ("777,diseased", "there is no row with the id '777'"),
        ("7,healthy", "is 'healthy' already"),
    ],
)
def test_a_correction_that_cannot_be_is_told_and_changes_nothing(
    made: Reader, empty_site: Server, labels: str, told: str
) -> None:
    made.open(LABELS)
    page = made.send(LABELS, {"labels": labels, "do": "preview"}, status=422)
    assert told.lower() in page.text.lower()
    assert empty_site.services.competition("sick-or-not").scoring_version == 1
