"""The examples of loops: with the installed packages, as a user runs them. `make adapters` installs the heavy ones."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ladderboard.scoring.sandbox import find_obstacle

ROOT = Path(__file__).parents[2]


def run_example(*words: str, folder: Path) -> str:
    """What it prints; without any network, where the machine can take it away."""
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HF_HUB_OFFLINE": "1",
        "HF_DATASETS_CACHE": str(folder / "datasets"),
    }
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def run_python(name: str, *words: str, folder: Path) -> str:
    return run_example(sys.executable, str(ROOT / "examples" / name), *words, folder=folder)


def needs(package: str, name: str) -> pytest.MarkDecorator:
    is_missing = importlib.util.find_spec(package) is None
    return pytest.mark.skipif(is_missing, reason=f"{name} is not installed; `make adapters` installs it and runs this")


def test_optuna_climbs_open_rows_and_goes_on_where_it_stopped(tmp_path: Path) -> None:
    words = ("loop_optuna.py", "--trials", "12", "--path", "loop.db")
    first, again = (run_python(*words, folder=tmp_path) for _ in range(2))
    assert "certified: 0.9" in first
    assert again == first  # every candidate is answered from the file


def test_a_search_of_scikit_learn_is_certified(tmp_path: Path) -> None:
    told = run_python("loop_sklearn.py", folder=tmp_path)
    assert "certified: 0." in told
    assert "may be luck on the open tasks" in told


@pytest.mark.skipif(find_obstacle() is not None, reason=str(find_obstacle()))
def test_a_loop_in_a_shell_keeps_puts_back_and_goes_on_after_a_stop(tmp_path: Path) -> None:
    script = ("bash", str(ROOT / "examples" / "loop_autoresearch.sh"), "work")
    first = run_example(*script, "3", folder=tmp_path)
    assert "Proposal 1: kept" in first
    (tmp_path / "work" / "agent" / "weights.json").write_text("[0, 0, 1, 0]\n")
    again = run_example(*script, "4", folder=tmp_path)
    assert "Proposal 5: " in again
    assert "Proposal 6: " not in again  # the first four were answered from the file
    assert (tmp_path / "work" / "loop.html").read_text().startswith("<!doctype html>")


@needs("inspect_ai", "Inspect")
def test_inspect_runs_open_and_guarded_samples(tmp_path: Path) -> None:
    told = run_python("loop_inspect.py", folder=tmp_path)
    assert "in use: Proposal 1: kept" in told
    assert "mended: Proposal 2: kept, open score 1, certified" in told


@needs("lm_eval", "lm-eval")
def test_lm_eval_runs_open_and_guarded_documents(tmp_path: Path) -> None:
    told = run_python("loop_lm_eval.py", folder=tmp_path)
    assert "mended: Proposal 2: kept, open score 1, certified" in told


@needs("gepa", "DSPy with GEPA")
def test_gepa_accepts_what_the_loop_keeps(tmp_path: Path) -> None:
    told = run_python("loop_dspy.py", folder=tmp_path)
    assert "Proposal 1: kept, open score 0.2" in told
    assert "certified; certified so far: 1 | Answer." in told
    assert "discarded" not in told.split("certified so far: 1")[-1]
