"""The tools of an agent that improves a program: a client's real session with them, in memory and as a process."""

import json
import os
import stat
import sys
import threading
from pathlib import Path
from typing import Any

import anyio
import pytest
from click.testing import CliRunner
from mcp import Client, StdioServerParameters

import ladderboard as lb
from ladderboard.cli.main import cli
from ladderboard.core.errors import ParameterError
from ladderboard.integrations.mcp_loop import make_loop_server
from ladderboard.loop.referee import AgentLoop
from ladderboard.loop.snapshot import copy_folder
from ladderboard.scoring.sandbox import find_obstacle
from tests.guard.guards import folder_open_to_others

needs_sandbox = pytest.mark.skipif(find_obstacle() is not None, reason=str(find_obstacle()))
LADDERBOARD = Path(sys.executable).with_name("ladderboard")
TASKS = [{"id": f"t{n}", "input": f"{n} + {n % 7}", "answer": n + n % 7} for n in range(160)]
GRADER = "def grade(item, output):\n    return output == item['answer']\n"
AGENT = """
import json, sys
for line in sys.stdin:
    task = json.loads(line)
    a, b = map(int, task["input"].split(" + "))
    print(json.dumps({"id": task["id"], "output": ANSWER}))
"""
SPY = """
import sys
for name in ("tasks", GRADER):
    try:
        sys.exit("read " + open(name).read())
    except OSError as problem:
        print(problem, file=sys.stderr)
sys.exit(3)
"""
AGENT_COMMAND = ["python3", "agent.py"]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """The referee's files and, beside them, the folder of candidates."""
    for name in ("referee", "candidates"):
        (tmp_path / name).mkdir()
    (tmp_path / "referee" / "tasks.jsonl").write_text("\n".join(map(json.dumps, TASKS)))
    (tmp_path / "referee" / "grade.py").write_text(GRADER)
    return tmp_path


def open_loop(place: Path) -> lb.Loop:
    home = place / "referee"
    return lb.Loop(home / "tasks.jsonl", home / "grade.py", path=home / "loop.db", seed=3)


def write_candidate(place: Path, name: str, answer: str) -> None:
    (place / "candidates" / name).mkdir()
    (place / "candidates" / name / "agent.py").write_text(AGENT.replace("ANSWER", answer))


async def call(client: Client, tool: str, /, **arguments: Any) -> Any:
    """What a tool answers; an error as its text."""
    told: Any = await client.call_tool(tool, arguments)
    return told.content[0].text if told.is_error else told.structured_content


async def improve(client: Client, place: Path) -> list[Any]:
    """An agent that does what the texts say: look, propose what is in use, read why, mend, propose."""
    told = [await call(client, "status", tasks=True)]
    write_candidate(place, "first", "a if b else a + 1")
    told.append(await call(client, "propose", folder="first", command=AGENT_COMMAND, name="in use"))
    told.append(await call(client, "why", number=1, most=3))
    write_candidate(place, "second", "a + b")
    told.append(await call(client, "propose", folder="second", command=AGENT_COMMAND, name="adds"))
    told.append(await call(client, "propose", folder="second", command=AGENT_COMMAND, name="the same"))
    told.append(await call(client, "status"))
    return told


def check_improvement(told: list[Any]) -> None:
    status, first, why, second, again, last = told
    assert {tuple(sorted(one)) for one in status["tasks"]} == {("id", "input")}
    assert (status["open_tasks"], status["guarded_tasks"], len(status["tasks"])) == (80, 80, 80)
    assert (first["decision"], first["certified"], first["number"]) == ("kept", False, 1)
    assert [(one["score"], set(one["task"])) for one in why["open_tasks"]] == [(0.0, {"id", "input"})] * 3
    assert (second["decision"], second["certified"], second["asked"]) == ("kept", True, True)
    assert second["why"][-1] == "The guarded tasks prove it better: certified."
    assert (again["number"], again["is_repeat"], last["go_on_from"], last["certified"]) == (2, True, 2, 2)
    opened = {one["id"] for one in status["tasks"]}
    guarded = [one for one in TASKS if one["id"] not in opened]
    assert not any(f'"{one["id"]}"' in json.dumps(told) for one in guarded)  # ids as JSON has them
    assert not any(f'"{one["input"]}"' in json.dumps(told) for one in guarded)


@needs_sandbox
def test_an_agent_improves_its_program_by_the_tools_alone(place: Path) -> None:
    async def play() -> list[Any]:
        async with Client(make_loop_server(AgentLoop(loop, place / "candidates", repeats=1))) as client:
            return await improve(client, place)

    with open_loop(place) as loop:
        check_improvement(anyio.run(play))


@needs_sandbox
def test_the_process_that_a_host_starts_answers_the_same(place: Path) -> None:
    home = place / "referee"
    made = [str(home / "tasks.jsonl"), "--grader", str(home / "grade.py"), "--to", str(home / "loop.db"), "--seed", "3"]
    assert CliRunner().invoke(cli, ["loop", "init", *made]).exit_code == 0
    served = ["loop", "serve", str(home / "loop.db"), "--candidates", str(place / "candidates"), "--repeats", "1"]

    async def play() -> list[Any]:
        async with Client(StdioServerParameters(command=str(LADDERBOARD), args=served)) as client:
            return await improve(client, place)

    check_improvement(anyio.run(play))
    inside = CliRunner().invoke(cli, ["loop", "serve", str(home / "loop.db"), "--candidates", str(place)])
    assert (inside.exit_code, "which the agent can read; move one of them" in inside.output) == (2, True)


def test_the_texts_say_how_to_use_the_tools_well(place: Path) -> None:
    async def play() -> Any:
        async with Client(make_loop_server(AgentLoop(loop, place / "candidates"))) as client:
            return client.instructions, {one.name: one for one in (await client.list_tools()).tools}

    with open_loop(place) as loop:
        instructions, tools = anyio.run(play)
    assert "go on from what is kept" in instructions
    assert set(tools) == {"propose", "status", "why"}
    for words in ("no gradient", "partly luck", "only where it is certified", "the reference", "a little harder"):
        assert words in tools["propose"].description
    assert tools["why"].annotations.read_only_hint
    assert tools["propose"].annotations.idempotent_hint


@pytest.mark.parametrize(
    ("tool", "given", "words"),
    [
        ("propose", {"folder": "nowhere", "command": AGENT_COMMAND}, "No such file or directory"),
        ("propose", {"folder": "..", "command": AGENT_COMMAND}, "is no folder below"),
        ("propose", {"folder": "/etc", "command": AGENT_COMMAND}, "is no folder below"),
        ("propose", {"folder": "", "command": AGENT_COMMAND}, "is no folder below"),
        ("propose", {"folder": "linked", "command": AGENT_COMMAND}, "cannot be read"),
        ("propose", {"folder": "first", "command": []}, "the command is empty"),
        ("why", {"number": 1}, "there is no proposal 1; the last one is 0"),
    ],
)
def test_a_refusal_is_a_sentence_and_records_nothing(place: Path, tool: str, given: dict[str, Any], words: str) -> None:
    write_candidate(place, "first", "a")
    (place / "candidates" / "linked").symlink_to(place / "referee")

    async def play() -> Any:
        async with Client(make_loop_server(AgentLoop(loop, place / "candidates", repeats=1))) as client:
            return await call(client, tool, **given)

    with open_loop(place) as loop:
        told = anyio.run(play)
        assert words in told
        assert "Refused: " in told
        assert loop.history() == []


@needs_sandbox
def test_a_candidate_reads_nothing_of_the_referee(place: Path) -> None:
    """Its links lead nowhere in the sandbox, and what it says of guarded tasks is not told."""
    write_candidate(place, "spy", "a")
    (place / "candidates" / "spy" / "tasks").symlink_to(place / "referee" / "tasks.jsonl")
    code = SPY.replace("GRADER", repr(str(place / "referee" / "grade.py")))
    (place / "candidates" / "spy" / "agent.py").write_text(code)
    with open_loop(place) as loop:
        referee = AgentLoop(loop, place / "candidates", repeats=1)
        with pytest.raises(lb.PredictionsError, match="the command ended with exit code 3") as refused:
            referee.propose("spy", AGENT_COMMAND, "")
        assert str(refused.value).count("No such file or directory") == 2


def test_a_folder_that_is_exchanged_for_a_link_while_it_is_copied_gives_nothing_away(tmp_path: Path) -> None:
    """Somebody swaps it for a link to a secret folder, again and again, while it is copied two hundred times."""
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key").write_text("secret")
    mine = tmp_path / "candidates" / "mine"
    (mine / "inner").mkdir(parents=True)
    (mine / "inner" / "key").write_text("mine")
    is_over = threading.Event()

    def swap() -> None:
        while not is_over.is_set():
            for folder in (mine, mine / "inner"):
                folder.rename(folder.with_name("aside"))
                folder.symlink_to(tmp_path / "secret")
                folder.unlink()
                folder.with_name("aside").rename(folder)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        for number in range(200):
            target = tmp_path / f"copy{number}"
            try:
                copy_folder(tmp_path / "candidates", "mine", target, most_mb=1)
            except ParameterError:
                continue
            read = [one.read_text() for one in target.rglob("*") if one.is_file() and not one.is_symlink()]
            assert set(read) <= {"mine"}
    finally:
        is_over.set()
        thread.join()


@pytest.mark.parametrize("kind", ["large", "many", "deep", "pipe"])
def test_a_folder_that_cannot_be_a_candidate_is_refused_or_left_out(tmp_path: Path, kind: str) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    if kind == "pipe":
        os.mkfifo(mine / "pipe")
        copy_folder(tmp_path, "mine", tmp_path / "copy", most_mb=1)
        assert list((tmp_path / "copy").iterdir()) == []
        return
    if kind == "large":
        with (mine / "weights").open("wb") as file:
            file.truncate(2 << 20)
    for number in range(1025 if kind == "many" else 0):
        (mine / str(number)).touch()
    if kind == "deep":
        mine.joinpath(*["a"] * 40).mkdir(parents=True)
    with pytest.raises(ParameterError, match="has more than 1 MB, or folders in 32 others"):
        copy_folder(tmp_path, "mine", tmp_path / "copy", most_mb=1)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can own files that another user cannot read")
@pytest.mark.parametrize("open_one", [None, "tasks.jsonl", "grade.py", "loop.db"])
def test_every_file_of_the_referee_is_checked(open_one: str | None) -> None:
    """The tasks, the grader and the loop's file: what the other user may read is named, and nothing is run."""
    with folder_open_to_others() as home:
        (home / "tasks.jsonl").write_text("\n".join(map(json.dumps, TASKS)))
        (home / "grade.py").write_text(GRADER)
        made = [str(home / "tasks.jsonl"), "--grader", str(home / "grade.py"), "--to", str(home / "loop.db")]
        assert CliRunner().invoke(cli, ["loop", "init", *made]).exit_code == 0
        for one in home.iterdir():
            one.chmod(stat.S_IRUSR | stat.S_IWUSR)
        if open_one is not None:
            (home / open_one).chmod(0o644)
        outputs = home / "outputs.json"
        outputs.write_text(json.dumps({one["id"]: 0 for one in TASKS}))
        given = ["propose", str(home / "loop.db"), "--outputs", str(outputs), "--check-user", "nobody"]
        told = CliRunner().invoke(cli, ["loop", *given])
        assert told.exit_code == (3 if open_one is None else 2), told.output
        assert open_one is None or f"nobody can read {home / open_one}" in told.output
