import json
import re
import socket
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Never

import pytest

from ladderboard.client import Client
from ladderboard.core.errors import UnreachableError
from ladderboard.server.competitions.records import CompetitionBody
from ladderboard.server.submissions.records import ScoredBody
from ladderboard.server.teams.records import BudgetBody
from tests.cli.participate.participants import a_submission, refusal, run, sign_up, told
from tests.web.servers import Server

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def team(server: Server, home: Path) -> Path:
    """Ada is signed in and in a team; good.csv is a good submission."""
    sign_up(server)
    told("team", "create", "Night Shift")
    (home / "good.csv").write_bytes(a_submission(server))
    return home


@pytest.mark.usefixtures("team")
def test_a_submission_is_told_in_words_number_meaning_place_and_attempts() -> None:
    lines = told("submit", "good.csv", "--note", "first").splitlines()
    assert re.fullmatch(r"Improved: Score 0\.\d+ → 0\.\d+\. Proven better than the baseline\.", lines[0])
    assert lines[1].startswith("On the board: accuracy 0.")
    assert "(higher is better; 95 % interval 0." in lines[1]
    assert lines[2] == "Rank 1; no other rank is plausible."
    assert lines[3] == "Attempts: 1, no limit."
    again = told("submit", "good.csv").splitlines()
    assert again[0].startswith("Improved: This repeats attempt 1: the same predictions, so no attempt was used. Your ")
    assert again[0].endswith("(attempt 1). Attempt 1 is your proven entry.")
    assert again[1:] == lines[1:]


def test_what_is_no_better_is_said_to_be_no_better_and_what_that_means(server: Server, team: Path) -> None:
    told("submit", "good.csv")
    (team / "worse.csv").write_bytes(a_submission(server, 0.6))
    lines = told("submit", "worse.csv").splitlines()
    assert re.match(r"No change: Your score stays 0\.\d+ \(attempt 1\)\. The score of a file that is not", lines[0])
    assert re.search(r"a gain of about 0\.\d+ is usually shown, one of about 0\.\d+ usually proven\.$", lines[0])
    worse = told("my-submissions").splitlines()[1]
    assert "No change" in worse
    assert "not shown" in worse
    run("submit", "worse.csv", "--require-improvement", expected=3)


def test_an_old_file_sent_again_is_no_improvement(server: Server, team: Path) -> None:
    """Exit code 3 and the board of today, unless it is the proven entry."""
    (team / "old.csv").write_bytes(a_submission(server, 0.7, seed=1))
    (team / "new.csv").write_bytes(a_submission(server, 0.95, seed=2))
    assert told("submit", "old.csv").startswith("Improved: Score")
    shown = told("submit", "new.csv", "--require-improvement").splitlines()[1]
    again = run("submit", "old.csv", "--require-improvement", expected=3).stdout.splitlines()
    assert again[0].startswith("No change: This repeats attempt 1: the same predictions, so no attempt was used.")
    assert again[0].endswith("(attempt 2).")
    assert again[1] == shown
    proven = told("submit", "new.csv", "--require-improvement")
    assert proven.startswith("Improved: This repeats attempt 2")
    answer = json.loads(told("submit", "old.csv", "--json"))
    assert (answer["duplicate"], answer["release"]["improved"], answer["outcome"]["name"]) == (True, False, "no_change")


@pytest.mark.usefixtures("team")
def test_the_answer_is_told_also_where_the_server_goes_away_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    submit, competition = Client.submit, Client.competition

    def described(client: Client, slug: str) -> CompetitionBody:
        return replace(competition(client, slug), budget=BudgetBody(12, 9, 3, is_spent=False))

    def gone(*_: object) -> Never:
        raise UnreachableError("no answer")

    def submitted(client: Client, *given: Any, **more: Any) -> ScoredBody:
        answer: ScoredBody = submit(client, *given, **more)
        if "stays" not in more["note"]:
            monkeypatch.setattr(Client, "competition", gone)
        return answer

    monkeypatch.setattr(Client, "competition", described)
    monkeypatch.setattr(Client, "submit", submitted)
    there = told("submit", "good.csv", "--note", "stays").splitlines()
    assert there[-1].startswith("Answers left: 3 of 12")
    away = told("submit", "good.csv").splitlines()
    assert away[1:] == there[1:-1]


@pytest.mark.usefixtures("team")
def test_a_server_that_restarts_is_waited_for_and_that_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("ladderboard.cli.participate.connection.time", SimpleNamespace(sleep=pauses.append))
    with socket.socket() as bound:  # bound and not listening: nobody answers, nobody else can take the port
        bound.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{bound.getsockname()[1]}"
        monkeypatch.setenv("LADDERBOARD_TOKEN", "lb_x")
        result = run("submit", "good.csv", "--server", address, "--to", "pets", expected=7)
    assert sum(pauses) > 20
    assert result.stderr.count("The server is busy or restarting. Waiting") == 1


@pytest.mark.usefixtures("team")
def test_the_answer_is_there_for_programs() -> None:
    answer = json.loads(told("submit", "good.csv", "--json", "--to", "pets"))
    assert answer["release"]["improved"] is True
    assert answer["status"] == "scored"
    (listed,) = json.loads(told("my-submissions", "--json"))
    assert listed["id"] == answer["id"]


def test_a_bad_file_is_refused_with_its_lines_before_it_is_sent_and_by_the_server(team: Path) -> None:
    text = (team / "good.csv").read_text()
    (team / "bad.csv").write_text(text.replace("\n7,", "\n8,", 1).replace("\n20,", "\n20,x", 1))
    here = refusal("submit", "bad.csv", "--dry-run")
    assert here == refusal("submit", "bad.csv")
    lines = here.splitlines()
    assert lines[:3] == [
        "bad.csv has 3 problems:",
        "  1 id has no row: 7",
        "  line 9: id 8 appears twice (first on line 8)",
    ]
    assert lines[3].startswith(f"  line 21: column 'label': 'x{text.splitlines()[20][3:]}' is not a class")


@pytest.mark.usefixtures("team")
def test_a_dry_run_sends_nothing_and_needs_no_account(server: Server) -> None:
    told("sign-out")
    shown = told("submit", "good.csv", "--dry-run", "--server", server.url)
    lines = shown.splitlines()
    assert lines[0] == "good.csv is a valid submission to pets: 400 rows. Nothing was sent."
    assert re.fullmatch(
        r"On this test set, a first score about 0\.\d+ better than the baseline is usually .*", lines[1]
    )
    assert json.loads(told("submit", "good.csv", "--dry-run", "--json", "--server", server.url))["rows"] == 400
    told("sign-in", server.url, "--name", "ada", "--password-stdin", given="correct horse\n")
    assert "has not submitted to pets yet" in told("my-submissions")


@pytest.mark.usefixtures("team")
def test_a_file_that_is_not_there_is_a_sentence() -> None:
    assert refusal("submit", "none.csv") == "none.csv cannot be read: No such file or directory"


def test_without_a_team_one_is_told_how_to_make_one(server: Server, home: Path) -> None:
    sign_up(server)
    (home / "good.csv").write_bytes(a_submission(server))
    assert "team" in refusal("submit", "good.csv")


@pytest.mark.usefixtures("team")
def test_own_submissions_are_listed_newest_first_with_what_they_were_told() -> None:
    told("submit", "good.csv", "--note", "larger network")
    lines = told("my-submissions").splitlines()
    assert lines[0].split() == ["id", "attempt", "received", "outcome", "score", "board", "file", "note"]
    assert "Improved" in lines[1]
    assert "larger network" in lines[1]


@pytest.mark.usefixtures("team")
def test_a_competition_must_be_named_where_none_is_listed_by_that_name() -> None:
    assert "there is no competition 'wales'" in refusal("submit", "good.csv", "--to", "wales")


@pytest.mark.usefixtures("team")
def test_the_board_is_a_table_and_needs_no_account(server: Server) -> None:
    assert "The board of pets is empty so far." in told("standings", "--server", server.url)
    told("submit", "good.csv")
    told("sign-out")
    lines = told("standings", "--server", server.url).splitlines()
    assert lines[0].split() == ["rank", "plausible", "team", "accuracy", "attempts", "new", "score"]
    assert lines[1].split()[:4] == ["1", "1", "Night", "Shift"]
    assert lines[-1] == "accuracy: higher is better. The competition is open."
    board = json.loads(told("standings", "--json", "--top", 5, "--server", server.url))
    assert [row["team"] for row in board["items"]] == ["Night Shift"]


@pytest.mark.usefixtures("team")
def test_the_private_board_is_a_secret_before_its_reveal() -> None:
    assert "reveal" in refusal("standings", "--private")


def test_finals_are_shown_picked_and_taken_back(server: Server, team: Path) -> None:
    assert told("select-final") == "Your team has no submission that can count yet.\n"
    ids = []
    for seed in range(3):
        (team / "one.csv").write_bytes(a_submission(server, 0.8 - seed / 10, seed))
        ids.append(json.loads(told("submit", "one.csv", "--json"))["id"])
    assert told("select-final").splitlines()[0] == "Default (the best on the board and the latest), at most 2:"
    picked = told("select-final", ids[1]).splitlines()
    assert picked[0] == "Selected, at most 2:"
    assert [line.split()[0] for line in picked[1:]] == [ids[1]]
    assert "final" in next(line for line in told("my-submissions").splitlines() if ids[1] in line)
    assert json.loads(told("select-final", "--json"))["are_picked"] is True
    assert "2" in refusal("select-final", *ids)
    assert "is not a submission that your team made" in refusal("select-final", "unknown")
    assert told("select-final", "--default").startswith("Default")
    assert "not both" in refusal("select-final", ids[0], "--default")
