"""Backups: all data in one file, written while the server runs, and restored from it.

A backup is a SQLite database at the same revision (see `migrations`), whichever database it was made from, and
contains the submitted files: a backup of SQLite can be restored to PostgreSQL and back. It contains all secrets,
password hashes included, and only its owner can read it.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Column, Connection, MetaData, Table, bindparam, create_engine, insert, select, text, update
from sqlalchemy.exc import DatabaseError as SqliteError

from ladderboard.core.errors import DamagedFileError, DatabaseError
from ladderboard.server.db.columns import EPOCH
from ladderboard.server.db.database import Database
from ladderboard.server.db.files import Files, digest_of, record_without_content
from ladderboard.server.db.migrations import VERSION_TABLE, list_revisions, read_revision, upgrade, upgrade_within
from ladderboard.server.db.rows import ledger
from ladderboard.server.db.schema import competitions, metadata

EPOCHS_BEGIN = datetime(2020, 1, 1, tzinfo=UTC)
ROWS_AT_ONCE = 500


@dataclass(frozen=True)
class BackupSummary:
    """The numbers of rows in a backup."""

    competitions: int
    teams: int
    submissions: int
    files: int
    lost: tuple[str, ...] = ()
    """The digests of the files whose content is missing or damaged; everything else is there."""


def write_backup(database: Database, files: Files, to: Path) -> BackupSummary:
    """Copy the database as it is now, and every file it refers to, into the new file ``to``.

    The server keeps running. The file appears when it is complete; raises `DatabaseError` if it cannot be written.
    A damaged file of a submission does not stop it: the summary names those whose content is lost.
    """
    if to.exists():
        raise DatabaseError(f"{to} already exists; give the backup another name")
    if database.is_sqlite and not Path(str(database.url.database)).exists():
        raise DatabaseError(f"there is no database {database.url.database}; say where it is with --data or --database")
    with _write_beside(to) as path, database.reading() as source:
        revision = read_revision(source)
        if revision is None:
            raise DatabaseError("there is nothing to back up: no server has used this database yet")
        return _write(source, files, path, revision=revision)


def restore_backup(backup_file: Path, database: Database, files: Files) -> BackupSummary:
    """Fill an empty database, and its file storage, from a backup; all or nothing.

    Submissions scored after the backup are lost, but their scores were shown. Noise is therefore drawn from a new
    epoch from now on, so that no draw is ever used for another submission, and the ledger says so.
    """
    with _open(backup_file) as old, database.reshaping() as new:
        _refuse_nonempty(new)
        upgrade_within(new, to=_read_revision(old, backup_file))
        tables = _reflect_tables(old)
        lost = _copy_files_from(tables, old, new, files)
        _copy_rows(tables, old, new, but={"files", VERSION_TABLE})
        upgrade_within(new)
        _begin_epoch(database, new)
        return replace(_count(new), lost=lost)


def _write(source: Connection, files: Files, path: Path, *, revision: str) -> BackupSummary:
    target = Database(f"sqlite:///{path}")
    try:
        upgrade(target, to=revision)
        with target.reshaping() as connection:
            tables = _reflect_tables(source)
            lost = _copy_files_into(tables, source, connection, files)
            _copy_rows(tables, source, connection, but={"files", VERSION_TABLE})
            copied = replace(_count(connection), lost=lost)
        with target.engine.connect() as connection:
            # One file, which can be read where nothing can be written.
            connection.exec_driver_sql("PRAGMA journal_mode=DELETE")
    finally:
        target.close()
    return copied


@contextmanager
def _write_beside(to: Path) -> Iterator[Path]:
    """A path beside ``to`` that durably becomes ``to`` when the block succeeds; nothing remains if it fails."""
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
def _open(backup_file: Path) -> Iterator[Connection]:
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


def _read_revision(old: Connection, backup_file: Path) -> str:
    revision = read_revision(old)
    if revision is None:
        raise DatabaseError(f"{backup_file} is a SQLite file, but not a backup made by Ladderboard")
    if revision not in list_revisions():
        raise DatabaseError(
            f"{backup_file} is at revision {revision}, which this version of Ladderboard does not know: a newer "
            "version made this backup; install that version to restore it"
        )
    return revision


def _refuse_nonempty(new: Connection) -> None:
    if read_revision(new) is None:
        return
    found = _reflect_tables(new)
    for table in found.sorted_tables:
        if table.name != VERSION_TABLE and new.execute(select(table).limit(1)).first() is not None:
            raise DatabaseError(
                f"the database to restore to is not empty: {table.name} has rows; "
                "give a new --data folder, or a new database"
            )
    for table in reversed(found.sorted_tables):
        table.drop(new)


def _begin_epoch(database: Database, new: Connection) -> None:
    now = database.now(new)
    # By the clock, not by adding one: the same backup may be restored again.
    by_clock = int((now - EPOCHS_BEGIN).total_seconds())
    for row in new.execute(select(competitions.c.slug, competitions.c.noise_epoch)).all():
        epoch = max(row.noise_epoch + 1, by_clock)
        new.execute(update(competitions).where(competitions.c.slug == row.slug).values(noise_epoch=epoch))
        ledger.append(new, row.slug, kind="restored", at=now, body={"noise_epoch": epoch})


def _count(connection: Connection) -> BackupSummary:
    def rows(table: str) -> int:
        return int(connection.scalar(text(f"SELECT count(*) FROM {metadata.tables[table].name}")) or 0)  # noqa: S608

    return BackupSummary(rows("competitions"), rows("teams"), rows("submissions"), rows("files"))


# -- copying ----------------------------------------------------------------------------------------------------------
# By the tables as the databases describe them, not by `schema`: a backup may have an older revision.


def _reflect_tables(source: Connection) -> MetaData:
    """Read the tables as the database describes them."""
    found = MetaData()
    found.reflect(source)
    return found


def _copy_rows(tables: MetaData, source: Connection, target: Connection, *, but: Iterable[str]) -> None:
    """Copy every row of every table to the empty tables of ``target``."""
    left_out = set(but)
    for table in tables.sorted_tables:
        if table.name not in left_out:
            _copy_table(table, source, target)


def _copy_files_into(tables: MetaData, source: Connection, target: Connection, files: Files) -> tuple[str, ...]:
    """Copy the table of files with their contents, wherever ``files`` keeps them; returns those that are lost."""
    table = tables.tables["files"]
    lost = []
    for row in _read_each(source, table):
        content = row["content"]
        try:
            if content is None or digest_of(content) != row["digest"]:
                content = files.read(row["digest"])
        except DamagedFileError:
            content = None
            lost.append(row["digest"])
        target.execute(insert(table), row | {"content": content})
    return tuple(lost)


def _copy_files_from(tables: MetaData, source: Connection, target: Connection, files: Files) -> tuple[str, ...]:
    """Copy the table of files, and give the contents to ``files`` to store; returns those that the backup lacks."""
    lost = []
    for row in _read_each(source, tables.tables["files"]):
        stored_at = EPOCH + timedelta(microseconds=row["stored_at"])
        if row["content"] is None:
            record_without_content(target, row["digest"], row["size"], stored_at)
            lost.append(row["digest"])
            continue
        if digest_of(row["content"]) != row["digest"]:
            raise DatabaseError(f"the backup is damaged: the file {row['digest']} in it is not what was backed up")
        files.put(row["content"])
        files.record(target, row["digest"], row["content"], stored_at)
    return tuple(lost)


def read_file_of_backup(backup_file: Path, digest: str) -> bytes | None:
    """The content of a file in a backup; None where the backup does not have it whole."""
    with _open(backup_file) as old:
        table = _reflect_tables(old).tables["files"]
        content = old.scalar(select(table.c.content).where(table.c.digest == digest))
    return None if content is None or digest_of(content) != digest else bytes(content)


def _read_each(source: Connection, table: Table) -> Iterator[dict[str, Any]]:
    """Read rows one by one: a file may be large."""
    key = next(iter(table.primary_key))
    for one in source.scalars(select(key)).all():
        yield dict(source.execute(select(table).where(key == one)).mappings().one())


def _copy_table(table: Table, source: Connection, target: Connection) -> None:
    within = [column for column in table.columns if any(key.column.table is table for key in column.foreign_keys)]
    found = source.execute(select(table), execution_options={"yield_per": ROWS_AT_ONCE})
    for part in found.mappings().partitions():
        target.execute(insert(table), [dict(row) | {column.name: None for column in within} for row in part])
    for column in within:
        _copy_references(table, column, source, target)


def _copy_references(table: Table, column: Column[Any], source: Connection, target: Connection) -> None:
    """Copy references within a table after all its rows: a row may refer to a later one."""
    (key,) = table.primary_key
    pairs = source.execute(select(key, column).where(column.is_not(None))).all()
    if pairs:
        refer = table.update().where(key == bindparam("row")).values({column.name: bindparam("to")})
        target.execute(refer, [{"row": row, "to": to} for row, to in pairs])
