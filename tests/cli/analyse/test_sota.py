"""`ladderboard sota`: the four readings, their JSON, their pictures, and what is refused."""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from ladderboard.cli.main import cli
from ladderboard.inference.multiplicity.sota import sota
from tests.shared_data import shared_data

PAPER = ("--classifiers", "1000", "--test-size", "3000", "--accuracy", ".9")


def run(*options: str | Path) -> str:
    result = CliRunner(env={"COLUMNS": "120"}).invoke(cli, ["sota", *map(str, options)])
    assert result.exit_code == 0, result.output
    return result.stdout


def run_json(*options: str | Path) -> dict[str, Any]:
    record = json.loads(run(*options, "--json"))
    assert isinstance(record, dict)
    return record


def refusal(*options: str | Path) -> str:
    result = CliRunner().invoke(cli, ["sota", *map(str, options)])
    assert result.exit_code == 2, result.output
    return result.stderr


@pytest.fixture
def board(tmp_path: Path) -> Path:
    scores = np.random.default_rng(41).binomial(500, 0.8, 40) / 500
    path = tmp_path / "board.csv"
    pl.DataFrame({"team": [f"t{j}" for j in range(40)], "score": scores}).write_csv(path)
    return path


@pytest.fixture
def losses(tmp_path: Path) -> Path:
    wrong = np.random.default_rng(42).random((300, 12)) < 0.3
    path = tmp_path / "losses.csv"
    pl.DataFrame({f"s{j}": wrong[:, j].astype(int) for j in range(12)}).write_csv(path)
    return path


def test_the_papers_example_is_told_in_a_table_and_a_sentence() -> None:
    text = run(*PAPER)
    assert "expected best score" in text
    assert "91.73 %" in text
    assert "91.43 % to 92.13 %" in text
    assert "1.73 percentage points of it are luck." in text


def test_json_holds_all_digits() -> None:
    record = run_json(*PAPER)
    assert round(record["mean"], 4) == 0.9173
    assert round(record["sd"], 6) == 0.001817
    assert record["interval"] == pytest.approx([2743 / 3000, 2764 / 3000])
    assert record["sentence"].startswith("Among 1000 classifiers")


def test_a_reference_makes_them_alike() -> None:
    fixed = run_json(*PAPER, "--correlation", ".6")
    assert fixed["interval"][1] == pytest.approx(1 - 248 / 3000)
    random = run_json(*PAPER, "--correlation", ".6", "--random-reference")
    assert random["interval"][1] == pytest.approx(1 - 238 / 3000)
    similar = run_json(*PAPER, "--similarity", ".9", "--reference-accuracy", ".9")
    # Similarity .9 at accuracy .9 is a pairwise correlation of .444, a little more than .6² = .36: less luck.
    assert 0.9 < similar["mean"] < fixed["mean"]


def test_an_observed_best_auc_is_read() -> None:
    melanoma = ("--auc", ".9352", "--positives", "136", "--negatives", "7551", "--classifiers", "427")
    record = run_json(*melanoma, "--observed", ".949")
    low, high = record["adjusted_interval"]
    assert low < record["sober_estimates"][0] < record["sober_estimates"][1] < high < 0.949
    assert 0 < record["reached_by_luck"][0] < record["reached_by_luck"][1] <= 1
    assert "true AUC, if all are equal" in run(*melanoma, "--observed", ".949")


def test_an_observed_best_score_is_read() -> None:
    record = run_json(*PAPER, "--observed", "0.92133")
    assert record["reached_by_luck"] == pytest.approx(0.03253, abs=5e-6)
    low, high = record["adjusted_interval"]
    assert low < 0.9 < high
    assert "by luck" in run(*PAPER, "--observed", "0.92133")


def test_a_board_of_scores_is_shrunk(board: Path) -> None:
    record = run_json("--accuracies", board, "--column", "score", "--test-size", "500")
    assert record["classifiers"] == 40
    assert record["true_best"] < record["observed"] < record["as_if_true"]["mean"]
    assert "true best, estimated" in run("--accuracies", board, "--column", "score", "--test-size", "500")
    alike = run_json("--accuracies", board, "--column", "score", "--test-size", "500", "--correlation", ".5")
    assert record["true_best"] < alike["true_best"] < record["observed"]


def test_a_loss_matrix_is_bootstrapped(losses: Path) -> None:
    record = run_json("--losses", losses, "--kind", "losses", "--replicates", "2000")
    assert record["measure"] == "loss"
    assert record["observed"] < record["true_best"] <= record["true_best_interval"][1]
    correct = run_json("--losses", losses, "--kind", "correct", "--replicates", "2000")
    assert correct["measure"] == "accuracy"
    assert record == run_json("--losses", losses, "--kind", "losses", "--replicates", "2000")  # the same seed


def test_an_auc_without_its_curve_is_read() -> None:
    record = run_json("--auc", ".949", "--positives", "136", "--negatives", "7551", "--classifiers", "3308")
    assert len(record["shapes"]) == 7
    assert record["interval"] == pytest.approx([0.9107, 0.9714], abs=5e-5)
    assert all(best["mean"] > 0.949 for best in record["best"])
    assert "whichever shape" in run("--auc", ".949", "--positives", "136", "--negatives", "7551")


@pytest.mark.parametrize("name", ["luck.svg", "luck.png"])
def test_each_reading_has_its_picture(name: str, tmp_path: Path, board: Path, losses: Path) -> None:
    readings: list[tuple[str | Path, ...]] = [
        PAPER,
        ("--accuracies", board, "--column", "score", "--test-size", "500"),
        ("--losses", losses, "--kind", "losses", "--replicates", "500"),
        ("--auc", ".9", "--positives", "50", "--negatives", "50"),
    ]
    for number, options in enumerate(readings):
        path = tmp_path / f"{number}-{name}"
        run(*options, "--figure", path)
        assert path.stat().st_size > 5000


def test_without_matplotlib_the_remedy_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert "needs matplotlib" in refusal(*PAPER, "--figure", tmp_path / "luck.svg")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "give exactly one of --accuracy, --accuracies, --losses and --auc"),
        ((*PAPER, "--auc", ".9"), "give exactly one of"),
        (("--classifiers", "10", "--accuracy", ".9"), "test_size, the number of test items, is missing"),
        ((*PAPER[:-1], "90"), "divide percentages by 100"),
        ((*PAPER, "--correlation", ".6", "--reference-accuracy", ".5"), "must lie between -0.3333 and 0.3333"),
        (("--auc", ".9"), "needs --positives and --negatives"),
        (("--auc", ".9", "--positives", "5", "--negatives", "5", "--observed", ".9"), "--observed with --auc needs"),
        ((*PAPER, "--confidence", "95"), "confidence is 95"),
    ],
)
def test_contradictions_are_refused_in_one_sentence(options: tuple[str, ...], message: str) -> None:
    assert message in refusal(*options)


def test_files_are_refused_with_the_remedy(board: Path, tmp_path: Path) -> None:
    assert "Name it with --column" in refusal("--accuracies", board, "--test-size", "10")
    assert "has no column 'points'" in refusal("--accuracies", board, "--column", "points", "--test-size", "10")
    assert "there is no file" in refusal("--losses", tmp_path / "absent.csv")


def test_a_real_competition_is_read_from_its_predictions() -> None:
    path = shared_data("semeval2018_arct") / "predictions.csv.gz"
    record = run_json("--losses", path, "--kind", "predictions", "--labels-column", "label")
    assert record["observed"] == pytest.approx(0.7117, abs=5e-5)
    assert record["luck"] < 0.0001


def test_what_a_hidden_best_is_worth_is_said(tmp_path: Path) -> None:
    record = json.loads(run(*PAPER, "--undisclosed", "27", "--json"))
    assert record["undisclosed"]["worth"] == pytest.approx(sota(27, 3000, 0.9).luck)
    assert "Showing only the best of 27 equally good variants adds" in run(*PAPER, "--undisclosed", "27")
    rng = np.random.default_rng(1)
    rows = "".join(f"{a:d},{b:d}\n" for a, b in rng.random((300, 2)) < [0.2, 0.4])
    path = tmp_path / "wrong.csv"
    path.write_text("ours,theirs\n" + rows)
    said = run("--losses", path, "--kind", "losses", "--undisclosed", "5")
    assert "The lead over the next system" in said
    assert "--undisclosed works with" in refusal(
        "--auc", ".9", "--positives", "50", "--negatives", "50", "--undisclosed", "5"
    )


def test_percentages_are_read_when_they_are_said_to_be_some(board: Path, tmp_path: Path) -> None:
    shares = pl.read_csv(board)
    percent = tmp_path / "percent.csv"
    shares.with_columns(pl.col("score") * 100).write_csv(percent)
    command = ("--accuracies", percent, "--column", "score", "--test-size", "500")
    assert "are the scores percentages? Say --percent" in refusal(*command)
    found, expected = run_json(*command, "--percent"), run_json("--accuracies", board, *command[2:])
    assert found["true_best"] == pytest.approx(expected["true_best"])
    assert run_json(*command, "--percent", "--undisclosed", "5")["undisclosed"]["lead"] == pytest.approx(
        run_json("--accuracies", board, *command[2:], "--undisclosed", "5")["undisclosed"]["lead"]
    )
