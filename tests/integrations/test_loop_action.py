"""The action of a loop: its steps run by bash as a runner would, with a server that answers as the API of GitHub."""

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from ladderboard.cli.main import cli
from ladderboard.scoring.sandbox import find_obstacle

FOLDER = Path(__file__).parent.parent.parent / "integrations" / "github-action" / "loop"
ACTION: dict[str, Any] = yaml.safe_load((FOLDER / "action.yml").read_text())
TASKS = [{"id": f"t{n}", "input": n, "answer": n % 11} for n in range(120)]


class Forge(ThreadingHTTPServer):
    """Comments of one pull request, as docs.github.com/rest/issues/comments describes them."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.comments: list[dict[str, Any]] = []
        self.asked: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Answer(BaseHTTPRequestHandler):
    server: Forge

    def do_GET(self) -> None:
        page = int(self.path.rpartition("page=")[2])
        self._tell(200, self.server.comments[100 * (page - 1) : 100 * page])

    def do_POST(self) -> None:
        one = {"url": f"{self.server.url}/comments/{len(self.server.comments)}", "user": {"type": "Bot"}}
        self.server.comments.append(one | self._read())
        self._tell(201, self.server.comments[-1])

    def do_PATCH(self) -> None:
        one = self.server.comments[int(self.path.rpartition("/")[2])]
        one.update(self._read())
        self._tell(200, one)

    def _read(self) -> Any:
        return json.loads(self.rfile.read(int(self.headers["Content-Length"])))

    def _tell(self, status: int, body: Any) -> None:
        is_known = self.headers["Authorization"] == "Bearer right"
        self.server.asked.append(f"{self.command} {self.path}")
        content = json.dumps(body if is_known else {"message": "Bad credentials"}).encode()
        self.send_response(status if is_known else 401)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def forge() -> Iterator[Forge]:
    with Forge() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def runner(tmp_path: Path) -> Path:
    home = tmp_path / "referee"
    home.mkdir()
    (home / "tasks.jsonl").write_text("\n".join(map(json.dumps, TASKS)))
    (home / "grade.py").write_text("def grade(item, output):\n    return output == item['answer']\n")
    made = [str(home / "tasks.jsonl"), "--grader", str(home / "grade.py"), "--to", str(home / "loop.db"), "--seed", "7"]
    assert CliRunner().invoke(cli, ["loop", "init", *made]).exit_code == 0
    return tmp_path


def write_outputs(runner: Path, right: int) -> str:
    outputs = [{"id": one["id"], "output": one["answer"] if n % 12 < right else -1} for n, one in enumerate(TASKS)]
    (runner / f"outputs{right}.jsonl").write_text("\n".join(map(json.dumps, outputs)))
    return f"outputs{right}.jsonl"


def run_action(runner: Path, url: str = "", **inputs: str) -> tuple[int, dict[str, str], str]:
    """Run all steps but the installation; return the exit code, the outputs of `propose`, and what was printed."""
    given = {name: str(entry.get("default", "")) for name, entry in ACTION["inputs"].items()} | inputs
    outputs: dict[str, str] = {}
    said = ""
    for step in ACTION["runs"]["steps"][1:]:
        if "if" in step and not given["pull-request"]:
            continue
        code, printed = run_step(step, runner, {"GITHUB_API_URL": url}, given, outputs)
        said += printed
        outputs |= dict(line.split("=", 1) for line in (runner / "output").read_text().splitlines())
        if code != 0:
            return code, outputs, said
    return 0, outputs, said


def run_step(
    step: Any, runner: Path, more: dict[str, str], given: dict[str, str], outputs: dict[str, str]
) -> tuple[int, str]:
    def fill(value: str) -> str:
        value = re.sub(r"\$\{\{ inputs\.(\S+) \}\}", lambda found: given[found[1]], value)
        value = re.sub(r"\$\{\{ steps\.propose\.outputs\.(\S+) \}\}", lambda found: outputs.get(found[1], ""), value)
        return value.replace("${{ github.action_path }}", str(FOLDER))

    files = {"GITHUB_OUTPUT": runner / "output", "GITHUB_STEP_SUMMARY": runner / "summary"}
    for file in files.values():
        file.write_text("")
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "RUNNER_TEMP": str(runner),
        "GITHUB_REPOSITORY": "us/agent",
        **{key: str(file) for key, file in files.items()},
        **more,
        **{key: fill(value) for key, value in step["env"].items()},
    }
    command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]]
    done = subprocess.run(command, cwd=runner, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_one_comment_says_what_is_certified_however_often_it_runs(runner: Path, forge: Forge) -> None:
    forge.comments += [{"url": "", "user": {"type": "User"}, "body": "hello"} for _ in range(100)]
    at = {"loop": "referee/loop.db", "pull-request": "12", "token": "right", "since": "2026-05-01"}
    for right, name in ((5, "in use"), (9, "@all <b>x</b> | y")):
        code, outputs, said = run_action(runner, forge.url, outputs=write_outputs(runner, right), name=name, **at)
        assert code == 0, said
    assert outputs == {"decision": "kept", "certified": "true"}
    (ours,) = (one["body"] for one in forge.comments if one["user"]["type"] == "Bot")
    assert "### Loop: certified 0." in ours
    assert "1 candidate after the reference since 2026-05-01: 1 kept" in ours
    assert "Of these 1 promotion 1 is certified; 0 may be luck on the open tasks." in ours
    assert "@<!-- -->all &lt;b&gt;x&lt;/b&gt; \\| y" in ours
    paths = [one.partition("?")[0] for one in forge.asked]
    assert paths[:3] == [f"{kind} /repos/us/agent/issues/12/comments" for kind in ("GET", "GET", "POST")]
    assert paths[-1].startswith("PATCH /comments/")


@pytest.mark.parametrize(
    ("require", "right", "code"),
    [("kept", 5, 1), ("certified", 5, 1), ("nothing", 5, 0), ("kept", 9, 0), ("certified", 9, 0), ("better", 9, 2)],
)
def test_the_step_asks_for_what_is_required(runner: Path, require: str, right: int, code: int) -> None:
    at = {"loop": "referee/loop.db", "require": require, "pull-request": ""}
    assert run_action(runner, outputs=write_outputs(runner, 6), **{**at, "require": "kept"})[0] == 0
    assert run_action(runner, outputs=write_outputs(runner, right), **at)[0] == code


@pytest.mark.skipif(find_obstacle() is not None, reason=str(find_obstacle()))
def test_a_command_runs_in_its_folder_and_is_no_text_of_the_script(runner: Path) -> None:
    (runner / "agent").mkdir()
    (runner / "agent" / "agent.py").write_text(
        "import json, sys\nfor line in sys.stdin:\n    print(json.dumps({'id': json.loads(line)['id'], 'output': 0}))\n"
    )
    at = {"loop": "referee/loop.db", "folder": "agent", "repeats": "1", "pull-request": ""}
    code, outputs, said = run_action(runner, command="python3 agent.py", **at)
    assert (code, outputs["decision"]) == (0, "kept"), said
    code, outputs, said = run_action(runner, command="$(touch hacked) ; touch hacked", **at)
    assert (code, "decision" in outputs, (runner / "hacked").exists()) == (2, False, False)
    assert "could not be proposed (exit code 2)" in said


def test_a_token_that_may_not_comment_is_said(runner: Path, forge: Forge) -> None:
    at = {"loop": "referee/loop.db", "pull-request": "12", "token": "wrong"}
    code, _, said = run_action(runner, forge.url, outputs=write_outputs(runner, 5), **at)
    assert (code, "give the job pull-requests: write" in said) == (1, True)


def test_every_input_and_output_is_used_and_described() -> None:
    text = (FOLDER / "action.yml").read_text()
    for name, entry in {**ACTION["inputs"], **ACTION["outputs"]}.items():
        assert entry["description"]
        assert f"inputs.{name}" in text or f"steps.propose.outputs.{name}" in text
    assert all(step["shell"] == "bash" for step in ACTION["runs"]["steps"])
    assert (FOLDER.parent.parent.parent / "pyproject.toml").is_file()
