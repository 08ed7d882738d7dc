"""Every example is run as a user runs it, at a small size, with warnings as errors."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"

SMALL: dict[str, list[str]] = {
    "climbing_by_luck.py": ["--items", "200", "--submissions", "300", "--out", "picture.svg"],
    "optuna_noise.py": ["--seeds", "2", "--trials", "120", "--out", "picture.svg"],
    "sklearn_search.py": ["--guard", "holdout.db"],
}


def run(name: str, folder: Path) -> str:
    command = [sys.executable, "-W", "error", str(EXAMPLES / name), *SMALL[name]]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_example_is_listed_here() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} - {"__init__.py"} == set(SMALL)


@pytest.mark.parametrize("name", sorted(set(SMALL) - {"sklearn_search.py"}))
def test_an_example_prints_its_result_and_draws_its_picture(name: str, tmp_path: Path) -> None:
    assert "0.5" in run(name, tmp_path)
    assert (tmp_path / "picture.svg").read_text().lstrip().startswith("<?xml")


def test_a_search_on_noise_finds_something_raw_and_nothing_guarded(tmp_path: Path) -> None:
    shown = run("optuna_noise.py", tmp_path)
    assert (
        "below .05 in 2 searches" in shown
    )  # the best of 120 at level .05 each: missed with probability .95^120 = .002
    assert "'improved' in 0 searches" in shown


def test_a_second_scikit_learn_search_with_the_same_guard_is_told_the_same_and_costs_nothing(tmp_path: Path) -> None:
    first, second = (run("sklearn_search.py", tmp_path) for _ in range(2))
    assert first == second
    assert first.startswith("40 penalties tried; the board moved at\n  attempt  1: AUC 0.9")
