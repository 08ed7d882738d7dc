"""Every example is run as a user runs it, at a small size, with warnings as errors."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent.parent / "examples"

SMALL: dict[str, list[str]] = {
    "agent_overnight.py": ["--models", "60", "--out", "picture.svg"],
    "bounds.py": ["--items", "1000", "--out", "picture.svg"],
    "climbing_by_luck.py": ["--items", "200", "--submissions", "300", "--out", "picture.svg"],
    "loop_overfits.py": ["--out", "page.html"],
    "optuna_noise.py": ["--seeds", "2", "--trials", "120", "--out", "picture.svg"],
    "sklearn_search.py": ["--guard", "holdout.db"],
}


def run(name: str, folder: Path) -> str:
    command = [sys.executable, "-W", "error", str(EXAMPLES / name), *SMALL[name]]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_example_is_run_by_a_test() -> None:
    tests = "".join(path.read_text() for path in Path(__file__).parent.parent.rglob("test_*.py"))
    assert [path.name for path in EXAMPLES.glob("*.py") if path.name not in tests] == []


def test_the_bounds_are_printed_and_drawn(tmp_path: Path) -> None:
    assert "the Ladder" in run("bounds.py", tmp_path)
    assert is_svg(tmp_path / "picture.svg")


def test_three_boards_are_climbed_and_drawn(tmp_path: Path) -> None:
    assert "the truth is 0.500" in run("climbing_by_luck.py", tmp_path)
    assert is_svg(tmp_path / "picture.svg")


def test_a_search_on_noise_finds_something_raw_and_nothing_guarded(tmp_path: Path) -> None:
    shown = run("optuna_noise.py", tmp_path)
    assert (
        "below .05 in 2 searches" in shown
    )  # the best of 120 at level .05 each: missed with probability .95^120 = .002
    assert "'improved' in 0 searches" in shown
    assert is_svg(tmp_path / "picture.svg")


def test_an_agent_climbs_a_raw_holdout_and_hears_no_from_a_service(tmp_path: Path) -> None:
    shown = run("agent_overnight.py", tmp_path)
    kept = [int(count) for count in re.findall(r"(\d+) kept", shown)]
    assert kept[0] > 0 == kept[1]  # seeded
    assert "the service counted" in shown
    assert is_svg(tmp_path / "picture.svg")


def test_a_second_scikit_learn_search_with_the_same_guard_is_told_the_same_and_costs_nothing(tmp_path: Path) -> None:
    first, second = (run("sklearn_search.py", tmp_path) for _ in range(2))
    assert first == second
    assert first.startswith("20 penalties tried; the board moved at\n  attempt  1: AUC 0.9")


def test_an_agent_that_overfits_open_tasks_is_certified_once_it_is_better(tmp_path: Path) -> None:
    climbed, nothing, better, certified, *_ = run("loop_overfits.py", tmp_path).splitlines()  # seeded
    shown, true = map(float, re.findall(r"0\.\d+", climbed))
    assert shown - true > 0.1
    assert nothing == "  certified: None"
    assert float(certified.split()[-1]) == pytest.approx(float(re.findall(r"0\.\d+", better)[1]), abs=0.05)
    assert "true score, kept" in (tmp_path / "page.html").read_text()


def is_svg(path: Path) -> bool:
    return "<svg" in path.read_text()
