"""A server for a test: SQLite, two small competitions, real sockets."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ladderboard.server.db.database import Database
from tests.hosting.competitions import a_competition
from tests.web.servers import Server, a_host, serving


@pytest.fixture
def server(prepared_sqlite: Path, tmp_path: Path) -> Iterator[Server]:
    """A server of the competition `pets`."""
    path = tmp_path / "server.db"
    shutil.copy(prepared_sqlite, path)
    database = Database(f"sqlite:///{path}")
    with serving(a_host(database, tmp_path, a_competition())) as running:
        yield running
    database.close()
