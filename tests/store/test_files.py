"""Kept files: whole or not at all, found by their digest, checked when read."""

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread

import pytest
from sqlalchemy import select

from ladderboard.core.errors import DamagedFileError
from ladderboard.server.db.database import Database
from ladderboard.server.db.files import Files, FolderFiles, TableFiles, digest_of
from ladderboard.server.db.schema import files as table
from ladderboard.server.services import files_for
from ladderboard.server.settings import Settings

NOW = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.fixture(params=["folder", "database"])
def files(request: pytest.FixtureRequest, database: Database, tmp_path: Path) -> Files:
    return files_for(Settings(data=tmp_path / "data", keep_files=request.param), database)


@pytest.fixture
def folder_files(database: Database, tmp_path: Path) -> FolderFiles:
    return FolderFiles(database, tmp_path / "data" / "files")


def keep(files: Files, database: Database, content: bytes) -> str:
    digest = files.put(content)
    with database.transaction() as connection:
        files.record(connection, digest, content, NOW)
    return digest


@pytest.mark.parametrize("content", [b"", b"id,label\n1,0\n", bytes(range(256)) * 5000], ids=["empty", "csv", "binary"])
def test_what_is_kept_is_read_back(files: Files, database: Database, content: bytes) -> None:
    digest = keep(files, database, content)
    assert files.read(digest) == content
    assert digest == digest_of(content)


def test_the_same_content_is_kept_once(files: Files, database: Database) -> None:
    assert keep(files, database, b"same") == keep(files, database, b"same")
    with database.reading() as connection:
        assert [row.size for row in connection.execute(select(table))] == [4]


def test_what_was_rolled_back_is_not_recorded(files: Files, database: Database) -> None:
    digest = files.put(b"lost")

    def fail_after_recording() -> None:
        with database.transaction() as connection:
            files.record(connection, digest, b"lost", NOW)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_after_recording()
    with database.reading() as connection:
        assert connection.execute(select(table)).all() == []


def test_an_unknown_digest_is_a_clear_error(files: Files) -> None:
    with pytest.raises(DamagedFileError, match=r"is missing; `ladderboard verify-files"):
        files.read("0" * 64)


def test_a_changed_file_is_never_read(folder_files: FolderFiles, database: Database) -> None:
    digest = keep(folder_files, database, b"id,label\n1,0\n")
    folder_files.path(digest).write_bytes(b"id,label\n1,1\n")
    with pytest.raises(DamagedFileError, match="has been changed; `ladderboard verify-files"):
        folder_files.read(digest)


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(b"id,label\n")], ids=["lost", "cut"])
def test_a_damaged_file_is_mended_by_the_next_that_is_the_same(
    folder_files: FolderFiles, database: Database, damage: Callable[[Path], None]
) -> None:
    content = b"id,label\n1,0\n"
    digest = keep(folder_files, database, content)
    damage(folder_files.path(digest))
    with pytest.raises(DamagedFileError) as caught:
        folder_files.read(digest)
    assert caught.value.digest == digest
    assert list(folder_files.damaged) == [digest]
    assert keep(folder_files, database, content) == digest
    assert folder_files.read(digest) == content
    assert not folder_files.damaged


def test_damaged_files_are_looked_at_seldom_and_one_that_still_is_ends_it(
    folder_files: FolderFiles, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    contents = [b"of team %d" % number for number in range(4)]
    digests = [keep(folder_files, database, one) for one in contents]
    for one in digests:
        folder_files.path(one).write_bytes(b"")
        with pytest.raises(DamagedFileError):
            folder_files.read(one)
    looked: list[str] = []
    read = folder_files._read_stored

    def note_and_read(digest: str) -> bytes | None:
        looked.append(digest)
        return read(digest)

    monkeypatch.setattr(folder_files, "_read_stored", note_and_read)
    assert [folder_files.count_damaged(now) for now in (100.0, 100.1, 104.9)] == [4, 4, 4]
    assert looked == digests[:1]
    for one, content in zip(digests[1:], contents[1:], strict=True):
        folder_files.path(one).write_bytes(content)
    assert [folder_files.count_damaged(now) for now in (104.9, 105.0)] == [4, 1]
    assert looked == [digests[0], *digests[1:], digests[0]]
    folder_files.path(digests[0]).write_bytes(contents[0])
    assert folder_files.count_damaged(110.0) == 0


def test_known_content_is_written_as_fresh_content_is(
    folder_files: FolderFiles, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the time that a submission takes would tell whether another team has sent the same bytes."""
    synced: list[int] = []
    monkeypatch.setattr("os.fsync", synced.append)
    keep(folder_files, database, b"of the first team")
    synced.clear()
    keep(folder_files, database, b"of the second team")
    fresh = len(synced)
    synced.clear()
    keep(folder_files, database, b"of the second team")
    assert len(synced) == fresh > 0


def test_a_changed_row_is_mended_by_the_next_that_is_the_same(database: Database) -> None:
    files = TableFiles(database)
    digest = keep(files, database, b"id,label\n1,0\n")
    with database.transaction() as connection:
        connection.execute(table.update().values(content=b"id,label\n1,1\n"))
    keep(files, database, b"id,label\n1,0\n")
    assert files.read(digest) == b"id,label\n1,0\n"


def test_a_changed_row_is_never_read(database: Database) -> None:
    files = TableFiles(database)
    digest = keep(files, database, b"id,label\n1,0\n")
    with database.transaction() as connection:
        connection.execute(table.update().values(content=b"id,label\n1,1\n"))
    with pytest.raises(DamagedFileError, match="has been changed"):
        files.read(digest)


def test_files_go_to_the_folder_with_sqlite_and_to_the_database_with_postgresql(
    database: Database, tmp_path: Path
) -> None:
    files = files_for(Settings(data=tmp_path), database)
    assert isinstance(files, FolderFiles if database.is_sqlite else TableFiles)


def test_a_file_appears_whole_or_not_at_all(folder_files: FolderFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.fsync

    def fail(_handle: int) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    folder_files.path(digest_of(b"x")).parent.mkdir(parents=True)
    with pytest.raises(OSError, match="no space"):
        folder_files.put(b"x")
    monkeypatch.setattr(os, "fsync", real)
    assert list(folder_files.folder.rglob("*.*")) == []
    assert not folder_files.path(digest_of(b"x")).exists()
    folder_files.put(b"x")
    assert folder_files.read(digest_of(b"x")) == b"x"


def test_a_file_and_its_name_are_on_disk_before_it_is_relied_on(
    folder_files: FolderFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    real = os.fsync

    def note(handle: int) -> None:
        synced.append(Path(f"/proc/self/fd/{handle}").resolve().name[:9])
        real(handle)

    monkeypatch.setattr(os, "fsync", note)
    digest = folder_files.put(b"x")
    assert synced[-2:] == [".arriving", digest[:2]]
    assert synced[:-2] == [folder_files.folder.parent.parent.name[:9], "data", "files"]
    synced.clear()
    folder_files.put(b"x")
    assert synced == [".arriving", digest[:2]]


def test_a_sweep_removes_only_what_was_never_recorded(folder_files: FolderFiles, database: Database) -> None:
    kept, orphan = keep(folder_files, database, b"kept"), folder_files.put(b"orphan")
    assert folder_files.sweep() == 0
    assert folder_files.sweep(unrecorded_for=timedelta(seconds=-1)) == 1
    assert folder_files.read(kept) == b"kept"
    assert not folder_files.path(orphan).exists()


def test_what_an_interrupted_writer_left_is_swept_after_a_day(folder_files: FolderFiles) -> None:
    left = folder_files.path(folder_files.put(b"x")).with_name(".arriving-0123")
    left.write_bytes(b"half")
    folder_files.sweep(unrecorded_for=timedelta(seconds=-1))
    assert left.exists()
    os.utime(left, (0, 0))
    folder_files.sweep()
    assert not left.exists()


def test_a_sweep_between_putting_and_recording_loses_nothing(folder_files: FolderFiles, database: Database) -> None:
    digest = folder_files.put(b"x")
    assert folder_files.sweep(unrecorded_for=timedelta(seconds=-1)) == 1
    with database.transaction() as connection:
        folder_files.record(connection, digest, b"x", NOW)
    assert folder_files.read(digest) == b"x"


def test_sweeping_all_the_time_loses_nothing_of_what_is_kept(folder_files: FolderFiles, database: Database) -> None:
    contents = [f"file {number}".encode() for number in range(40)]
    done: list[str] = []

    def keep_all() -> None:
        done.extend(keep(folder_files, database, content) for content in contents)

    keeping = Thread(target=keep_all)
    keeping.start()
    while keeping.is_alive():
        folder_files.sweep(unrecorded_for=timedelta(seconds=-1))
    assert [folder_files.read(digest) for digest in done] == contents


def test_small_files_lie_in_the_table_and_large_ones_in_the_folder(database: Database, tmp_path: Path) -> None:
    files = FolderFiles(database, tmp_path / "files", small=10)
    for content in (b"0123456789", b"0123456789+"):
        digest = files.put(content)
        with database.transaction() as connection:
            files.record(connection, digest, content, datetime(2027, 1, 1, tzinfo=UTC))
        assert files.read(digest) == content
        assert files.path(digest).exists() == (len(content) > 10)
