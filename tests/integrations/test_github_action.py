"""The composite action: its steps run by bash as a runner would run them."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import ladderboard as lb
from tests.guard.guards import labels_of, with_errors

FOLDER = Path(__file__).parent.parent.parent / "integrations" / "github-action"
ACTION: dict[str, Any] = yaml.safe_load((FOLDER / "action.yml").read_text())
LABELS = labels_of(600)


@pytest.fixture
def runner(tmp_path: Path) -> Path:
    arrays = {"labels": LABELS, "good": with_errors(LABELS, 120), "same": with_errors(LABELS, 119)}
    for name, values in {**arrays, "near": with_errors(arrays["good"], 2, 1)}.items():
        np.save(tmp_path / f"{name}.npy", values)
    with lb.Holdout(LABELS, path=tmp_path / "holdout.db", seed=3) as holdout:
        holdout.pin(arrays["good"])
    return tmp_path


def run_step(runner: Path, name: str, **inputs: str) -> tuple[int, dict[str, str], str]:
    """Run a step with these inputs; return its exit code, its outputs, and what it printed."""
    step = next(one for one in ACTION["runs"]["steps"] if one["name"] == name)
    given = {key: entry.get("default", "") for key, entry in ACTION["inputs"].items()} | inputs
    variables = {
        key: re.sub(r"\$\{\{ inputs\.(\S+) \}\}", lambda found: given[found[1]], value).replace(
            "${{ github.action_path }}", str(FOLDER)
        )
        for key, value in step["env"].items()
    }
    files = {"GITHUB_OUTPUT": runner / "output", "GITHUB_STEP_SUMMARY": runner / "summary"}
    for file in files.values():
        file.write_text("")
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "RUNNER_TEMP": str(runner),
        **{key: str(file) for key, file in files.items()},
        **variables,
    }
    command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]]
    done = subprocess.run(command, cwd=runner, env=environment, capture_output=True, text=True, check=False)
    outputs = dict(line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text().splitlines())
    return done.returncode, outputs, done.stdout


def ask(runner: Path, **inputs: str) -> tuple[int, dict[str, str], str]:
    return run_step(runner, "Ask the holdout", guard="holdout.db", labels="labels.npy", **inputs)


def test_a_better_model_passes_and_an_equal_one_does_not(runner: Path) -> None:
    code, outputs, _ = ask(runner, predictions="good.npy")
    assert (code, outputs["passed"]) == (0, "true")
    assert json.loads(Path(outputs["result"]).read_text())["improved"] is True
    assert (runner / "summary").read_text() == "**Holdout:** improved? yes\n"
    code, outputs, said = ask(runner, predictions="same.npy")
    assert (code, outputs["passed"]) == (1, "false")
    assert "::error::the holdout does not say improved" in said


def test_a_gate_passes_what_is_certified_and_refuses_to_be_asked_without_a_reference(runner: Path) -> None:
    np.save(runner / "better.npy", with_errors(LABELS, 60))
    with lb.Holdout(LABELS, mechanism="certifier", path=runner / "gate.db", seed=3) as gate:
        asked = {"guard": "gate.db", "labels": "labels.npy", "predictions": "better.npy"}
        code, outputs, said = run_step(runner, "Ask the holdout", **asked)
        assert (code, "passed" in outputs) == (2, False)
        assert "could not be asked" in said
        gate.pin(np.load(runner / "good.npy"))
    code, outputs, _ = run_step(runner, "Ask the holdout", **{**asked, "predictions": "same.npy"})
    assert (code, outputs["passed"]) == (1, "false")
    code, outputs, _ = run_step(runner, "Ask the holdout", **asked)
    assert (code, outputs["passed"]) == (0, "true")


def test_a_near_copy_of_the_pinned_model_is_not_worse(runner: Path) -> None:
    code, outputs, _ = ask(runner, predictions="near.npy", question="not-worse", margin="0.1")
    assert (code, outputs["passed"]) == (0, "true")


def test_what_cannot_be_asked_is_an_error_and_no_answer(runner: Path) -> None:
    code, outputs, said = ask(runner, predictions="$(touch hacked).npy")
    assert (code, "passed" in outputs, (runner / "hacked").exists()) == (2, False, False)
    assert "could not be asked (exit code 2)" in said
    assert ask(runner, predictions="good.npy", question="better")[0] == 2


@pytest.mark.parametrize(
    ("given", "installed"),
    [({}, f"{FOLDER.parent.parent}[files]"), ({"install": "/srv/wheels/board.whl"}, "/srv/wheels/board.whl")],
)
def test_it_installs_the_checkout_that_it_came_with(runner: Path, given: dict[str, str], installed: str) -> None:
    (runner / "python").write_text('#!/bin/sh\necho "$@"\n')
    (runner / "python").chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "executable", str(runner / "python"))  # the steps find their programs beside it
        code, _, said = run_step(runner, "Install Ladderboard", **given)
    assert (code, said) == (0, f"-m pip install --quiet {installed}\n")
    assert (FOLDER.parent.parent / "pyproject.toml").is_file()


def test_every_input_and_output_is_used_and_described() -> None:
    text = (FOLDER / "action.yml").read_text()
    assert ACTION["runs"]["using"] == "composite"
    for name, entry in {**ACTION["inputs"], **ACTION["outputs"]}.items():
        assert entry["description"]
        assert f"inputs.{name}" in text or f"steps.ask.outputs.{name}" in text
    assert all(step["shell"] == "bash" for step in ACTION["runs"]["steps"])
