"""`ladderboard passes` and `power`: the numbers of the library, and refusals in a sentence."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import ladderboard as lb
from ladderboard.cli.main import cli


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Forty items, two systems, four runs of each."""
    rng = np.random.default_rng(1)
    rows = [
        f"q{item},{system},{repeat},{int(rng.random() < chance)}"
        for item in range(40)
        for system, chance in (("a", 0.7), ("b|<i>", 0.4))
        for repeat in range(4)
    ]
    path = tmp_path / "runs.csv"
    path.write_text("\n".join(["item,system,repeat,correct", *rows]))
    return path


def test_passes_are_those_of_the_library(table: Path) -> None:
    said = json.loads(run("passes", table, "--json", "-k", 3).output)["passes"]
    results = lb.read_results(table)
    assert isinstance(results, lb.LossMatrix)
    for name, measured in (("pass@3", lb.pass_at_k(results, 3)), ("pass^3", lb.pass_hat_k(results, 3))):
        assert [one["score"] for one in said if one["measure"] == name] == pytest.approx(measured.scores.tolist())
    assert all(one["interval"][0] < one["score"] < one["interval"][1] for one in said)
    shown = run("passes", table).output
    assert [line.split()[1] for line in shown.splitlines() if line.startswith("a ")] == ["1", "2", "4"]


def test_other_analyses_take_passes_too(table: Path) -> None:
    assert json.loads(run("ranks", table, "--pass-hat", 2, "--json").output)["measure"] == "pass^2"
    assert json.loads(run("compare", table, "a", "b|<i>", "--pass-at", 2, "--json").output)["measure"] == "pass@2"
    assert "say one of them" in run("ranks", table, "--pass-at", 2, "--pass-hat", 2).output
    assert "some item has 4 runs" in run("winner", table, "--pass-at", 5).output


def test_a_pilot_plans_for_other_numbers_of_runs(table: Path) -> None:
    said = json.loads(run("power", table, "--gain", 0.1, "--json").output)
    results = lb.read_results(table)
    assert said["items"] == lb.power_to_compare(0.1, pilot=results).items
    assert said["by_repeats"]["16"] < said["by_repeats"]["1"]
    assert "The same gain and power with other numbers of runs:" in run("power", table, "--gain", 0.1).output


def test_a_guess_plans_without_a_file() -> None:
    result = run("power", "--gain", 0.02, "--disagreement", 0.15)
    assert result.output == "3,028 items prove a true gain of 0.02 with 80 % power.\n"
    assert run("power", "--gain", 0.02).exit_code == 2
