"""The positive class of a guard: asked for, kept in its file, and said."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.linear_model import LogisticRegression

import ladderboard as lb
from ladderboard.cli.main import cli
from ladderboard.core.errors import GuardFileError, LabelsError, WrongLabelsError
from ladderboard.guard.file_schema import FORMAT

IS_ILL = np.random.default_rng(1).random(600) < 0.5
LABELS = np.where(IS_ILL, "diseased", "healthy")
CHANCES = np.clip(IS_ILL * 0.5 + np.random.default_rng(2).random(600) * 0.5, 0, 1)
"""A strong P(diseased)."""


@pytest.mark.parametrize("metric", ["auc", "average_precision", "f1", "log_loss", "brier"])
def test_two_words_are_asked_about(metric: str) -> None:
    for make in (lb.Holdout, lb.Leaderboard, lb.plan_submissions):
        with pytest.raises(LabelsError, match=r"which class is positive, 'diseased' or 'healthy'\?.*positive="):
            make(LABELS, metric)


def test_nothing_is_asked_where_no_class_is_positive() -> None:
    assert lb.Holdout(LABELS, "accuracy", path=":memory:").positive is None


@pytest.mark.parametrize("metric", ["auc", "average_precision", "log_loss", "brier"])
def test_predictions_are_of_the_positive_class(metric: str) -> None:
    right = lb.Holdout(LABELS, metric, path=":memory:", seed=1, positive="diseased")
    wrong = lb.Holdout(LABELS, metric, path=":memory:", seed=1, positive="healthy")
    assert (right.positive, wrong.positive) == ("diseased", "healthy")
    assert right.score(CHANCES).improved
    assert not wrong.score(CHANCES).accepted


def test_a_board_and_a_plan_take_the_positive_class() -> None:
    board = lb.Leaderboard(LABELS, "auc", seed=1, positive="diseased")
    assert board.submit("ours", CHANCES).improved
    assert lb.plan_submissions(LABELS, "f1", positive="diseased").items == 600


def test_the_file_keeps_it(tmp_path: Path) -> None:
    path = tmp_path / "holdout.db"
    with lb.Holdout(LABELS, "auc", path=path, seed=1, positive="diseased") as holdout:
        value = holdout.score(CHANCES).value
    with lb.Holdout(LABELS, "auc", path=path) as holdout:
        assert (holdout.positive, holdout.best) == ("diseased", value)
        assert holdout.score(CHANCES).is_repeat
    with pytest.raises(GuardFileError, match="was made with the positive class 'diseased'; leave positive out"):
        lb.Holdout(LABELS, "auc", path=path, positive="healthy")
    with pytest.raises(WrongLabelsError):
        lb.Holdout(np.roll(LABELS, 1), "auc", path=path)
    with pytest.raises(WrongLabelsError):
        lb.Holdout(np.where(IS_ILL, "ill", "well"), "auc", path=path)


def _age(path: Path) -> None:
    """Make the file one of the format before the positive class was kept."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("ALTER TABLE guard DROP COLUMN positive")
        connection.execute("DROP TABLE grader")
        connection.execute("DROP TABLE graded")
        connection.execute("PRAGMA user_version = 3")


def test_a_file_of_an_earlier_version_goes_on_with_the_greater_word_and_writes_it_down(tmp_path: Path) -> None:
    path = tmp_path / "holdout.db"
    with lb.Holdout(LABELS, "auc", path=path, seed=1, positive="healthy") as holdout:
        value = holdout.score(1 - CHANCES).value
    _age(path)
    assert "positive class: the greater of the two labels" in _run("status", path)
    with lb.Holdout(LABELS, "auc", path=path) as holdout:
        assert (holdout.positive, holdout.best) == ("healthy", value)
        assert holdout.score(1 - CHANCES).is_repeat
    assert "positive class: healthy" in _run("status", path)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT positive FROM guard").fetchone() == ('"healthy"',)
        assert connection.execute("PRAGMA user_version").fetchone() == (FORMAT,)


def test_the_command_line_asks_for_it_and_says_it(tmp_path: Path) -> None:
    labels, predictions, path = (tmp_path / name for name in ("labels.csv", "predictions.csv", "holdout.db"))
    labels.write_text("\n".join(["label", *LABELS, ""]))
    predictions.write_text("\n".join(["p", *map(str, 1 - CHANCES), ""]))
    asked = CliRunner().invoke(cli, ["holdout", "init", str(labels), "--metric", "auc", "--to", str(path)])
    assert asked.exit_code == 2
    assert "which class is positive, 'diseased' or 'healthy'? auc needs to know: positive=" in asked.output
    assert not path.exists()
    _run("init", labels, "--metric", "auc", "--positive", "diseased", "--to", path)
    assert "auc (higher is better, positive class: diseased) on 600 items" in _run("status", path)
    assert json.loads(_run("status", path, "--json"))["positive"] == "diseased"
    told = CliRunner().invoke(cli, ["holdout", "score", str(path), "--labels", str(labels), str(predictions)])
    assert told.exit_code == 3
    assert "No change" in told.output
    assert "The positive class is diseased: predict higher values where it is likelier." in told.output


def test_a_scikit_learn_model_is_scored_for_the_positive_class() -> None:
    inputs = CHANCES[:, None]
    model = LogisticRegression().fit(inputs, LABELS)
    for metric in ("auc", "log_loss"):
        holdout = lb.Holdout(LABELS, metric, path=":memory:", seed=1, positive="diseased")
        score = holdout.as_scorer()(model, inputs)
        assert holdout.history()[-1].improved, (metric, score)


def _run(command: str, *arguments: Any) -> str:
    told = CliRunner().invoke(cli, ["holdout", command, *map(str, arguments)])
    assert told.exit_code == 0, told.output
    return told.output
