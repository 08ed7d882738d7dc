"""Faults that are nobody's bug are told in a sentence; a bug shows where it is."""

import errno
import socket
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from ladderboard.cli._shared.system_errors import explain_system_error
from ladderboard.cli.main import cli


def test_a_database_that_does_not_answer_is_told_in_a_sentence() -> None:
    pytest.importorskip("psycopg")
    with socket.socket() as bound:  # bound and not listening: nobody answers, nobody else can take the port
        bound.bind(("127.0.0.1", 0))
        url = f"postgresql://nobody@127.0.0.1:{bound.getsockname()[1]}/board"
        answered = CliRunner().invoke(cli, ["users", "list", "--database", url])
    assert isinstance(answered.exception, SystemExit), answered.exception
    assert answered.exit_code == 7
    assert "cannot use the database" in answered.stderr
    assert len(answered.stderr.splitlines()) == 1


def test_a_place_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    answered = CliRunner().invoke(cli, ["users", "list", "--data", str(tmp_path / "file" / "inside")])
    assert isinstance(answered.exception, SystemExit), answered.exception
    assert answered.exit_code == 2
    assert "inside" in answered.stderr


def test_a_full_disk_is_told_and_a_bug_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(error: Exception) -> click.Command:
        def fail() -> None:
            raise error

        return click.Command("users", callback=fail)

    for error, code in ((OSError(errno.ENOSPC, "No space left on device"), 7), (KeyError("a bug"), 1)):
        with monkeypatch.context() as patch:
            patch.setattr("ladderboard.cli.host.users.users", failing(error))
            answered = CliRunner().invoke(cli, ["users"])
        assert answered.exit_code == code
        assert (answered.exception is error) == (code == 1)
    assert explain_system_error(BrokenPipeError(errno.EPIPE, "Broken pipe")) is None
