"""A whole drill: what holds is said to hold, what is broken is found, on either database."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import ladderboard as lb
from ladderboard.cli.main import cli
from ladderboard.server.db.database import Database
from ladderboard_lab.drill.attacks import AttackResult
from ladderboard_lab.drill.run import DrillOptions, drill
from tests.hosting.submissions.test_crashes import wait_until
from tests.lab.drill.conftest import write_small

ATTACKS = ("best_of_n", "repeat_averaging", "look")
CHEAP_PROBES = ("bad_rows", "only_some_rows", "constant_but_one", "no_more_digits", "idempotency", "other_teams")


def test_a_small_competition_holds(competition: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figure = tmp_path / "drill.svg"
    # What a real server is told by the environment is nothing to the throw-away one.
    monkeypatch.setenv("LADDERBOARD_DATABASE", f"sqlite:///{tmp_path / 'real.db'}")
    monkeypatch.setenv("LADDERBOARD_SIGN_UP", "list")
    options = [option for name in ATTACKS for option in ("--attack", name)]
    options += [option for name in (*CHEAP_PROBES, "racing", "racing_copies") for option in ("--probe", name)]
    command = ["drill", str(competition), "--budget", "8", *options, "--json", "--figure", str(figure)]
    result = CliRunner().invoke(cli, command)
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert report["holds"]
    assert [one["attack"] for one in report["attacks"]] == list(ATTACKS)
    assert all(0 < one["submissions"] <= 8 and one["overfit"] <= one["bound"] for one in report["attacks"])
    assert [one["probe"] for one in report["probes"]] == [*CHEAP_PROBES, "racing", "racing_copies"]
    assert all(one["flags"] is not None for one in report["attacks"])
    assert figure.read_text().startswith("<?xml")
    assert not (tmp_path / "real.db").exists()


@pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True)
def test_a_copy_in_postgresql_has_a_schema_of_its_own_which_is_dropped(competition: Path, database_url: str) -> None:
    probes = ("racing", "racing_copies", "same_file_of_two_teams", "sybils_are_flagged", "same_answers")
    options = DrillOptions(attacks=["boosting", "sybil"], probes=(*CHEAP_PROBES, *probes), budget=6, quick=True)
    report = drill(competition, options, database=database_url)
    assert report.holds, [one.words for one in report.probes]
    database = Database(database_url)
    with database.reading() as connection:
        schemas = connection.exec_driver_sql("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'ladderboard_%%'")
        assert not schemas.all()
        assert connection.exec_driver_sql("SELECT count(*) FROM accounts").scalar_one() == 0
    database.close()


def test_a_broken_bound_ends_with_an_exit_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bound that promises too much, on a board that shows every score."""
    monkeypatch.setattr(lb.bounds, "overfit_bound", lambda *_: 1e-9)
    folder = write_small(tmp_path / "open", mechanism="full_disclosure")
    result = CliRunner().invoke(cli, ["drill", str(folder), "--attack", "best_of_n", "--budget", "12"])
    assert result.exit_code == 1
    assert "BROKEN" in result.output
    assert "It does not hold: bounds broken by best of n." in result.output


def test_a_board_that_tells_every_score_is_said_to_be_climbed(tmp_path: Path) -> None:
    folder = write_small(tmp_path / "open", mechanism="full_disclosure")
    result = CliRunner().invoke(cli, ["drill", str(folder), "--attack", "weighted_boosting", "--budget", "60"])
    assert result.exit_code == 0, result.output
    assert "No stated bound is broken, but this board was climbed by weighted boosting (+0." in result.output
    assert "It holds" not in result.output


@pytest.mark.parametrize(
    ("overfit", "bound", "verdict"),
    [
        (0.2, 0.1, "BROKEN"),
        (0.2, 0.3, "climbed"),
        (0.2, None, "climbed"),
        (0.1, 0.3, "holds"),
        (0.1, 0.6, "not climbed"),
        (0.1, None, "not climbed"),
        (None, 0.3, "holds"),
    ],
)
def test_a_verdict_says_no_more_than_its_bound_does(overfit: float | None, bound: float | None, verdict: str) -> None:
    result = AttackResult("look", 9, 1, 1, overfit=overfit, bits=9.0, bound=bound, room=0.5, standard_error=0.05)
    assert result.verdict == verdict


@pytest.mark.parametrize(("revealed", "verdict"), [(0.13, "climbed"), (0.07, "holds"), (-0.3, "holds")])
def test_who_learns_labels_or_the_split_has_climbed(revealed: float, verdict: str) -> None:
    result = AttackResult(
        "coordinate_probe", 40, 0, 1, overfit=0.0, bits=9.0, bound=0.3, revealed=revealed, chance=0.02
    )
    assert result.verdict == verdict


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["no-such-folder"], "there is no folder 'no-such-folder'"),
        (["127.0.0.1:8000"], "a server's address beginning with http://"),
        (["{folder}", "--database", "postgresql://nobody@127.0.0.1:1/none"], "cannot create a schema in the database"),
        (["http://127.0.0.1:1"], "no answer from http://127.0.0.1:1"),
    ],
)
def test_what_cannot_be_drilled_is_said_in_one_sentence(competition: Path, options: list[str], words: str) -> None:
    result = CliRunner().invoke(cli, ["drill", *(option.format(folder=competition) for option in options)])
    assert result.exit_code in (2, 7)
    assert words in result.output
    assert "Traceback" not in result.output
    assert len(result.output.splitlines()) == 1


def test_the_deadline_the_ranks_and_the_limits_hold(competition: Path) -> None:
    report = drill(competition, DrillOptions(attacks=[], probes=["deadline", "flooded_ranks", "throttles"], quick=True))
    assert report.holds, [one.words for one in report.probes]


def test_a_drill_that_is_told_to_stop_leaves_no_copy_behind(competition: Path, tmp_path: Path) -> None:
    copies = tmp_path / "copies"
    copies.mkdir()
    command = [str(Path(sys.executable).with_name("ladderboard")), "drill", str(competition), "--quick"]
    with subprocess.Popen(command, env={**os.environ, "TMPDIR": str(copies)}, stderr=subprocess.DEVNULL) as process:
        wait_until(lambda: any(copies.glob("ladderboard-drill-*/*")))
        process.terminate()
    assert process.returncode == 128 + signal.SIGTERM
    assert not list(copies.iterdir())


def test_what_does_not_fit_is_named(competition: Path) -> None:
    result = CliRunner().invoke(cli, ["drill", str(competition), "--attack", "log_loss_oracle"])
    assert result.exit_code != 0
    assert "there is no attack 'log_loss_oracle' that fits this competition" in result.output
