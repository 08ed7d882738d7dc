"""A copy of everything in one file, made while the server runs; and a server's data made again from it.

The copy is a SQLite database with the same tables at the same step (see `migrations`), whichever database it was made
from, and has the submitted files in it: what was backed up on SQLite can be restored to PostgreSQL and back.
It holds all secrets, passwords' hashes too, and is readable by its owner only.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import Connection, create_engine, select, text, update
from sqlalchemy.exc import DatabaseError as SqliteError

from ladderboard.core.errors import DatabaseError
from ladderboard.store import copying, ledger
from ladderboard.store.database import Database
from ladderboard.store.files import Files
from ladderboard.store.migrations import VERSION_TABLE, known_revisions, revision_of, upgrade, upgrade_within
from ladderboard.store.schema import competitions, metadata

EPOCHS_BEGIN = datetime(2020, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Copied:
    """How much there was."""

    competitions: int
    teams: int
    submissions: int
    files: int


def backup(database: Database, files: Files, to: Path) -> Copied:
    """Copy the database as it is at this moment, and every file it refers to, into the new file ``to``.

    Nobody has to wait meanwhile. The file appears when it is whole; raises `DatabaseError` where that is not possible.
    """
    if to.exists():
        raise DatabaseError(f"{to} exists already; give the backup another name")
    if database.is_sqlite and not Path(str(database.url.database)).exists():
        raise DatabaseError(f"there is no database {database.url.database}; say where it is with --data or --database")
    with _arriving(to) as path, database.reading() as source:
        revision = revision_of(source)
        if revision is None:
            raise DatabaseError("there is nothing to back up: no server has used this database yet")
        return _write(source, files, path, revision=revision)


def restore(backup_file: Path, database: Database, files: Files) -> Copied:
    """Fill an empty database, and the place of its files, from a backup; all or nothing.

    What was scored after the backup is lost, and its numbers were seen. So that none of those draws is ever made
    again for another submission, noise is drawn from a new epoch from here on, and the ledger says so.
    """
    with _opened(backup_file) as old, database.reshaping() as new:
        _refuse_what_is_not_empty(new)
        upgrade_within(new, to=_known_revision(old, backup_file))
        tables = copying.tables_of(old)
        copying.copy_files_from(tables, old, new, files)
        copying.copy_rows(tables, old, new, but={"files", VERSION_TABLE})
        upgrade_within(new)
        _begin_epoch(database, new)
        return _count(new)


def _write(source: Connection, files: Files, path: Path, *, revision: str) -> Copied:
    target = Database(f"sqlite:///{path}")
    try:
        upgrade(target, to=revision)
        with target.reshaping() as connection:
            tables = copying.tables_of(source)
            copying.copy_files_into(tables, source, connection, files)
            copying.copy_rows(tables, source, connection, but={"files", VERSION_TABLE})
            copied = _count(connection)
        with target.engine.connect() as connection:
            # One file, which can be read where nothing can be written.
            connection.exec_driver_sql("PRAGMA journal_mode=DELETE")
    finally:
        target.close()
    return copied


@contextmanager
def _arriving(to: Path) -> Iterator[Path]:
    """A path beside ``to`` that becomes ``to`` when the block is done, durably; nothing stays where it fails."""
    path = to.with_name(f".{to.name}.arriving")
    to.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))
    try:
        yield path
        _sync(path)
        os.link(path, to)  # unlike a renaming it never replaces what somebody else has put there
        _sync(to.parent)
    finally:
        for end in ("", "-wal", "-shm"):
            path.with_name(path.name + end).unlink(missing_ok=True)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _opened(backup_file: Path) -> Iterator[Connection]:
    if not backup_file.is_file():
        raise DatabaseError(f"there is no file {backup_file}")
    engine = create_engine(f"sqlite:///file:{quote(str(backup_file.absolute()))}?mode=ro&uri=true")
    try:
        with engine.connect() as connection:
            try:
                sound = connection.scalar(text("PRAGMA quick_check")) == "ok"
            except SqliteError:
                sound = False
            if not sound:
                raise DatabaseError(f"{backup_file} is not a backup, or it is damaged")
            yield connection
    finally:
        engine.dispose()


def _known_revision(old: Connection, backup_file: Path) -> str:
    revision = revision_of(old)
    if revision is None:
        raise DatabaseError(f"{backup_file} is a SQLite file, but no backup that Ladderboard made")
    if revision not in known_revisions():
        raise DatabaseError(
            f"{backup_file} is at revision {revision}, which this version of Ladderboard does not know: a newer "
            "version made this backup; install that version to restore it"
        )
    return revision


def _refuse_what_is_not_empty(new: Connection) -> None:
    if revision_of(new) is None:
        return
    found = copying.tables_of(new)
    for table in found.sorted_tables:
        if table.name != VERSION_TABLE and new.execute(select(table).limit(1)).first() is not None:
            raise DatabaseError(
                f"the database to restore to is not empty, there are rows in {table.name}; "
                "give a new --data folder, or a new database"
            )
    for table in reversed(found.sorted_tables):
        table.drop(new)


def _begin_epoch(database: Database, new: Connection) -> None:
    now = database.now(new)
    # By the clock, and not one more than before: the same backup may be restored again.
    by_clock = int((now - EPOCHS_BEGIN).total_seconds())
    for row in new.execute(select(competitions.c.slug, competitions.c.noise_epoch)).all():
        epoch = max(row.noise_epoch + 1, by_clock)
        new.execute(update(competitions).where(competitions.c.slug == row.slug).values(noise_epoch=epoch))
        ledger.append(new, row.slug, kind="restored", at=now, body={"noise_epoch": epoch})


def _count(connection: Connection) -> Copied:
    def rows(table: str) -> int:
        return int(connection.scalar(text(f"SELECT count(*) FROM {metadata.tables[table].name}")) or 0)  # noqa: S608

    return Copied(rows("competitions"), rows("teams"), rows("submissions"), rows("files"))
