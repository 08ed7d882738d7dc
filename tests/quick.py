"""The quick tier, ``make quick``: every test that starts no process, browser or server and opens no database.

A pytest plugin. Nobody keeps a list of tests: one whose fixtures come from a database is left out, and one that starts
a process, listens on a port or opens the store is skipped at the moment it tries. Seeded claims, the laboratory
and the planner, which simulate for minutes, are left out too.
"""

import socket
import sys
import threading
from collections.abc import Iterator
from typing import NoReturn

import pytest

from ladderboard.server.db.database import Database

DATABASES = {"prepared_sqlite", "postgres", "database_kind"}
"""The fixtures behind every database."""
EVENTS = {"subprocess.Popen", "os.fork", "os.posix_spawn", "socket.bind"}
"""What Python announces before it starts a process or a server."""
SIMULATIONS = ("tests/lab/", "tests/planning/")

_is_testing = False


def pytest_configure() -> None:
    sys.addaudithook(_skip_processes)
    pytest.MonkeyPatch().setattr(Database, "__init__", _skip_store)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    left_out = [item for item in items if _is_left_out(item)]
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=left_out)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Iterator[None]:
    global _is_testing  # noqa: PLW0603 (an audit hook cannot be taken back)
    _is_testing = True
    try:
        return (yield)
    finally:
        _is_testing = False


def _is_left_out(item: pytest.Item) -> bool:
    needs_a_database = bool(DATABASES & set(getattr(item, "fixturenames", ())))
    return needs_a_database or item.get_closest_marker("claim") is not None or item.nodeid.startswith(SIMULATIONS)


def _skip_processes(event: str, arguments: tuple[object, ...]) -> None:
    if _is_testing and event in EVENTS and threading.current_thread() is threading.main_thread():
        for argument in arguments:
            if isinstance(argument, socket.socket):
                argument.close()  # who made it expects no exception but its own
        _skip(event)


def _skip_store(*_: object, **__: object) -> NoReturn:
    _skip("a database")


def _skip(what: str) -> NoReturn:
    pytest.skip(f"not in the quick tier: {what}")
