"""What is written for Every Eval Ever and the Hub, and what our reader makes of it again."""

import json
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
import yaml
from click.testing import CliRunner

from ladderboard.cli.main import cli
from ladderboard.core.errors import ParameterError
from ladderboard.evals import ACCURACY, LossMatrix, Repeats, read_results
from ladderboard.evals.writers.eval_results import write_eval_results
from ladderboard.evals.writers.every_eval_ever import write_every_eval_ever
from ladderboard.inference.covariance import paired_means

NOW = datetime(2026, 11, 18, tzinfo=UTC)
SYSTEMS = ("org/a", "org/b", "other/c")
RUNS = (np.random.default_rng(3).random((40, 3, 4)) < [[[0.2], [0.5], [0.9]]]).astype(float)
TASKS = ("arc",) * 25 + ("boolq",) * 15


def make_results(*, repeated: bool = True) -> LossMatrix:
    return LossMatrix.of(
        RUNS.mean(axis=2) if repeated else RUNS[:, :, 0],
        systems=SYSTEMS,
        items=[f"{task}/q{row}" for row, task in enumerate(TASKS)],
        measure=ACCURACY,
        tasks=TASKS,
        groups=[f"g{row // 2}" for row in range(40)],
        repeats=Repeats.of(RUNS) if repeated else None,
    )


def write(results: LossMatrix, folder: Path) -> list[Path]:
    return write_every_eval_ever(results, folder, benchmark="suite", organisation="us", now=NOW)


@pytest.mark.parametrize("repeated", [True, False])
def test_every_eval_ever_comes_back_as_it_was(tmp_path: Path, repeated: bool) -> None:
    results = make_results(repeated=repeated)
    write(results, tmp_path)
    again = read_results(tmp_path, groups_column="group")
    assert isinstance(again, LossMatrix)
    assert again.systems == results.systems
    assert again.tasks == results.tasks
    assert again.items == results.items
    assert np.allclose(again.losses, results.losses)
    assert again.groups is not None
    assert len(set(again.groups)) == 21  # a group of two tasks is one of each
    if results.repeats is not None:
        assert again.repeats is not None
        assert np.allclose(again.repeats.variances, results.repeats.variances)


def test_repeats_that_are_not_right_or_wrong_are_written_as_their_mean(tmp_path: Path) -> None:
    runs = np.random.default_rng(4).random((10, 2, 3))
    results = LossMatrix.of(runs.mean(axis=2), systems=("a/a", "b/b"), repeats=Repeats.of(runs))
    write(results, tmp_path)
    again = read_results(tmp_path)
    assert isinstance(again, LossMatrix)
    assert again.repeats is None
    assert np.allclose(again.losses, results.losses)


def test_the_standard_error_of_a_task_is_that_of_its_items_alone(tmp_path: Path) -> None:
    aggregate = json.loads(write(make_results(), tmp_path)[0].read_text())
    found = aggregate["evaluation_results"][0]
    losses = LossMatrix.of(RUNS[:25].mean(axis=2), groups=[f"g{row // 2}" for row in range(25)])
    expected = float(np.sqrt(paired_means(losses).variances[0]))
    assert found["score_details"]["uncertainty"]["standard_error"]["value"] == pytest.approx(expected)
    assert found["score_details"]["score"] == pytest.approx(1 - RUNS[:25, 0].mean())


def test_files_have_the_places_that_the_format_asks_for(tmp_path: Path) -> None:
    path = write(make_results(), tmp_path)[2]
    aggregate = json.loads(path.read_text())
    assert path.relative_to(tmp_path).parts[:4] == ("data", "suite", "other", "c")
    samples = tmp_path / aggregate["detailed_evaluation_results"]["file_path"]
    lines = samples.read_text().splitlines()
    assert len(lines) == aggregate["detailed_evaluation_results"]["total_rows"] == 160
    assert {json.loads(line)["evaluation_id"] for line in lines} == {aggregate["evaluation_id"]}


def test_the_hub_gets_an_entry_for_each_task_with_error_and_ranks(tmp_path: Path) -> None:
    path = write_eval_results(make_results(), tmp_path, dataset="org/suite", source_url="https://example.org/a: b")[2]
    assert path == tmp_path / "other" / "c" / ".eval_results" / "org_suite.yaml"
    first, second = yaml.safe_load(path.read_text())
    assert first["dataset"] == {"id": "org/suite", "task_id": "arc"}
    assert first["value"] == pytest.approx(1 - RUNS[:25, 2].mean())
    assert first["source"] == {"url": "https://example.org/a: b"}
    assert second["dataset"]["task_id"] == "boolq"
    assert second["notes"].startswith("accuracy, higher is better; standard error 0.0")
    assert second["notes"].endswith("15 items; over all 2 tasks rank 3 of 3 systems compared (95 % confidence)")
    with pytest.raises(ParameterError, match=r"dataset is 'suite'; give a dataset of the Hub.*--dataset"):
        write_eval_results(make_results(), tmp_path, dataset="suite")


def test_the_command_says_what_it_needs_and_what_it_wrote(tmp_path: Path) -> None:
    table = tmp_path / "wide.csv"
    table.write_text("id,a,b\n" + "".join(f"q{row},{row % 2},{row % 3 == 0:d}\n" for row in range(12)))

    def run(*options: str) -> str:
        return CliRunner().invoke(cli, ["publish", str(table), "--kind", "correct", *options]).output

    assert "--every-eval-ever FOLDER or --eval-results FOLDER" in run()
    assert "needs --benchmark and --organisation" in run("--every-eval-ever", str(tmp_path))
    assert "needs --dataset" in run("--eval-results", str(tmp_path))
    said = run("--eval-results", str(tmp_path), "--dataset", "org/quiz")
    assert f"Wrote {tmp_path / 'a' / '.eval_results' / 'org_quiz.yaml'}." in said
