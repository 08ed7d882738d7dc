"""`ladderboard compare`: exit codes, two paths, seeds by a pattern."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from ladderboard.cli.main import cli
from tests.evals.readers.written import write_lm_eval


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["compare", *(str(argument) for argument in arguments)])


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    right = (rng.random((400, 5)) < [0.8, 0.6, 0.61, 0.82, 0.78]).astype(int)
    rows = [f"q{i},{','.join(map(str, row))}" for i, row in enumerate(right)]
    path = tmp_path / "table.csv"
    path.write_text("\n".join(["item,good,base,twin,seed-1,seed-2", *rows]))
    return path


@pytest.mark.parametrize(
    ("new", "old", "more", "code"),
    [
        ("good", "base", (), 0),
        ("base", "good", (), 1),
        ("twin", "base", (), 3),
        ("twin", "base", ("--margin", "0.2"), 0),
        ("twin", "base", ("--margin", "0.001"), 3),
        ("base", "good", ("--margin", "0.01"), 1),
        ("good", "nobody", (), 2),
    ],
)
def test_the_exit_code_is_the_verdict(table: Path, new: str, old: str, more: tuple[str, ...], code: int) -> None:
    assert run(table, new, old, "--kind", "correct", *more).exit_code == code


def test_a_pattern_stands_for_seeds(table: Path) -> None:
    said = json.loads(run(table, "seed-*", "base", "--kind", "correct", "--json").output)
    assert said["seeds"] == [2, 1]
    assert said["verdict"] in ("better", "not proven")
    assert "no system is called 'x*'" in run(table, "x*", "base", "--kind", "correct").output


def test_two_folders_are_matched_by_their_items(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    for model, chance in (("new", 0.8), ("old", 0.5)):
        write_lm_eval(tmp_path / model, model, {"acc": (rng.random(100) < chance).astype(float).tolist()})
    result = run(tmp_path / "new", tmp_path / "old", "--markdown")
    assert result.exit_code == 0, result.output
    assert "| accuracy | old | new | difference | 95 % interval |" in result.output


def test_two_paths_with_other_items_are_refused_with_the_option(tmp_path: Path) -> None:
    for name, items in (("new", range(20)), ("old", range(5, 20))):
        rows = [f"q{i},{i % 2}" for i in items]
        (tmp_path / f"{name}.csv").write_text("\n".join([f"item,{name}", *rows]))
    both = tmp_path / "new.csv", tmp_path / "old.csv"
    refused = run(*both, "--kind", "correct")
    assert refused.exit_code == 2
    assert "15 items are in both results, 5 only in the new results" in refused.output
    dropped = run(*both, "--kind", "correct", "--missing", "drop-items")
    assert dropped.exit_code == 3
    assert "on the 5 items that only new has it scores" in dropped.output


def test_one_argument_is_refused_with_both_forms(table: Path) -> None:
    assert "give RESULTS NEW OLD (a path and two names), or NEW_RESULTS OLD_RESULTS" in run(table).output
