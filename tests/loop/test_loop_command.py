"""`ladderboard loop` in a shell: commands in the sandbox, files of outputs, exit codes."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from ladderboard.cli.main import cli
from ladderboard.loop.program import Program
from ladderboard.scoring.sandbox import find_obstacle

pytestmark = pytest.mark.skipif(find_obstacle() is not None, reason=str(find_obstacle()))
AGENT = """
import json, sys
for line in sys.stdin:
    task = json.loads(line)
    assert set(task) == {"id", "input"}
    print(json.dumps({"id": task["id"], "output": task["input"] % 11 if task["input"] % 100 < SKILL else -1}))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tasks = [{"id": f"t{n}", "input": n, "answer": n % 11} for n in range(200)]
    (tmp_path / "tasks.jsonl").write_text("\n".join(map(json.dumps, tasks)))
    (tmp_path / "grade.py").write_text("def grade(item, output):\n    return output == item['answer']\n")
    (tmp_path / "agent").mkdir()
    made = run(tmp_path, "init", "tasks.jsonl", "--grader", "grade.py", "--to", "loop.db", "--seed", "7")
    assert (made.exit_code, made.output.count("100")) == (0, 2)
    return tmp_path


def run(folder: Path, *arguments: str) -> Result:
    named = [str(folder / one) if (folder / one).exists() or one.endswith(".db") else one for one in arguments]
    return CliRunner().invoke(cli, ["loop", *named])


def propose(folder: Path, skill: int, *more: str) -> Result:
    (folder / "agent" / "agent.py").write_text(AGENT.replace("SKILL", str(skill)))
    command = ["--repeats", "1", *more, "--", "python3", "agent.py"]
    return run(folder, "propose", "loop.db", "--folder", "agent", *command)


def test_a_command_is_run_kept_and_certified(folder: Path) -> None:
    codes = [propose(folder, skill).exit_code for skill in (50, 80, 40)]
    assert codes == [3, 0, 1]
    again = propose(folder, 80, "--name", "renamed", "--json")
    assert (again.exit_code, json.loads(again.output)["number"]) == (0, 2)
    told = json.loads(run(folder, "status", "loop.db", "--json").output)
    assert [one["decision"] for one in told["proposals"]] == ["kept", "kept", "discarded"]
    assert "Certified is 0." in run(folder, "status", "loop.db").output
    shown = [json.loads(line) for line in run(folder, "status", "loop.db", "--tasks").output.splitlines()]
    assert [one["id"] for one in shown] == list(told["proposals"][0]["open_scores"])
    assert {tuple(one) for one in shown} == {("id", "input")}


def test_a_grader_that_does_not_repeat_itself_is_said_in_the_shell(folder: Path) -> None:
    (folder / "grade.py").write_text("import os\n\n\ndef grade(item, output):\n    return os.urandom(1)[0] / 255\n")
    (folder / "loop.db").unlink()
    run(folder, "init", "tasks.jsonl", "--grader", "grade.py", "--to", "loop.db")
    assert "of the reference's outputs got another score" in propose(folder, 50).output
    assert "The grader: It is not deterministic" in run(folder, "status", "loop.db").output


def test_the_state_is_written_as_a_page_and_printed_as_a_comment(folder: Path) -> None:
    for skill in (50, 80):
        propose(folder, skill)
    (folder / "truth.json").write_text('{"1": 0.5, "2": 0.8}')
    page = folder / "page.html"
    written = run(folder, "report", "loop.db", "--to", str(page), "--truth", "truth.json")
    assert (written.exit_code, "Certified is 0." in written.output) == (0, True)
    assert "true score, kept" in page.read_text()
    comment = run(folder, "report", "loop.db", "--comment", "--since", "2099-01-01").output
    assert comment.startswith("### Loop: certified 0.")
    assert "No candidate was proposed since 2099-01-01" in comment
    (folder / "truth.json").write_text("[1]")
    refused = run(folder, "report", "loop.db", "--comment", "--truth", "truth.json")
    assert (refused.exit_code, "has no true scores; write an object such as" in refused.output) == (2, True)
    assert run(folder, "report", "loop.db").exit_code == 2


FRAGILE = """
def grade(item, output):
    if output == -2:
        raise ValueError(f"secret {item['answer']}")
    return output == item["answer"]
"""


def test_whoever_proposes_reads_nothing_of_a_grader_that_fails_on_guarded_tasks(folder: Path) -> None:
    (folder / "grade.py").write_text(FRAGILE)
    (folder / "loop.db").unlink()
    run(folder, "init", "tasks.jsonl", "--grader", "grade.py", "--to", "loop.db", "--seed", "7")
    propose(folder, 50)
    told = json.loads(run(folder, "status", "loop.db", "--json").output)
    opened = {int(one[1:]) for one in told["proposals"][0]["open_scores"]}
    spoilt = AGENT.replace("SKILL", "90").replace("else -1", f"else -1 if task['input'] in {opened} else -2")
    (folder / "agent" / "agent.py").write_text(spoilt)
    failed = run(folder, "propose", "loop.db", "--folder", "agent", "--", "python3", "agent.py")
    assert (failed.exit_code, "the guard was not asked about proposal 2" in failed.output) == (2, True)
    assert "secret" not in failed.output
    assert "secret" in run(folder, "status", "loop.db", "--faults").output


@pytest.mark.parametrize(
    ("agent", "refusal"),
    [
        ("import sys; sys.exit('no model')", "the command ended with exit code 1: no model"),
        ("print('hello')", "wrote what cannot be read: the command's output, line 1 is not JSON"),
        ("print('{}')", "no output for items"),
        ("import socket; socket.create_connection(('127.0.0.1', 9))", "Connection refused"),
    ],
)
def test_a_command_that_fails_is_told_why_and_nothing_is_recorded(folder: Path, agent: str, refusal: str) -> None:
    (folder / "agent" / "agent.py").write_text(agent)
    failed = run(folder, "propose", "loop.db", "--folder", "agent", "--", "python3", "agent.py")
    assert (failed.exit_code, refusal in failed.output) == (2, True), failed.output
    assert json.loads(run(folder, "status", "loop.db", "--json").output)["proposals"] == []


def test_of_the_guarded_tasks_a_command_tells_nothing(folder: Path) -> None:
    propose(folder, 50)
    told = json.loads(run(folder, "status", "loop.db", "--json").output)
    opened = {int(one[1:]) for one in told["proposals"][0]["open_scores"]}
    guarded = f"    if task['input'] not in {opened}: sys.exit('leaked ' + line)\n"
    (folder / "agent" / "agent.py").write_text(AGENT.replace("SKILL", "90") + guarded)
    failed = run(folder, "propose", "loop.db", "--folder", "agent", "--", "python3", "agent.py")
    assert "the command failed on the guarded tasks; the guard was not asked" in failed.output
    assert "leaked" not in failed.output


def test_a_folder_with_the_answers_is_refused(folder: Path) -> None:
    refused = run(folder, "propose", "loop.db", "--folder", str(folder), "--", "python3", "agent.py")
    assert (refused.exit_code, "which the candidate can read; move one of them" in refused.output) == (2, True)


def test_a_folder_that_changes_while_its_candidate_runs_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What would be certified is not what was proposed."""
    run_once = Program._run_once

    def run_and_change(self: Program, content: bytes, *, is_open: bool) -> Any:
        found = run_once(self, content, is_open=is_open)
        (folder / "agent" / "notes.txt").write_text("something new")
        return found

    monkeypatch.setattr(Program, "_run_once", run_and_change)
    refused = propose(folder, 50)
    assert (refused.exit_code, "changed while the candidate ran; propose it again" in refused.output) == (2, True)
    assert json.loads(run(folder, "status", "loop.db", "--json").output)["proposals"] == []


def test_a_file_of_outputs_is_taken_too(folder: Path) -> None:
    outputs = [{"id": f"t{n}", "output": n % 11 if n % 2 else -1} for n in range(200)]
    (folder / "outputs.jsonl").write_text("\n".join(map(json.dumps, outputs)))
    assert run(folder, "propose", "loop.db", "--outputs", "outputs.jsonl").exit_code == 3
    assert run(folder, "propose", "loop.db").exit_code == 2


def test_a_user_who_could_reach_the_tasks_is_named(folder: Path) -> None:
    refused = propose(folder, 50, "--check-user", "root")
    assert (refused.exit_code, "root may read everything" in refused.output) == (2, True)


@pytest.mark.parametrize("source", ["def grad(item, output):\n    return 1.0\n", "def grade(item, output)\n"])
def test_a_grader_that_cannot_be_loaded_is_refused_before_it_is_pinned(folder: Path, source: str) -> None:
    """Mended later it would be another grader, and its loop lost."""
    (folder / "broken.py").write_text(source)
    refused = run(folder, "init", "tasks.jsonl", "--grader", "broken.py", "--to", "new.db")
    assert (refused.exit_code, (folder / "new.db").exists()) == (2, False)


def test_a_file_that_holds_no_outputs_is_shown_a_line_of_them(folder: Path) -> None:
    (folder / "outputs.csv").write_text("id,output\n")
    refused = run(folder, "propose", "loop.db", "--outputs", "outputs.csv")
    assert (refused.exit_code, '{"id": "t1", "output": "4"}' in refused.output) == (2, True)
