"""A guard that grades: outputs in, releases out, and nothing of the grader for whoever is judged."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import ladderboard as lb
from ladderboard.cli.main import cli
from ladderboard.guard.graded import GradingHoldout
from ladderboard.guard.service.request_body import ScoreRequest
from ladderboard.guard.service.service import HoldoutService
from ladderboard.scoring.grader import FileGrader
from ladderboard.scoring.sandbox import SandboxLimits, find_obstacle

TASKS: list[dict[str, Any]] = [{"id": f"t{n}", "input": f"{n} + {n}", "answer": 2 * n} for n in range(300)]
RIGHT = {one["id"]: one["answer"] for one in TASKS}
GRADE = "def grade(item, output):\n    return float(output == item['answer'])\n"
in_sandbox = pytest.mark.skipif(find_obstacle() is not None, reason=str(find_obstacle()))


def give(score: Any) -> Callable[[Any, Any], Any]:
    return lambda *_: score


def grade(item: Any, output: Any) -> float:
    return float(output == item["answer"])


def answers(share: float) -> dict[str, Any]:
    return {one: value if n < share * len(RIGHT) else -1 for n, (one, value) in enumerate(RIGHT.items())}


def open_guard(path: Any = ":memory:", grader: Any = grade, tasks: Any = TASKS) -> GradingHoldout:
    return lb.Holdout.from_grader(tasks, grader, path=path, seed=7)


def write_grader(folder: Path, source: str) -> Path:
    (folder / "grade.py").write_text(source)
    return folder / "grade.py"


def test_outputs_are_scored_as_their_grades_are() -> None:
    with open_guard() as graded, lb.Holdout.from_item_scores(list(RIGHT), path=":memory:", seed=7) as given:
        for share in (0.5, 0.6, 0.9):
            outputs = answers(share)
            scores = {one: float(outputs[one] == RIGHT[one]) for one in RIGHT}
            assert graded.score(outputs) == given.score(scores)
        assert graded.best == given.best


def test_a_list_of_outputs_counts_as_runs() -> None:
    with open_guard() as runs, lb.Holdout.from_item_scores(list(RIGHT), path=":memory:", seed=7) as given:
        twice = {one: [value, -1 if n % 2 else value] for n, (one, value) in enumerate(RIGHT.items())}
        assert runs.score(twice) == given.score({one: 0.5 if n % 2 else 1.0 for n, one in enumerate(RIGHT)})


def test_the_same_outputs_are_graded_once(tmp_path: Path) -> None:
    asked = []

    def unsure(item: Any, _: Any) -> float:
        asked.append(item)
        return float(len(asked) % 2)

    with open_guard(tmp_path / "g.db", unsure) as guard:
        first = guard.score(answers(1))
    with open_guard(tmp_path / "g.db", unsure) as guard:
        again = guard.score(dict(reversed(answers(1).items())))
        assert (again.value, again.is_repeat, guard.attempts) == (first.value, True, 1)
    assert len(asked) == len(TASKS)


@in_sandbox
def test_a_file_grades_in_the_sandbox_as_a_function_does_here(tmp_path: Path) -> None:
    with open_guard(tmp_path / "g.db", write_grader(tmp_path, GRADE)) as guard, open_guard() as here:
        assert guard.score(answers(0.6)) == here.score(answers(0.6))


@pytest.mark.parametrize(
    ("outputs", "refusal"),
    [
        ([1] * 300, "outputs must come by id"),
        ({**RIGHT, "t900": 1}, "outputs of unknown item 't900'"),
        ({one: 1 for one in RIGHT if one != "t5"}, "no output for item 't5'"),
        ({**RIGHT, "t7": []}, "an empty list of outputs for item 't7'"),
        ({**RIGHT, "t7": {1, 2}}, "outputs must be JSON values"),
    ],
)
def test_outputs_that_cannot_be_used_are_refused_by_task(outputs: Any, refusal: str) -> None:
    with open_guard() as guard:
        with pytest.raises(lb.PredictionsError, match=refusal):
            guard.score(outputs)
        assert guard.attempts == 0


def fail(item: Any, _: Any) -> float:
    raise ValueError(f"the answer is {item['answer']}")


@pytest.mark.parametrize(
    ("broken", "report"),
    [
        (fail, "300 of 300 outputs have no score\ntask t0: ValueError: the answer is 0"),
        (give(float("nan")), "300 of 300 outputs have no score\ntask t0: it returned nan"),
        (give(7.0), "task t0: it returned 7.0, outside of 0 to 1"),
        (give("good"), "task t0: it returned str, not a number"),
        (give(None), "task t0: it returned NoneType, not a number"),
    ],
)
def test_a_grader_that_fails_tells_its_owner_alone_and_charges_nothing(
    broken: Callable[[Any, Any], float], report: str
) -> None:
    with open_guard(grader=broken) as guard:
        with pytest.raises(lb.GradingError) as failed:
            guard.score(RIGHT)
        assert str(failed.value).startswith("the grader gave some output no score; nothing was charged")
        assert report in failed.value.report
        assert guard.attempts == 0


class Wrong:
    """A grader that does not answer for every output."""

    name, digest = "wrong", "0"

    def grade(self, pairs: Any) -> list[float | str]:
        return [1.0] * (len(pairs) - 1)


def test_too_few_scores_are_a_failure_of_the_grader() -> None:
    with open_guard() as guard:
        guard.grader = Wrong()
        with pytest.raises(lb.GradingError) as failed:
            guard.score(RIGHT)
        assert failed.value.report == "wrong gave 299 scores for 300 outputs"


@in_sandbox
@pytest.mark.parametrize(
    ("source", "report"),
    [
        ("def grade(item, output):\n    print('answer', item['answer'])\n    return 1 / 0\n", "answer 0\nanswer 2"),
        ("def grade(item, output):\n    import os; os._exit(1)\n", "ended without an answer"),
        ("def grade(item, output):\n    while True: pass\n", "took longer than 1 s"),
        ("def grade(item, output):\n    print('x' * 10_000_000); raise ValueError\n", "It printed:\nxxx"),
        ("def grade(item, output):\n    return len(bytearray(1 << 34))\n", "MemoryError"),
        ("def grade(item, output):\n    return float(open(__file__).read())\n", "FileNotFoundError"),
        ("def grade(item, output)\n", "grade.py cannot be loaded: SyntaxError"),
        ("def score(item, output): pass\n", "grade.py defines no function 'grade'"),
    ],
    ids=["prints", "exits", "hangs", "floods", "memory", "files", "syntax", "no function"],
)
def test_what_a_file_does_wrong_is_told_to_its_owner_alone(source: str, report: str) -> None:
    seconds = 1.0 if "hangs" in report or "longer" in report else 60.0
    with open_guard(tasks=TASKS[:200]) as guard:
        guard.grader = FileGrader(source, "grade.py", SandboxLimits(seconds=seconds))
        with pytest.raises(lb.GradingError) as failed:
            guard.score({one["id"]: 1 for one in TASKS[:200]})
        assert report in failed.value.report
        assert "answer " not in str(failed.value)
        assert len(failed.value.report) < 12_000
        assert guard.attempts == 0


def test_a_changed_grader_or_changed_tasks_are_refused(tmp_path: Path) -> None:
    file = write_grader(tmp_path, GRADE)
    open_guard(tmp_path / "g.db", file).close()
    open_guard(tmp_path / "g.db", file, tasks=list(reversed(TASKS))).close()  # another order is no change
    with pytest.raises(lb.GuardFileError, match="the tasks changed since"):
        open_guard(tmp_path / "g.db", file, tasks=[*TASKS[:-1], {**TASKS[-1], "answer": 1}])
    file.write_text(GRADE + "# kinder\n")
    with pytest.raises(lb.GuardFileError, match="the grader changed since"):
        open_guard(tmp_path / "g.db", file)


@pytest.mark.parametrize(
    ("tasks", "refusal"),
    [
        ([], "there are no tasks"),
        ([*TASKS, TASKS[3]], "twice among the tasks: item 't3'"),
        ([{"input": "2 + 2"}], "task 1 has no id"),
        ([{"id": 1.5}], "the id of task 1 is 1.5"),
        ({"t1": 1}, "tasks are dict; give a list of objects"),
        ([{"id": "a", "group": "g"}, {"id": "b"}], "other tasks have a group, but not item 'b'"),
    ],
)
def test_tasks_that_cannot_be_used_are_refused(tasks: Any, refusal: str) -> None:
    with pytest.raises(lb.LabelsError, match=refusal):
        open_guard(tasks=tasks)


def test_a_line_that_is_no_json_is_named(tmp_path: Path) -> None:
    (tmp_path / "tasks.jsonl").write_text('{"id": "a"}\n{"id": b}\n')
    with pytest.raises(lb.LabelsError, match=r"tasks.jsonl, line 2 is not JSON"):
        open_guard(tasks=tmp_path / "tasks.jsonl")


@in_sandbox
def test_a_service_grades_and_tells_faults_to_whoever_runs_it(tmp_path: Path) -> None:
    told: list[str] = []
    guard = open_guard(tmp_path / "g.db", write_grader(tmp_path, GRADE.replace("float(", "1 / (output != 5) * float(")))
    with guard:
        service = HoldoutService(guard, labels=None, describe=lambda *_: [], complain=told.append)
        assert service.status(None)["takes"] == "predictions"
        assert service.score(None, ScoreRequest(answers(0.9)))["improved"]
        with pytest.raises(lb.GradingError) as failed:
            service.score(None, ScoreRequest({**answers(0.9), "t9": 5}))
        assert "Zero" not in str(failed.value)
        assert ["ZeroDivisionError" in one for one in told] == [True]
        with pytest.raises(lb.ParameterError, match="grades predictions itself; send predictions"):
            HoldoutService(
                guard, labels=None, describe=lambda *_: [], complain=told.append, has_trusted_grader=True
            ).score(None, ScoreRequest(answers(1), are_item_scores=True))


@in_sandbox
def test_in_a_shell_outputs_are_graded_by_the_pinned_file(tmp_path: Path) -> None:
    (tmp_path / "tasks.jsonl").write_text("\n".join(map(json.dumps, TASKS)))
    guard, outputs = str(tmp_path / "g.db"), tmp_path / "outputs.jsonl"
    grader = write_grader(tmp_path, GRADE)
    items = ["--items", str(tmp_path / "tasks.jsonl"), "--grader", str(grader)]
    made = CliRunner().invoke(cli, ["holdout", "init", *items, "--to", guard, "--seed", "7"])
    assert (made.exit_code, made.output.split(" with ")[0]) == (0, f"{guard} guards 300 items")
    outputs.write_text("\n".join(json.dumps({"id": one, "output": value}) for one, value in answers(0.9).items()))
    scored = CliRunner().invoke(cli, ["holdout", "score", guard, str(outputs), "--json"])
    assert json.loads(scored.output)["improved"]
    outputs.write_text(json.dumps(answers(0.9)))  # the same in one object
    assert (
        json.loads(CliRunner().invoke(cli, ["holdout", "score", guard, str(outputs), "--json"]).output)["attempt"] == 1
    )
    outputs.write_text('{"id": "t1"}\n')
    refused = CliRunner().invoke(cli, ["holdout", "score", guard, str(outputs)])
    assert (refused.exit_code, "line 1 has no id and output" in refused.output) == (2, True)
    grader.write_text(GRADE + "\n")
    assert "the grader changed since" in CliRunner().invoke(cli, ["holdout", "score", guard, str(outputs)]).output


def test_a_killed_grading_is_no_attempt_and_graded_outputs_stay_graded(tmp_path: Path) -> None:
    """Killed after the grades are on disk: the next one takes them, whatever the grader would say now."""
    code = (
        "import os, ladderboard as lb\n"
        f"from tests.guard.test_grading_holdout import *\n"
        f"guard = open_guard({str(tmp_path / 'g.db')!r})\n"
        "guard._grade(answers(0.9), None)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, env={**os.environ, "PYTHONPATH": "."}, check=False)
    assert done.returncode == -9
    with open_guard(tmp_path / "g.db") as guard:
        assert guard.attempts == 0
        assert guard.score(answers(0.9)).attempt == 1
