"""Server processes for a drill, and their temporary database."""

import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import ladderboard as lb
from ladderboard.server.settings import PREFIX

UNLIMITED = {
    "LADDERBOARD_SIGN_UPS_PER_HOUR": "1000000",
    "LADDERBOARD_SIGN_IN_TRIES_PER_MINUTE": "1000000",
    "LADDERBOARD_UPLOADS_PER_MINUTE": "1000000",
    "LADDERBOARD_UPLOADS_AT_ONCE": "1000",
}
"""Limits on people are no part of what a drill shows: an attacker may have any number of addresses and days."""

START_SECONDS, STOP_SECONDS = 60, 30


@dataclass(frozen=True, eq=False)
class RunningServer:
    """A running server process and its files."""

    url: str
    process: "subprocess.Popen[str]"
    data: Path
    database: str
    log: Path
    start_seconds: float
    """How long it took until it answered."""


@contextmanager
def run_server(
    folders: Sequence[Path], data: Path, *, database: str = "", environment: Mapping[str, str] = UNLIMITED
) -> Iterator[RunningServer]:
    """Run a server process for the folders, from its first response to the end of the block.

    Settings of a real server that are in the environment do not count: a drill must not write to its database.
    """
    data.mkdir(parents=True, exist_ok=True)
    log = data / f"server-{secrets.token_hex(3)}.log"
    command = [sys.executable, "-c", "from ladderboard.cli.main import main; main()", "serve", *map(str, folders)]
    command += ["--port", "0", "--data", str(data), *(["--database", database] if database else [])]
    around = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    began = time.monotonic()
    with log.open("ab") as to:
        process = subprocess.Popen(  # noqa: S603 - our own command
            command, stdout=subprocess.PIPE, stderr=to, env={**around, **environment}, text=True
        )
    try:
        address = _find_address(process, log)
        yield RunningServer(address, process, data, database, log, time.monotonic() - began)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(timeout=STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


def _find_address(process: "subprocess.Popen[str]", log: Path) -> str:
    assert process.stdout is not None
    for line in process.stdout:
        found = re.search(r"http://[\d.]+:\d+", line)
        if found and _wait_until_listening(found[0], process):
            return found[0]
    raise lb.LadderboardError(f"the server did not start:\n{log.read_text()[-2000:]}")


def _wait_until_listening(url: str, process: "subprocess.Popen[str]") -> bool:
    """Wait until the server listens; False if it ended instead."""
    address = urlsplit(url)
    until = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < until:
        try:
            socket.create_connection((address.hostname or "", address.port or 0)).close()
        except ConnectionRefusedError:
            time.sleep(0.02)
        else:
            return True
    return False


@contextmanager
def make_database(url: str) -> Iterator[str]:
    """Make a temporary schema in a PostgreSQL database and yield its address.

    Nothing else of that database is read or written. An empty ``url`` stays empty: a SQLite file beside the data.
    """
    if not url:
        yield ""
        return
    from ladderboard.server.services import scratch_database

    with scratch_database(url, f"ladderboard_drill_{secrets.token_hex(4)}") as inside:
        yield inside
