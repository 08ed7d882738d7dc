"""The pytest plugin, in projects of their own."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ladderboard as lb
from tests.guard.guards import labels_of, with_errors

LABELS = labels_of(600)
TESTS = """
import numpy as np

def test_better(ladderboard_holdout):
    assert ladderboard_holdout.assert_improved(np.load("good.npy")).attempt == 1

def test_not_better(ladderboard_holdout):
    ladderboard_holdout.assert_improved(np.load("same.npy"))

def test_not_worse(ladderboard_holdout):
    ladderboard_holdout.holdout.pin(np.load("good.npy"))
    ladderboard_holdout.assert_not_worse(np.load("near.npy"), margin=0.2)

def test_worse(ladderboard_holdout):
    ladderboard_holdout.assert_not_worse(np.load("bad.npy"), margin=0.2)
"""


def run(project: Path, *options: str) -> str:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:randomly", "-rfE"]
    # Options for this run of tests are not for the one inside it, nor is the measurement of coverage.
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "SLIPCOVER_"))}
    done = subprocess.run(
        [*command, *options], cwd=project, env=env, capture_output=True, text=True, timeout=120, check=False
    )
    return done.stdout


@pytest.fixture
def project(tmp_path: Path) -> Path:
    good = with_errors(LABELS, 120)
    arrays = {"labels": LABELS, "good": good, "same": with_errors(LABELS, 119), "near": with_errors(good, 2, 1)}
    for name, values in {**arrays, "bad": with_errors(LABELS, 300)}.items():
        np.save(tmp_path / f"{name}.npy", values)
    lb.Holdout(LABELS, path=tmp_path / "holdout.db", seed=3).close()
    (tmp_path / "test_model.py").write_text(TESTS)
    return tmp_path


def test_a_model_passes_or_fails_its_test_in_one_sentence(project: Path) -> None:
    (project / "pytest.ini").write_text("[pytest]\nladderboard_guard = holdout.db\nladderboard_labels = labels.npy\n")
    said = run(project)
    assert "2 failed, 2 passed" in said
    assert "not improved: attempt 2, on the board: error_rate 0." in said
    assert "not shown to be within 0.2 error_rate of the pinned reference (question 2)" in said


def test_what_is_refused_is_said_without_a_traceback(project: Path) -> None:
    (project / "test_model.py").write_text(TESTS.replace("margin=0.2", "margin=-1"))
    said = run(project, "-k", "not_worse", "--ladderboard-guard", "holdout.db", "--ladderboard-labels", "labels.npy")
    [failure] = (
        said.split("test_not_worse ___")[1].split("\n===")[0].strip(" _\n").splitlines()
    )  # before any summary of warnings
    assert failure.startswith("the margin is -1.0; it must be positive")
    assert "1 failed" in said


def test_a_missing_guard_and_wrong_labels_are_said(project: Path) -> None:
    assert "which guard? Set ladderboard_guard in the ini file" in run(project, "-k", "test_better")
    options = ("-k", "test_better", "--ladderboard-guard", "holdout.db")
    assert "give --labels, the file that `init` was given" in run(project, *options)
    assert "was made with other labels" in run(project, *options, "--ladderboard-labels", "bad.npy")


def test_the_plugin_imports_nothing_of_ours_until_it_is_used() -> None:
    code = (
        "import sys, ladderboard.cli.guard.pytest_plugin; "
        "print([name for name in sys.modules if name.startswith(('ladderboard.', 'numpy'))])"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert eval(loaded) == ["ladderboard.cli", "ladderboard.cli.guard", "ladderboard.cli.guard.pytest_plugin"]


def test_a_gate_fails_what_is_not_certified_and_says_so(project: Path) -> None:
    with lb.Holdout(LABELS, mechanism="certifier", path=project / "gate.db", seed=3) as gate:
        options = ("-k", "not_better", "--ladderboard-guard", "gate.db", "--ladderboard-labels", "labels.npy")
        assert "there is nothing to compare with yet; pin the model in use first" in run(project, *options)
        gate.pin(np.load(project / "good.npy"))
    assert "not improved: attempt 2; nothing is certified yet" in run(project, *options)
