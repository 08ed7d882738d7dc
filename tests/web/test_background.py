"""What a server process does by itself, beside answering."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest

from ladderboard.server.app.application import _keep_schedule
from ladderboard.server.db.database import Database
from ladderboard.server.db.files import SMALL_BYTES, FolderFiles
from ladderboard.server.services import Services
from tests.hosting.competitions import a_competition
from tests.web.servers import a_host


class Passes(Event):
    """Lets the schedule run so many times and then stops it, without waiting."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.left = count

    def wait(self, timeout: float | None = None) -> bool:
        self.left -= 1
        return self.left < 0


@pytest.fixture
def services(prepared_sqlite: Path, tmp_path: Path) -> Iterator[Services]:
    shutil.copy(prepared_sqlite, tmp_path / "server.db")
    database = Database(f"sqlite:///{tmp_path / 'server.db'}")
    yield a_host(database, tmp_path, a_competition())
    database.close()


def test_a_server_removes_files_that_were_never_recorded_once_a_day(services: Services) -> None:
    assert isinstance(services.files, FolderFiles)
    stray, new = (services.files.path(services.files.put(letter * (SMALL_BYTES + 1))) for letter in (b"a", b"b"))
    os.utime(stray, (0, 0))
    _keep_schedule(services, Passes(0))
    assert stray.exists()
    _keep_schedule(services, Passes(1))
    assert not stray.exists()
    assert new.exists()
