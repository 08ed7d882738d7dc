"""Databases for tests: real SQLite files and a real PostgreSQL, a fresh one for each test that asks.

Generated examples are the same in every run, and however busy the machine is they may take their time: a test fails for
what it tests alone. `--hypothesis-profile default` searches for new ones.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from ladderboard.server.db.database import Database
from ladderboard.server.db.migrations import upgrade
from tests.postgres import EMPTY, HOW_TO_INSTALL, PREPARED, Cluster, binaries

KINDS = ["sqlite", "postgresql"]

settings.register_profile(
    "steady", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("steady")


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    """A PostgreSQL for the tests of this process, with a database that has our tables to copy from."""
    if binaries() is None:
        pytest.skip(HOW_TO_INSTALL)
    with Cluster() as cluster:
        cluster.prepare()
        yield cluster


@pytest.fixture(scope="session")
def prepared_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file that has our tables, to copy from."""
    path = tmp_path_factory.mktemp("prepared") / "prepared.db"
    database = Database(f"sqlite:///{path}")
    upgrade(database)
    database.close()
    return path


@pytest.fixture(params=KINDS)
def database_kind(request: pytest.FixtureRequest) -> str:
    """Either kind of database, one after the other."""
    return str(request.param)


@pytest.fixture
def database_url(database_kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a fresh database that has our tables and no rows."""
    if database_kind == "sqlite":
        yield _copied(request, tmp_path / "fresh.db")
    else:
        yield from _lent(request, PREPARED)


@pytest.fixture
def empty_url(database_kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a database without any tables; on SQLite not even the file is there."""
    yield from lend_empty(database_kind, request, tmp_path / "empty.db")


def lend_empty(kind: str, request: pytest.FixtureRequest, path: Path) -> Iterator[str]:
    """The address of a database without any tables, until the test has ended; ``path`` is SQLite's."""
    if kind == "sqlite":
        yield f"sqlite:///{path}"
    else:
        yield from _lent(request, EMPTY)


@pytest.fixture
def database(database_kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A fresh database with our tables and no rows; not the one of `database_url`."""
    if database_kind == "sqlite":
        yield from _opened(_copied(request, tmp_path / "test.db"))
    else:
        for url in _lent(request, PREPARED):
            yield from _opened(url)


def _copied(request: pytest.FixtureRequest, path: Path) -> str:
    shutil.copy(request.getfixturevalue("prepared_sqlite"), path)
    return f"sqlite:///{path}"


def _lent(request: pytest.FixtureRequest, template: str) -> Iterator[str]:
    cluster: Cluster = request.getfixturevalue("postgres")
    name = cluster.lend(template)
    yield cluster.address(name)
    cluster.give_back(name, template)


def _opened(url: str) -> Iterator[Database]:
    database = Database(url)
    yield database
    database.close()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say it at the end, where it is seen: half of the promises were not tried."""
    skipped = [one.nodeid for one in terminalreporter.stats.get("skipped", []) if HOW_TO_INSTALL in str(one.longrepr)]
    if skipped:
        terminalreporter.section("tests that need PostgreSQL were skipped", yellow=True)
        for nodeid in sorted(skipped):
            terminalreporter.line(nodeid)
        terminalreporter.line(f"{len(skipped)} tests were skipped: {HOW_TO_INSTALL}", yellow=True)
