"""What every reader promises: tasks add up, the fullest run counts, and nothing is left out without being named."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from ladderboard.cli.main import cli
from ladderboard.core.errors import InputError
from ladderboard.evals import LossMatrix, read_results
from tests.evals.readers.cases import CASES, FIRST, OTHER, Case


def read(path: Path, **options: object) -> LossMatrix:
    results = read_results(path, **options)  # type: ignore[arg-type]
    assert isinstance(results, LossMatrix)
    return results


@pytest.fixture(params=CASES, ids=str)
def case(request: pytest.FixtureRequest) -> Case:
    found: Case = request.param
    return found


def test_two_tasks_are_one_matrix(case: Case, tmp_path: Path) -> None:
    for system, scores in (("one", FIRST), ("two", OTHER)):
        case.write(tmp_path, system, "arc", scores, 1)
        case.write(tmp_path, system, "boolq", scores[:2], 2)
    matrix = read(tmp_path)
    assert matrix.tasks == ("arc",) * 4 + ("boolq",) * 2
    assert dict(zip(matrix.systems, matrix.scores.tolist(), strict=True)) == pytest.approx({"one": 4 / 6, "two": 1 / 6})
    assert "6 items of 2 tasks × 2 systems" in matrix.notes[0]


def test_a_full_run_is_taken_before_a_newer_one_of_a_few_items(case: Case, tmp_path: Path) -> None:
    case.write(tmp_path, "one", "arc", FIRST, 1)
    case.write(tmp_path, "two", "arc", OTHER, 1)
    small = case.write(tmp_path, "one", "arc", (0.0, 0.0), 2)
    matrix = read(tmp_path)
    assert len(matrix.items) == 4
    assert dict(zip(matrix.systems, matrix.scores.tolist(), strict=True)) == {"one": 0.75, "two": 0.25}
    (left,) = [one for one in matrix.left_out if one.what == "run"]
    assert len(left.names) == 1
    assert small.name in left.names[0]
    assert left.names[0].endswith(": one on arc")
    assert left.reason.startswith("a fuller run of the same system on the same task counts; --reruns latest")
    assert str(left) in matrix.notes
    if case.is_dated:
        with pytest.raises(
            InputError, match=r"'one' has no score for item '.*2', and 1 more is missing .*'one' for 2 of 4"
        ):
            read(tmp_path, reruns="latest")


def test_a_model_without_a_task_is_named_with_the_task(case: Case, tmp_path: Path) -> None:
    case.write(tmp_path, "one", "arc", FIRST, 1)
    case.write(tmp_path, "one", "boolq", FIRST[:2], 2)
    case.write(tmp_path, "two", "arc", OTHER, 1)
    with pytest.raises(InputError, match=r"'two' for 2 of 6 items \(all of boolq\).*--drop.*--missing drop-items"):
        read(tmp_path)
    matrix = read(tmp_path, missing="drop_items")
    assert "4 of 6 items of 1 task × 2 systems" in matrix.notes[0]
    (left,) = [one for one in matrix.left_out if one.what == "item"]
    assert len(left.names) == 2
    assert all(name.startswith("boolq/") for name in left.names)
    assert left.reason == "no score of 'two' for 2 of 6 items (all of boolq)"
    assert set(read(tmp_path, drop=["two"]).systems) == {"one"}


def test_a_log_without_scores_is_left_out_by_its_name(case: Case, tmp_path: Path) -> None:
    unscored = case.write_unscored(tmp_path / "alone", "three", "arc")
    with pytest.raises(InputError, match=r"score|correct|reward|graded"):
        read(tmp_path / "alone")
    case.write(tmp_path, "one", "arc", FIRST, 1)
    case.write(tmp_path, "two", "arc", OTHER, 1)
    matrix = read(tmp_path)
    assert set(matrix.systems) == {"one", "two"}
    assert any(unscored.name in name for one in matrix.left_out for name in one.names)


def test_systems_at_0_and_100_percent_are_systems(case: Case, tmp_path: Path) -> None:
    for system, scores in (("none", (0.0,) * 4), ("all", (1.0,) * 4), ("some", FIRST)):
        case.write(tmp_path, system, "arc", scores, 1)
    matrix = read(tmp_path)
    assert dict(zip(matrix.systems, matrix.scores.tolist(), strict=True)) == {"none": 0, "all": 1, "some": 0.75}
    for command in ("ranks", "winner"):
        answer = CliRunner().invoke(cli, [command, str(tmp_path)])
        assert answer.exit_code == 0, answer.output
        assert "none has" in answer.output
        assert "all has" in answer.output


def test_what_was_left_out_is_on_the_first_screen_and_in_json(case: Case, tmp_path: Path) -> None:
    case.write(tmp_path, "one", "arc", (*FIRST, *FIRST), 1)  # enough items for a gate and a witness
    case.write(tmp_path, "two", "arc", (*OTHER, *OTHER), 1)
    case.write(tmp_path, "one", "arc", (0.0, 0.0), 2)
    (tmp_path / "notes.json").write_text('{"hello": 1}')
    said = CliRunner().invoke(cli, ["ranks", str(tmp_path)]).output.splitlines()
    before_the_table = said[: said.index("")]
    assert sum(line.startswith("left out 1 run (") for line in before_the_table) == 1
    assert "left out 1 file (notes.json): not understood as results" in before_the_table
    for command in ("ranks", "winner", "audit-records"):
        report = json.loads(CliRunner().invoke(cli, [command, str(tmp_path), "--json"]).output)
        counts = {one["what"]: one["count"] for one in report["left_out"]}
        assert counts["run"] == counts["file"] == 1
