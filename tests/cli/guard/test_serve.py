"""`ladderboard holdout serve` and `clients` as real processes: killed, doubled, and asked by another user."""

import json
import os
import pwd
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

import ladderboard as lb
from ladderboard.cli.main import cli
from ladderboard.client.retries import ONCE
from ladderboard.guard.service.body_limit import find_body_limit
from tests.guard.guards import folder_open_to_others, labels_of, with_errors

LABELS = labels_of(600)
PREDICTIONS = [with_errors(LABELS, errors, seed=errors) for errors in (180, 181, 60)]
LADDERBOARD = Path(sys.executable).with_name("ladderboard")
USER = "nobody"
PATIENCE = 120.0
"""Seconds after which a service that should not have started is given up."""


def run(*words: object, code: int = 0) -> str:
    done = CliRunner().invoke(cli, ["holdout", *map(str, words)])
    assert done.exit_code == code, done.output
    return done.stdout.strip() if code == 0 else done.stderr.strip()


def refuse_to_serve(guard: Path, *options: object) -> str:
    """Why a service is not started; in a process of its own, so that one that starts after all ends the test."""
    words = [LADDERBOARD, "holdout", "serve", guard, "--labels", guard.parent / "labels.csv", "--port", 0, *options]
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 2, done.stderr
    return done.stderr.strip()


@contextmanager
def serve(folder: Path, *options: object) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """A service and its address; killed at the end of the block, if it still runs."""
    words = [LADDERBOARD, "holdout", "serve", folder / "holdout.db", "--labels", folder / "labels.csv", *options]
    process = subprocess.Popen([*map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        assert " is served at " in line, process.communicate()[1]
        yield process, line.split(" is served at ")[1].split(". Stop")[0]
    finally:
        process.kill()
        process.communicate()


@pytest.fixture
def guard(tmp_path: Path) -> Path:
    return make_guard(tmp_path)


@pytest.fixture
def open_guard() -> Iterator[Path]:
    """In a folder that other users can reach."""
    with folder_open_to_others() as folder:
        yield make_guard(folder)


def make_guard(folder: Path) -> Path:
    (folder / "labels.csv").write_text("y\n" + "\n".join(map(str, LABELS)) + "\n")
    run("init", folder / "labels.csv", "--to", folder / "holdout.db", "--seed", 7)
    return folder / "holdout.db"


def test_an_answered_attempt_survives_a_kill_and_another_service_goes_on(guard: Path) -> None:
    token, place = run("clients", "add", guard, "ci"), guard.parent / "s"
    with serve(guard.parent, "--port", 0) as (process, url), lb.RemoteHoldout(url, token=token, retries=ONCE) as one:
        assert [one.score(given).improved for given in PREDICTIONS[:2]] == [True, False]
        refused = refuse_to_serve(guard)
        assert f"another service (process {process.pid}) has {guard}" in refused
        process.send_signal(signal.SIGKILL)
        process.wait()
        with pytest.raises(lb.UnreachableError):
            one.score(PREDICTIONS[2])
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(place))  # left behind, as is the file of the lock
    with serve(guard.parent, "--socket", place) as (process, url), lb.RemoteHoldout(url, token=token) as two:
        assert url == f"unix:{place}"
        assert two.score(PREDICTIONS[1]).is_repeat
        assert two.score(PREDICTIONS[2]).attempt == 3
        process.send_signal(signal.SIGTERM)
        assert process.wait() == 0
    assert not place.exists()
    assert json.loads(run("clients", "list", guard, "--json"))[0]["attempts"] == 3
    with lb.Holdout(LABELS, path=guard, seed=7) as holdout:
        assert holdout.attempts == 3


SEND = ("bash", "-c", 'exec 3<>"/dev/tcp/$0/$1"; cat >&3; cat <&3')
"""What everybody may run: the Python of the tests may lie where another user cannot reach."""


def make_request(token: str, body: dict[str, Any]) -> bytes:
    content = json.dumps(body)
    head = f"POST /score HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n"
    return f"{head}Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n{content}".encode()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")
def test_another_user_asks_the_service_and_cannot_read_the_labels(open_guard: Path) -> None:
    (open_guard.parent / "labels.csv").chmod(0o644)
    refused = refuse_to_serve(open_guard, "--check-user", USER)
    assert f"{USER} can read {open_guard.parent / 'labels.csv'}" in refused
    (open_guard.parent / "labels.csv").chmod(0o600)
    options = ["--port", 0, "--check-user", USER]
    token = run("clients", "add", open_guard, "agent")
    with serve(open_guard.parent, *options) as (_, url):
        account = pwd.getpwnam(USER)
        as_user = ["setpriv", f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--init-groups"]
        read = subprocess.run([*as_user, "cat", open_guard.parent / "labels.csv"], capture_output=True, check=False)
        assert read.returncode != 0
        request = make_request(token, {"predictions": PREDICTIONS[0].tolist()})
        sent = [*as_user, *SEND, *url.removeprefix("http://").split(":")]
        answer = subprocess.run(sent, input=request, capture_output=True, check=True).stdout
        told = json.loads(answer.partition(b"\r\n\r\n")[2])
        assert (told["attempt"], told["improved"]) == (1, True)
        assert told["outcome"][0].startswith("Improved: Score 0.501 →")


def test_a_body_is_read_up_to_what_the_items_need_or_the_option_says(guard: Path) -> None:
    token = run("clients", "add", guard, "ci")
    with lb.Holdout(LABELS, path=guard, seed=7) as holdout:
        need = find_body_limit(holdout).size
    body = json.dumps({"predictions": PREDICTIONS[0].tolist()}).encode()
    for options, most in (((), need), (("--max-request-mb", 1), 1 << 20)):
        with serve(guard.parent, "--port", 0, *options) as (_, url):
            send = partial(httpx.post, f"{url}/score", headers={"Authorization": f"Bearer {token}"}, timeout=PATIENCE)
            assert send(content=body.ljust(most)).status_code == 200
            crowded = send(content=b"[" + b"[]," * 10_000 + b"[]]")
            assert (crowded.status_code, b"too many values" in crowded.content) == (422, not options)
            refused = send(content=body.ljust(most + 1))
            assert (refused.status_code, refused.json()["error"]["details"]) == (413, {"most_bytes": most})


def test_a_job_asks_the_service_and_goes_by_the_exit_code(
    guard: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LADDERBOARD_HOLDOUT_TOKEN", run("clients", "add", guard, "ci"))
    for name, given in zip(("fair", "same", "short"), (*PREDICTIONS[:2], LABELS[:5]), strict=True):
        (tmp_path / f"{name}.csv").write_text("p\n" + "\n".join(map(str, given)) + "\n")
    with serve(tmp_path, "--port", 0) as (_, url):
        monkeypatch.setenv("LADDERBOARD_HOLDOUT_URL", url)
        assert run("ask", tmp_path / "fair.csv").startswith("Improved: Score 0.501 → 0.302.")
        assert json.loads(run("ask", tmp_path / "fair.csv", "--json"))["is_repeat"]
        run("ask", tmp_path / "same.csv", code=3)
        assert "5 predictions for 600 items" in run("ask", tmp_path / "short.csv", code=2)
        assert "Attempts: 2 of all clients, 2 of ci; score shown 0.302" in run("ask")
        monkeypatch.setenv("LADDERBOARD_HOLDOUT_TOKEN", "lb_wrong")
        assert "unknown or revoked" in run("ask", code=5)
    assert "is no address of a service" in run("ask", "--url", "nonsense", code=2)


def test_a_taken_place_is_refused_in_one_sentence(guard: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    words = ["serve", guard, "--labels", tmp_path / "labels.csv", "--socket"]
    assert "is a file, not a socket" in run(*words, tmp_path / "file", code=2)
    assert (tmp_path / "file").read_text() == "mine"
    assert "AF_UNIX path too long" in run(*words, tmp_path / ("x" * 120), code=2)


def test_clients_are_added_once_listed_and_revoked(guard: Path) -> None:
    first = run("clients", "add", guard, "ci")
    assert first.startswith("lb_")
    assert "there is a client 'ci' already" in run("clients", "add", guard, "ci", code=2)
    assert "cannot name a client" in run("clients", "add", guard, "a b", code=2)
    assert "there is no client 'agent'; known: ci" in run("clients", "revoke", guard, "agent", code=2)
    assert run("clients", "revoke", guard, "ci") == "ci can no longer ask."
    assert run("clients", "list", guard).endswith("revoked)")
    assert run("clients", "add", guard, "ci") != first
