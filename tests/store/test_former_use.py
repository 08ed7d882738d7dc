"""A database that was used and is gone: no server begins anew in its place unasked."""

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ladderboard.core.errors import DatabaseError
from ladderboard.server.db.database import Database
from ladderboard.server.db.former_use import note_use, refuse_lost
from ladderboard.server.db.migrations import upgrade
from ladderboard.server.operations.backups import restore_backup, write_backup
from ladderboard.server.services import open_database, open_services
from ladderboard.server.settings import Settings


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """The settings of a server that has run, and of which the database is lost; a backup lies beside its folder."""
    used = Settings(data=tmp_path / "data")
    open_services(used, []).close()
    write_backup(used, tmp_path / "monday.backup")
    for file in used.data.glob("ladderboard.db*"):
        if file.suffix != ".used":
            file.unlink()
    return used


def leave_note(place: Path) -> None:
    note_use(Database(f"sqlite:///{place}"))


def leave_second_file(place: Path) -> None:
    place.with_name(place.name + "-wal").touch()


def leave_a_file(place: Path) -> None:
    (place.parent / "files" / "ab").mkdir(parents=True)


@pytest.mark.parametrize("leave", [leave_note, leave_second_file, leave_a_file])
def test_each_trace_of_a_server_is_enough(tmp_path: Path, leave: Callable[[Path], None]) -> None:
    place = tmp_path / "ladderboard.db"
    database = Database(f"sqlite:///{place}")
    refuse_lost(database, files=tmp_path / "files", option="--data folder")
    leave(place)
    with pytest.raises(DatabaseError, match=r"is missing, but a server has used it: .* is still there"):
        refuse_lost(database, files=tmp_path / "files", option="--data folder")
    assert not place.exists()


def test_a_server_whose_database_is_lost_starts_only_elsewhere_or_restored(settings: Settings, tmp_path: Path) -> None:
    for begin in (lambda: open_services(settings, []), open_database(settings).__enter__):
        with pytest.raises(DatabaseError, match=r"`ladderboard restore BACKUP`.* give a new --data folder$"):
            begin()
    open_services(Settings(data=tmp_path / "new"), []).close()
    restore_backup(settings, tmp_path / "monday.backup")
    open_services(settings, []).close()


def test_the_second_file_of_a_lost_database_does_not_reach_the_restored_one(tmp_path: Path) -> None:
    lost, settings = tmp_path / "lost.db", Settings(data=tmp_path / "data")
    open_services(settings, []).close()
    write_backup(settings, tmp_path / "x.backup")
    connection = sqlite3.connect(lost)
    connection.executescript("PRAGMA journal_mode=WAL; CREATE TABLE strange (x)")
    remains = lost.with_name("lost.db-wal").read_bytes()
    connection.close()
    place = tmp_path / "again" / "ladderboard.db"
    place.parent.mkdir()
    place.with_name("ladderboard.db-wal").write_bytes(remains)
    restore_backup(Settings(data=place.parent), tmp_path / "x.backup")
    with sqlite3.connect(place) as restored:
        tables = {name for (name,) in restored.execute("SELECT name FROM sqlite_master")}
    assert "strange" not in tables
    assert "competitions" in tables


def test_a_database_of_former_versions_gets_the_note_at_its_next_start(settings: Settings) -> None:
    note = settings.data / "ladderboard.db.used"
    note.unlink()
    open_services(settings, []).close()
    assert note.read_text() == (
        "A server has kept its data in ladderboard.db, beside this file. Without that file it does not begin anew by "
        "itself.\n"
    )
    assert note.stat().st_mode & 0o777 == 0o600


def test_a_named_database_is_told_apart_from_the_files_of_another(tmp_path: Path) -> None:
    (tmp_path / "data" / "files" / "ab").mkdir(parents=True)
    named = Settings(data=tmp_path / "data", database=f"sqlite:///{tmp_path}/named.db")
    open_services(named, []).close()
    (tmp_path / "named.db").unlink()
    with pytest.raises(DatabaseError, match=r"give a new --database$"):
        open_services(named, [])


def test_a_server_that_begins_beside_another_one_is_not_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one makes database and note at the worst moment: when the first look has found neither."""
    database, exists = Database(f"sqlite:///{tmp_path}/server.db"), Path.exists

    def begin_meanwhile(path: Path) -> bool:
        found = exists(path)
        if path.suffix == ".used":
            monkeypatch.undo()
            upgrade(database)
            note_use(database)
        return found

    monkeypatch.setattr(Path, "exists", begin_meanwhile)
    refuse_lost(database, files=None, option="")
    assert exists(tmp_path / "server.db.used")


def test_a_file_that_another_server_begins_in_is_not_taken_for_an_emptied_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "server.db"
    place.touch()
    monkeypatch.setattr(time, "sleep", lambda _: place.write_bytes(b"SQLite format 3\0"))
    refuse_lost(Database(f"sqlite:///{place}"), files=None, option="")
    assert place.stat().st_size
