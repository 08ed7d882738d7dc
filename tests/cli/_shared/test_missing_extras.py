"""A command whose packages are not installed says which extra has them."""

import subprocess
import sys

import pytest

RUN = "import sys; sys.modules[sys.argv.pop(1)] = None; from ladderboard.cli.main import main; main()"
CHECKOUT = "in Ladderboard's checkout"


def told(missing: str, *command: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-c", RUN, missing, *command], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("missing", "command", "extra"),
    [
        ("sqlalchemy", "users list", "server"),
        ("sqlalchemy", "serve .", "server"),
        ("uvicorn", "demo", "demo"),
        ("dask.distributed", "serve . --scheduler tcp://127.0.0.1:1", "cluster"),
        ("dask.distributed", "worker --scheduler tcp://127.0.0.1:1", "cluster"),
        ("httpx", "ledger verify http://127.0.0.1:9/competitions/x", "client"),
    ],
)
def test_what_to_install_is_told_in_one_sentence(missing: str, command: str, extra: str) -> None:
    found = told(missing, *command.split())
    assert found.returncode == 2
    assert found.stderr == f"Error: this needs {missing}: pip install '.[{extra}]' {CHECKOUT}\n"


def test_what_needs_no_server_works_without_one() -> None:
    for command in ("holdout score --help", "ranks --help", "ledger verify --help", "holdout serve --help"):
        assert told("sqlalchemy", *command.split()).returncode == 0


def test_a_ledger_is_verified_without_the_servers_libraries() -> None:
    found = told("sqlalchemy", "ledger", "verify", "http://127.0.0.1:9/competitions/x")
    assert "cannot read http://127.0.0.1:9" in found.stderr


def test_a_module_of_our_own_that_is_missing_is_no_matter_of_extras() -> None:
    assert "Traceback" in told("ladderboard.server.services", "users", "list").stderr
