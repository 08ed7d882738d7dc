"""A loop among several processes, kills at any moment, and what changes or comes twice."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import ladderboard as lb
from ladderboard.guard.tasks import TaskList
from ladderboard.loop.split import split_tasks
from tests.loop.test_loop import TASKS, grade, make_loop, solve

ROOT = Path(__file__).parents[2]
SHARES = (0.5, 0.51, 0.7, 0.4, 0.9, 0.72)


def start(code: str) -> "subprocess.Popen[str]":
    """A process of its own that has the names of the loop's tests."""
    source = f"from tests.loop.test_loop import *\n{code}"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-c", source], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
    )


def propose_in_order(path: Path, shares: Sequence[float]) -> "subprocess.Popen[str]":
    body = f"    for share in {list(shares)}:\n        print(loop.propose(solve(share)).number, flush=True)\n"
    return start(f"print('ready', flush=True)\nwith make_loop({str(path)!r}) as loop:\n{body}")


def finish(running: "subprocess.Popen[str]") -> int:
    """Wait for its end; return its exit code."""
    running.communicate()
    return running.returncode


def list_answers(path: Path) -> list[tuple[float, str, bool, bool]]:
    with make_loop(path) as loop:
        return [(one.open_score, one.decision, one.asked, one.certified) for one in loop.history()]


def test_two_processes_never_count_a_candidate_twice_nor_lose_one(tmp_path: Path) -> None:
    """Four processes that make the file, and propose the same six candidates, all at once."""
    path = tmp_path / "loop.db"
    reference = solve(0.5)
    running = [propose_in_order(path, [0.5] * 10) for _ in range(4)]
    assert [finish(one) in (0, 1) for one in running] == [True] * 4  # a loser of the first moment is told to wait
    with make_loop(path) as loop:
        assert (loop.propose(reference).is_repeat, len(loop.history()), loop._guard.attempts) == (True, 1, 1)
    orders = [SHARES, SHARES[::-1], SHARES[1:] + SHARES[:1], SHARES[3:] + SHARES[:3]]
    running = [propose_in_order(path, order) for order in orders]
    assert [finish(one) for one in running] == [0] * 4
    with make_loop(path) as loop:
        found = loop.history()
        assert sorted(one.open_score for one in found) == sorted({one.open_score for one in found})
        assert [one.number for one in found] == list(range(1, len(SHARES) + 1))
        assert loop._guard.attempts == sum(one.asked for one in found)
        assert not any(one.needs_guarded for one in found)


@pytest.mark.parametrize("seed", range(2))
def test_killed_at_any_moment_it_ends_as_if_nothing_had_happened(tmp_path: Path, seed: int) -> None:
    """Killed five times, each a little later in its work; what was told is kept, and what is left is done once."""
    path, calm = tmp_path / "loop.db", tmp_path / "calm.db"
    assert finish(propose_in_order(calm, SHARES)) == 0
    for number in range(5):
        running = propose_in_order(path, SHARES)
        assert running.stdout is not None
        running.stdout.readline()
        time.sleep(0.007 * ((seed + 4 * number) % 13))
        running.kill()
        finish(running)
    assert finish(propose_in_order(path, SHARES)) == 0
    assert list_answers(path) == list_answers(calm)
    assert list(tmp_path.glob("*.db")) == [calm, path]


def test_killed_while_it_is_made_a_loop_leaves_no_half_a_file(tmp_path: Path) -> None:
    path = tmp_path / "loop.db"
    killed = start(
        "import ladderboard.loop.loop as module\nmodule.create_tables = lambda *_: os.kill(os.getpid(), 9)\n"
        f"make_loop({str(path)!r})\n"
    )
    assert (finish(killed), path.exists()) == (-9, False)
    with make_loop(path) as loop:
        assert loop.propose(solve(0.5)).kept


def test_nothing_is_compared_with_a_reference_that_is_not_answered() -> None:
    with make_loop() as loop:
        opened = {one: output for one, output in solve(0.5).items() if one in loop.open.ids}
        assert loop.propose(opened).needs_guarded
        with pytest.raises(lb.PredictionsError, match="proposal 1, the reference, has no answer of the guarded tasks"):
            loop.propose(solve(0.7))
        assert len(loop.history()) == 1
        loop.propose(solve(0.5))
        assert loop.propose(solve(0.7)).certified


@pytest.mark.parametrize("twin", ["What is 2 + 2?", "what is  2 + 2? ", "WHAT IS 2\n+ 2?"])
def test_a_task_cannot_hide_on_the_other_side_behind_capitals_and_spaces(twin: str) -> None:
    tasks = [*TASKS, {"id": "a", "input": "What is 2 + 2?"}, {"id": "b", "input": twin}]
    with pytest.raises(lb.LabelsError, match="tasks 'a' and 'b' have the same input"):
        split_tasks(TaskList.read(tasks), 0.5, seed=1)


def test_tasks_that_came_or_went_are_refused_and_none_is_named(tmp_path: Path) -> None:
    """Names of guarded tasks in an error would tell whoever proposes which these are."""
    make_loop(tmp_path / "loop.db").close()
    for tasks in (TASKS[:150], [*TASKS, {"id": "new", "input": -5, "answer": 0}]):
        with pytest.raises(lb.GuardFileError, match="the tasks changed since") as refused:
            make_loop(tmp_path / "loop.db", tasks)
        assert "'t1" not in str(refused.value)


def test_a_grader_that_fails_on_some_open_tasks_names_them_and_nothing_is_recorded() -> None:
    def fragile(item: Any, output: Any) -> float:
        if int(item["id"][1:]) in (3, 4, 5, 6, 7, 8):
            raise ValueError("no answer")
        return grade(item, output)

    with lb.Loop(TASKS, fragile, seed=7) as loop:
        opened = [one for one in ("t3", "t4", "t5", "t6", "t7", "t8") if one in loop.open.ids]
        with pytest.raises(lb.GradingError) as refused:
            loop.propose(solve(0.5))
        assert opened
        assert all(f"task {one}: ValueError: no answer" in refused.value.report for one in opened)
        assert (loop.history(), loop._guard.attempts) == ([], 0)


def test_ids_of_guarded_tasks_earn_nothing_before_the_open_ones_believe(tmp_path: Path) -> None:
    """Right answers of guarded tasks alone: no word about them, and the guard is not asked."""
    with make_loop(tmp_path / "loop.db") as loop:
        loop.propose(solve(0.5))
        cheated = {one: solve(1.0)[one] if one in loop.guarded.ids else solve(0.5)[one] for one in loop.guarded.ids}
        found = loop.propose(cheated | {one: solve(0.5)[one] for one in loop.open.ids})
        assert (found.decision, found.asked, found.certified, loop._guard.attempts) == ("undecided", False, False, 1)


def test_outputs_that_are_no_json_are_refused(tmp_path: Path) -> None:
    with make_loop(tmp_path / "loop.db") as loop:
        with pytest.raises(lb.PredictionsError, match="outputs must be JSON values"):
            loop.propose(lambda _: object())
        assert json.dumps([one.number for one in loop.history()]) == "[]"
