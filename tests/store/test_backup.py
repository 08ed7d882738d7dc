"""Backups: of one moment while the server runs, portable between the databases, and restored all or nothing."""

import shutil
import sqlite3
import stat
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from sqlalchemy import event, inspect, select

from ladderboard.core.errors import DatabaseError
from ladderboard.server.db.backup import restore_backup, write_backup
from ladderboard.server.db.database import Database
from ladderboard.server.db.file_checks import check_files, mend_file
from ladderboard.server.db.files import Files, FolderFiles
from ladderboard.server.db.migrations import VERSION_TABLE, upgrade
from ladderboard.server.db.schema import competitions, ledger, submissions
from ladderboard.server.db.schema import files as files_table
from ladderboard.server.services import files_for
from ladderboard.server.settings import Settings
from tests.conftest import lend_empty
from tests.contracts.store_cases import Served, everything
from tests.postgres import EMPTY, Cluster
from tests.store.history import with_history

CHANGED = {"competitions", "ledger", "files"}


@pytest.fixture(autouse=True)
def large_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file is large enough for the folder, so that both ways of keeping are backed up."""
    monkeypatch.setattr("ladderboard.server.services.SMALL_BYTES", 0)


@pytest.fixture
def served(database: Database, tmp_path: Path) -> Served:
    return with_history(database, tmp_path / "data")


@pytest.fixture(scope="module")
def made(prepared_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A backup; it is not to be changed."""
    folder = tmp_path_factory.mktemp("made")
    shutil.copy(prepared_sqlite, folder / "x.db")
    database = Database(f"sqlite:///{folder}/x.db")
    write_backup(database, with_history(database, folder).live.files, folder / "x.backup")
    database.close()
    return folder / "x.backup"


@pytest.fixture
def empty(empty_url: str) -> Iterator[Database]:
    database = Database(empty_url)
    yield database
    database.close()


def files_in(folder: Path, database: Database, keep: Any = "auto") -> Files:
    return files_for(Settings(data=folder, keep_files=keep), database)


def restored_epoch(path: Path, folder: Path, moment: datetime) -> int:
    database = Database(f"sqlite:///{folder}/x.db", clock=lambda: moment)
    restore_backup(path, database, files_in(folder, database))
    with database.reading() as connection:
        epoch = connection.scalar(select(competitions.c.noise_epoch))
    database.close()
    assert isinstance(epoch, int)
    return epoch


def test_everything_comes_back(served: Served, empty: Database, tmp_path: Path) -> None:
    copied = write_backup(served.database, served.live.files, tmp_path / "x.backup")
    assert (copied.competitions, copied.teams, copied.submissions, copied.files) == (1, 2, 6, 5)
    assert restore_backup(tmp_path / "x.backup", empty, files_in(tmp_path / "again", empty)) == copied
    before, after = everything(served.database), everything(empty)
    for table in before:
        if table not in CHANGED:
            assert after[table] == before[table], table
    again = Served(empty, tmp_path / "again")
    with empty.reading() as connection:
        for digest in connection.scalars(select(submissions.c.file_digest)):
            assert again.live.files.read(digest) == served.live.files.read(digest)


@pytest.mark.parametrize(("other_kind", "keep"), [("sqlite", "database"), ("postgresql", "folder")])
def test_a_backup_moves_between_the_databases(
    served: Served, other_kind: str, keep: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    write_backup(served.database, served.live.files, tmp_path / "x.backup")
    if other_kind == "sqlite":
        url = f"sqlite:///{tmp_path}/other.db"
    else:
        cluster: Cluster = request.getfixturevalue("postgres")
        name = cluster.lend(EMPTY)
        request.addfinalizer(lambda: cluster.give_back(name, EMPTY))
        url = cluster.address(name)
    other = Database(url)
    request.addfinalizer(other.close)
    restore_backup(tmp_path / "x.backup", other, files_in(tmp_path / "other", other, keep))
    assert everything(other)["submissions"] == everything(served.database)["submissions"]
    contents = [row[2] for row in everything(other)["files"]]
    assert all((content is None) == (keep == "folder") for content in contents)


def test_the_restored_server_goes_on_with_fresh_noise_and_a_ledger_that_says_so(
    served: Served, empty: Database, tmp_path: Path
) -> None:
    write_backup(served.database, served.live.files, tmp_path / "x.backup")
    lost = served.send("b", 20).content["release"]
    restore_backup(tmp_path / "x.backup", empty, files_in(tmp_path / "again", empty))
    again = Served(empty, tmp_path / "again")
    answer = again.send("b", 20)
    assert answer.content["release"]["attempt"] == lost["attempt"] == 3
    with empty.reading() as connection:
        stored = connection.execute(select(submissions).order_by(submissions.c.number)).all()
        (entry,) = connection.execute(select(ledger).where(ledger.c.kind == "restored")).all()
    assert [row.noise_epoch for row in stored[:-1]] == [0] * 6
    assert stored[-1].noise_epoch == entry.body["noise_epoch"] > 0
    again.check(acknowledged=[answer.content])


def test_no_two_restores_share_an_epoch(made: Path, tmp_path: Path) -> None:
    moments = [datetime(2026, 3, 1, 12, 0, second, tzinfo=UTC) for second in range(3)]
    epochs = [restored_epoch(made, tmp_path / str(moment.second), moment) for moment in moments]
    assert len({0, *epochs}) == 4
    # Nor where the clock stands wrong.
    second = Database(f"sqlite:///{tmp_path}/2/x.db")
    write_backup(second, files_in(tmp_path / "2", second), tmp_path / "y.backup")
    second.close()
    assert restored_epoch(tmp_path / "y.backup", tmp_path / "wrong", datetime(1990, 1, 1, tzinfo=UTC)) > max(epochs)


def test_a_backup_is_of_one_moment_while_the_server_runs(served: Served, empty: Database, tmp_path: Path) -> None:
    names = [f"team-{number}" for number in range(3)]
    served.add_teams(*names)
    with ThreadPoolExecutor(3) as pool:
        playing = [pool.submit(served.send_all, name, range(30 + place, 120, 6)) for place, name in enumerate(names)]
        copies = [
            write_backup(served.database, served.live.files, tmp_path / f"{number}.backup") for number in range(2)
        ]
        sent = sum(len(one.result()) for one in playing)
    assert 6 <= copies[0].submissions <= copies[1].submissions <= 6 + sent
    restore_backup(tmp_path / "1.backup", empty, files_in(tmp_path / "again", empty))
    Served(empty, tmp_path / "again").check(acknowledged=[])


class FaultError(Exception):
    """What a test lets happen."""


class Statements:
    """Counts what is written to a database, and fails at the statement of a wanted number."""

    def __init__(self, database: Database) -> None:
        self.count, self.fail_at = 0, 0
        event.listen(database.engine, "before_cursor_execute", self._see)

    def _see(self, _connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if statement.startswith(("INSERT", "UPDATE")):
            self.count += 1
            if self.count == self.fail_at:
                raise FaultError


@pytest.fixture
def writes(made: Path, database_kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> int:
    """How many statements of a restore write: not as many on each kind of database."""
    [count] = (_count_writes(made, url, tmp_path) for url in lend_empty(database_kind, request, tmp_path / "dry.db"))
    return count


def _count_writes(made: Path, url: str, folder: Path) -> int:
    database = Database(url)
    statements = Statements(database)
    restore_backup(made, database, files_in(folder / "dry", database))
    database.close()
    return statements.count


def test_a_fault_anywhere_in_a_restore_leaves_the_database_empty(
    made: Path, empty: Database, writes: int, tmp_path: Path
) -> None:
    files, statements = files_in(tmp_path / "again", empty), Statements(empty)
    for fail_at in (1, writes // 2, writes):
        statements.count, statements.fail_at = 0, fail_at
        with pytest.raises(FaultError):
            restore_backup(made, empty, files)
        with empty.reading() as connection:
            assert inspect(connection).get_table_names() == []
    statements.fail_at = 0
    assert restore_backup(made, empty, files).submissions == 6


def test_a_database_in_use_is_not_restored_over(served: Served, made: Path) -> None:
    before = everything(served.database)
    with pytest.raises(DatabaseError, match=r"is not empty: .* has rows; give a new --data folder"):
        restore_backup(made, served.database, served.live.files)
    assert everything(served.database) == before


def test_tables_without_rows_are_as_good_as_empty(made: Path, empty: Database, tmp_path: Path) -> None:
    upgrade(empty)
    assert restore_backup(made, empty, files_in(tmp_path / "again", empty)).submissions == 6


def test_a_backup_replaces_nothing_and_is_for_its_owner_only(served: Served, tmp_path: Path) -> None:
    path = tmp_path / "folder" / "x.backup"
    write_backup(served.database, served.live.files, path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    content = path.read_bytes()
    with pytest.raises(DatabaseError, match="already exists; give the backup another name"):
        write_backup(served.database, served.live.files, path)
    assert path.read_bytes() == content
    assert list(path.parent.iterdir()) == [path]


def damage_one(served: Served) -> str:
    """The digest of the file that is damaged now."""
    with served.database.transaction() as connection:
        digest = str(connection.scalar(select(files_table.c.digest).order_by(files_table.c.digest).limit(1)))
        connection.execute(files_table.update().where(files_table.c.digest == digest).values(size=1))
        if isinstance(served.live.files, FolderFiles):
            served.live.files.path(digest).write_bytes(b"x")
        else:
            connection.execute(files_table.update().where(files_table.c.digest == digest).values(content=b"x"))
    return digest


def test_a_damaged_file_stops_no_backup_and_is_named(served: Served, empty: Database, tmp_path: Path) -> None:
    digest = damage_one(served)
    whole = write_backup(served.database, served.live.files, tmp_path / "x.backup")
    assert whole.lost == (digest,)
    files = files_in(tmp_path / "again", empty)
    restored = restore_backup(tmp_path / "x.backup", empty, files)
    assert restored == whole
    assert [one.digest for one in check_files(empty, files) if one.problem is not None] == [digest]


def test_damaged_files_are_found_and_mended_from_a_backup(served: Served, tmp_path: Path) -> None:
    files = served.live.files
    write_backup(served.database, files, tmp_path / "x.backup")
    assert {one.problem for one in check_files(served.database, files)} == {None}
    digest = damage_one(served)
    (found,) = [one for one in check_files(served.database, files) if one.problem is not None]
    assert found.digest == digest
    assert found.problem is not None
    assert "has been changed" in found.problem
    assert mend_file(served.database, files, digest, tmp_path / "x.backup")
    assert not mend_file(served.database, files, "0" * 64, tmp_path / "x.backup")
    assert {one.problem for one in check_files(served.database, files)} == {None}


def test_a_backup_that_fails_leaves_no_file(served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ladderboard.server.db.backup._count", Mock(side_effect=DatabaseError("the disk is full")))
    with pytest.raises(DatabaseError, match="the disk is full"):
        write_backup(served.database, served.live.files, tmp_path / "folder" / "x.backup")
    assert list((tmp_path / "folder").iterdir()) == []


def test_there_is_nothing_to_back_up_before_the_first_server(empty: Database, tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match=r"there is no database .*--data|there is nothing to back up"):
        write_backup(empty, files_in(tmp_path, empty), tmp_path / "folder" / "x.backup")
    assert not (tmp_path / "empty.db").exists()


def damaged_row(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE files SET content = substr(content, 2)")
    connection.close()


def without_our_tables(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute(f"DROP TABLE {VERSION_TABLE}")
    connection.close()


def of_the_future(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute(f"UPDATE {VERSION_TABLE} SET version_num = '9999'")
    connection.close()


def cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:50_000])


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (damaged_row, "the backup is damaged: the file [0-9a-f]{64} in it is not what was backed up"),
        (without_our_tables, "is a SQLite file, but not a backup made by Ladderboard"),
        (of_the_future, "a newer version made this backup"),
        (cut_off, "is not a backup, or it is damaged"),
        (lambda path: path.write_text("id,label\n"), "is not a backup, or it is damaged"),
        (Path.unlink, "there is no file"),
    ],
)
def test_what_is_no_sound_backup_is_refused_and_leaves_nothing(
    made: Path, empty: Database, tmp_path: Path, damage: Callable[[Path], None], words: str
) -> None:
    path = tmp_path / "x.backup"
    shutil.copy(made, path)
    damage(path)
    with pytest.raises(DatabaseError, match=words):
        restore_backup(path, empty, files_in(tmp_path / "again", empty))
    with empty.reading() as connection:
        assert inspect(connection).get_table_names() == []


def test_a_backup_can_be_read_where_nothing_can_be_written(made: Path, tmp_path: Path) -> None:
    path = tmp_path / "folder" / "x.backup"
    path.parent.mkdir()
    shutil.copy(made, path)
    content = path.read_bytes()
    assert content[18:20] == b"\x01\x01"  # not WAL, which needs files beside it
    other = Database(f"sqlite:///{tmp_path}/other.db")
    restore_backup(path, other, files_in(tmp_path / "other", other))
    other.close()
    assert path.read_bytes() == content
    assert list(path.parent.iterdir()) == [path]
