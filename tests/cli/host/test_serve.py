"""`ladderboard serve`: what it says, and when."""

import os
import signal
import socket
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from click.testing import CliRunner

from ladderboard.cli.main import cli
from tests.competition.folders import write_folder


def test_whoever_comes_as_soon_as_the_address_is_said_is_not_turned_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered = []

    def run(_: uvicorn.Server, sockets: list[socket.socket]) -> None:
        with socket.create_connection(sockets[0].getsockname(), timeout=120) as connection:
            answered.append(connection.getpeername())
        sockets[0].close()

    monkeypatch.setattr(uvicorn.Server, "run", run)
    monkeypatch.setattr(os, "environ", os.environ.copy())  # where the server's processes find their settings
    folder, seen = write_folder(tmp_path / "whales"), "https://board.example.org"
    options = ["--port", "0", "--data", str(tmp_path / "data"), "--base-url", f"{seen}/"]
    said = CliRunner().invoke(cli, ["serve", str(folder), *options])
    assert said.exit_code == 0, said.output
    assert f"Whales  {seen}/competitions/whales\nListening on http://127.0.0.1:{answered[0][1]}.\n" in said.output


def test_whoever_stops_it_as_soon_as_that_is_said_sees_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure, shall_stop = uvicorn.Config.__init__, []

    def interrupt(config: uvicorn.Config, *given: Any, **named: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        configure(config, *given, **named)

    def run(server: uvicorn.Server, sockets: list[socket.socket]) -> None:
        assert sockets
        shall_stop.append(server.should_exit)

    monkeypatch.setattr(uvicorn.Config, "__init__", interrupt)
    monkeypatch.setattr(uvicorn.Server, "run", run)
    monkeypatch.setattr(os, "environ", os.environ.copy())
    folder = write_folder(tmp_path / "whales")
    said = CliRunner().invoke(cli, ["serve", str(folder), "--port", "0", "--data", str(tmp_path / "data")])
    assert said.output.endswith("Stop with Ctrl+C.\n")
    assert said.exit_code == 0
    assert shall_stop == [True]
