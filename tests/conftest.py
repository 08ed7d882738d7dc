"""Databases for tests: real SQLite files and a real PostgreSQL, a fresh one for each test that asks."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ladderboard.store.database import Database
from ladderboard.store.migrations import upgrade
from tests.postgres import EMPTY, HOW_TO_INSTALL, PREPARED, Cluster, binaries

KINDS = ["sqlite", "postgresql"]


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    """A PostgreSQL for the tests of this process, with a database that has our tables to copy from."""
    if binaries() is None:
        pytest.skip(HOW_TO_INSTALL)
    with Cluster() as cluster:
        database = Database(cluster.address(cluster.create(name=PREPARED)))
        upgrade(database)
        database.close()
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
    """The address of a fresh and empty database; a server or `upgrade` makes its tables."""
    if database_kind == "sqlite":
        yield f"sqlite:///{tmp_path / 'fresh.db'}"
    else:
        yield from _a_copy(request.getfixturevalue("postgres"), EMPTY)


@pytest.fixture
def database(database_kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A fresh database with our tables."""
    if database_kind == "sqlite":
        path = tmp_path / "test.db"
        shutil.copy(request.getfixturevalue("prepared_sqlite"), path)
        yield from _opened(f"sqlite:///{path}")
    else:
        for url in _a_copy(request.getfixturevalue("postgres"), PREPARED):
            yield from _opened(url)


def _a_copy(cluster: Cluster, template: str) -> Iterator[str]:
    name = cluster.create(template=template)
    yield cluster.address(name)
    cluster.drop(name)


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
