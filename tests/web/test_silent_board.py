"""A board without scores from a folder to the reveal: HTTP, pages, commands."""

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ladderboard.cli.participate.submission_report import describe_answer
from ladderboard.competition import Competition, load_competition
from ladderboard.core.errors import CompetitionError
from ladderboard.core.score_format import ScoreFormat
from ladderboard.server.db.database import Database
from ladderboard.server.submissions.records import ReleaseBody, ScoredBody
from ladderboard.server.teams.records import QuotaBody
from tests.cli.participate.participants import told
from tests.competition.folders import write_folder
from tests.hosting.competitions import NOON
from tests.web.pages.readers import Reader
from tests.web.servers import Server, a_host, serving

PETS = "/api/v1/competitions/pets"
TOML = """title = "Pets"
slug = "pets"
metric = "accuracy"
mechanism = "silent"
deadline = 2026-03-20T12:00:00Z
reveal = 2026-03-21T12:00:00Z
"""
ROWS = 400
LABELS = np.random.default_rng(3).integers(0, 2, ROWS)
NOTHING = {
    "value": None,
    "board_value": None,
    "accepted": False,
    "improved": False,
    "attempt": 1,
    "interval": None,
    "standard_error": None,
}


class Clock:
    """The time of the database, which a test moves."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def server(prepared_sqlite: Path, tmp_path: Path, clock: Clock) -> Iterator[Server]:
    shutil.copy(prepared_sqlite, tmp_path / "site.db")
    database = Database(f"sqlite:///{tmp_path / 'site.db'}", clock=clock)
    with serving(a_host(database, tmp_path, a_folder(tmp_path / "pets"))) as running:
        yield running
    database.close()


def a_folder(path: Path, toml: str = TOML, public: int = 40) -> Competition:
    path.mkdir()
    usage = ["Public"] * public + ["Private"] * (ROWS - public)
    mixed = np.random.default_rng(4).permutation(usage)
    rows = "".join(f"{i},{label},{part}\n" for i, (label, part) in enumerate(zip(LABELS, mixed, strict=True)))
    write_folder(path, toml, solution=f"id,label,Usage\n{rows}")
    return load_competition(path)


def a_file(errors: int) -> bytes:
    values = LABELS.copy()
    values[:errors] ^= 1
    return b"id,label\n" + b"".join(b"%d,%d\n" % (i, value) for i, value in enumerate(values))


def submit(client: Any, errors: int) -> Any:
    return client.post(f"{PETS}/submissions", files={"file": ("mine.csv", a_file(errors))})


def test_nothing_is_told_before_the_reveal_and_the_usual_result_at_it(server: Server, clock: Clock) -> None:
    for name, errors in (("Zoe", (150, 40)), ("Ada", (80,))):
        client = server.sign_up(name)
        client.post(f"{PETS}/teams", json={"name": f"team {name}"})
        answers = [submit(client, one).json() for one in errors]
        assert answers[0]["release"] == NOTHING
        assert {(one["rank"], one["rank_range"]) for one in answers} == {(None, None)}
    board = server.client().get(f"{PETS}/leaderboard").json()
    assert (board["shows_scores"], board["total"]) == (False, 2)
    rows = [(one["rank"], one["team"], one["value"], one["attempts"]) for one in board["items"]]
    assert rows == [(None, "team Ada", None, 1), (None, "team Zoe", None, 2)]
    assert server.client().get(f"{PETS}/leaderboard?format=csv").text.splitlines()[1:] == [
        ",,,team Ada,team,,1,,false",
        ",,,team Zoe,team,,2,,false",
    ]
    assert server.client().get(PETS).json()["baseline"] is None
    assert server.organiser().get(f"{PETS}/organise/health").json()["bits"] == 0
    clock.now = NOON + timedelta(days=8)
    result = Reader(server).open("/competitions/pets/results")
    final = server.client().get(f"{PETS}/private-leaderboard").json()
    placed = [(one["rank"], one["team"], one["public_value"], one["moved"]) for one in final["items"]]
    assert placed == [(1, "team Zoe", None, None), (2, "team Ada", None, None)], "the latest counts, not the first"
    assert "team Zoe scored" in result.text


def test_pages_have_no_rank_score_or_chart_and_say_until_when(server: Server) -> None:
    client = server.sign_up("Ada")
    client.post(f"{PETS}/teams", json={"name": "Ada's"})
    sent = submit(client, 30).json()["id"]
    ada = Reader(server).sign_in("Ada")
    until = "This board shows no scores until 21 March 2026, 12:00 UTC."
    for path in ("leaderboard", f"submissions/{sent}", "submissions", "rules"):
        page = ada.open(f"/competitions/pets/{path}")
        assert until in page.text, path
        assert "Plausible" not in page.text
        assert "staircase" not in page.html
    board = ada.open("/competitions/pets/leaderboard")
    assert [cell.text for cell in board.tree.all("th")] == ["Team", "Attempts", "Ada's"]
    assert "Received" in ada.open(f"/competitions/pets/submissions/{sent}").text
    assert "latest submission counts" in ada.open("/competitions/pets/rules").text


def test_commands_know_a_board_without_numbers(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    told("sign-up", server.url, "--name", "ada", "--password-stdin", given="correct horse\n")
    told("team", "create", "Night Shift", "--in", "pets")
    (tmp_path / "mine.csv").write_bytes(a_file(30))
    answer = told("submit", tmp_path / "mine.csv", "--to", "pets")
    assert answer.startswith("Received. This board shows no scores until 2026-03-21T12:00:00+00:00.\nAttempts left:")
    shown = told("standings", "--of", "pets")
    assert [line.split() for line in shown.splitlines()[:2]] == [["team", "attempts"], ["Night", "Shift", "1"]]
    assert "No scores are shown before the reveal." in shown
    assert told("select-final", "--in", "pets").startswith("Default (the latest), at most 2:")


def test_an_answer_without_scores_says_when_there_will_be_some() -> None:
    quota = QuotaBody(None, 1, None, None, 1, None, datetime(2026, 3, 15, tzinfo=UTC))
    answer = ScoredBody("x", "scored", False, ReleaseBody(**NOTHING), None, quota)  # type: ignore[arg-type]
    lines = list(describe_answer(answer, ScoreFormat(), metric="auc", lower_is_better=False, silence="No scores yet."))
    assert lines == ["Received. No scores yet.", "Attempts: 1, no limit."]


@pytest.mark.parametrize(
    ("toml", "public", "words"),
    [
        (TOML.replace("2026-03-21T12:00:00Z", '"never"'), 40, "nobody would ever see one"),
        (TOML + 'board = "rank"\n', 40, "no ranks to hold"),
        (TOML, ROWS, "there would be no result"),
    ],
)
def test_a_silent_board_without_a_result_is_refused(toml: str, public: int, words: str, tmp_path: Path) -> None:
    with pytest.raises(CompetitionError, match=words):
        a_folder(tmp_path / "pets", toml, public)
