"""`holdout init --items` and `holdout score` of scores that a grader outside gave."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tests.cli.guard.test_holdout import refusal, run
from tests.evals.readers.written import write_lm_eval

ITEMS = [f"q{number}" for number in range(500)]
GRADES = np.random.default_rng(1).integers(0, 6, 500)


@pytest.fixture(autouse=True)
def guard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"item": ITEMS, "passage": [f"p{number // 2}" for number in range(500)]}).write_csv("items.csv")
    pl.DataFrame({"item": ITEMS[::-1], "grade": GRADES[::-1]}).write_csv("grades.csv")
    options = ("--bounds", 0, 5, "--group", "passage", "--seed", 1, "--to", "holdout.db")
    result = run("holdout", "init", "--items", "items.csv", *options)
    assert result.exit_code == 0, result.output
    assert result.stdout == "holdout.db guards 500 items with witness_ladder; mean_score so far: 0.0\n"


def test_grades_are_scored_by_item_without_labels() -> None:
    told = run("holdout", "score", "holdout.db", "grades.csv", "--json")
    assert told.exit_code == 0, told.output
    release = json.loads(told.stdout)
    assert abs(release["value"] - GRADES.mean()) < 0.3
    assert 0 < release["shown_gain"] < release["proven_gain"]
    pl.read_csv("grades.csv").sort("item").rename({"item": "name"}).write_csv("other.csv")
    again = run("holdout", "score", "holdout.db", "other.csv", "--id", "name", "--column", "grade")
    assert again.stdout.startswith("Improved: This repeats attempt 1")
    status = run("holdout", "status", "holdout.db").stdout.splitlines()
    assert status[0] == "mean_score (higher is better) on 500 items with ids, guarded by witness_ladder"
    assert status[2].startswith("On this test set, a gain of about 0.")


def test_samples_of_a_harness_are_items_and_scores() -> None:
    samples = write_lm_eval(Path(), "a model", {"acc": (GRADES > 2).tolist(), "f1": (GRADES / 5).tolist()})
    assert "several scores for each item of tiny: acc, f1" in refusal(
        "holdout", "init", "--items", samples, "--to", "lm.db"
    )
    assert run("holdout", "init", "--items", samples, "--metric", "f1", "--to", "lm.db").exit_code == 0
    assert run("holdout", "score", "lm.db", samples, "--metric", "acc").exit_code == 0
    assert run("holdout", "score", "lm.db", samples, "--metric", "f1").exit_code == 3


def test_bad_input_is_one_sentence_and_costs_nothing() -> None:
    pl.DataFrame({"item": ITEMS, "grade": [7, *GRADES[1:].tolist()]}).write_csv("bad.csv")
    pl.DataFrame({"item": ITEMS[1:], "grade": GRADES[1:]}).write_csv("short.csv")
    pl.DataFrame({"item": ["q1", *ITEMS[1:]], "grade": GRADES}).write_csv("twice.csv")
    score, init = ("holdout", "score", "holdout.db"), ("holdout", "init", "--to", "x.db")
    assert refusal(*score, "bad.csv") == "item 'q0': score 7.0 is outside 0 to 5"
    assert refusal(*score, "short.csv") == "there is no score for item 'q0'"
    assert refusal(*score, "twice.csv") == "there are several scores for item 'q1'"
    assert refusal(*score, "grades.csv", "--column", "a", "--column", "b").startswith("an item has one score; --column")
    assert "leave --labels out" in run(*score, "grades.csv", "--labels", "grades.csv").stderr
    assert refusal(*init).startswith("give the file LABELS, or --items")
    assert refusal(*init, "--items", "items.csv", "--metric", "auc").endswith("leave --metric out")
    assert refusal(*init, "--items", "items.csv", "--weight", "passage").endswith("leave --weight out")
    assert refusal(*init, "grades.csv", "--bounds", 0, 1).startswith("--bounds and --baseline are for --items")
    assert json.loads(run("holdout", "status", "holdout.db", "--json").stdout)["attempts"] == 0
