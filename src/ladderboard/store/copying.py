"""Rows from one database to another, of any kind, as the databases themselves describe their tables.

Not by `schema`: a backup may be of an older step than the tables this version knows.
"""

from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Any

from sqlalchemy import Column, Connection, MetaData, Table, bindparam, insert, select

from ladderboard.core.errors import DatabaseError
from ladderboard.store.columns import EPOCH
from ladderboard.store.files import Files, digest_of

ROWS_AT_ONCE = 500


def tables_of(source: Connection) -> MetaData:
    """The tables as the database describes them; good for a copy of another kind too."""
    found = MetaData()
    found.reflect(source)
    return found


def copy_rows(tables: MetaData, source: Connection, target: Connection, *, but: Iterable[str]) -> None:
    """Copy every row of every table; in ``target`` they are there and empty."""
    left_out = set(but)
    for table in tables.sorted_tables:
        if table.name not in left_out:
            _copy_table(table, source, target)


def copy_files_into(tables: MetaData, source: Connection, target: Connection, files: Files) -> None:
    """Copy the table of files with the contents, wherever ``files`` keeps them."""
    table = tables.tables["files"]
    for row in _each(source, table):
        content = files.read(row["digest"]) if row["content"] is None else row["content"]
        if digest_of(content) != row["digest"]:
            raise DatabaseError(f"the file {row['digest']} in the database has been changed; restore it from a backup")
        target.execute(insert(table), row | {"content": content})


def copy_files_from(tables: MetaData, source: Connection, target: Connection, files: Files) -> None:
    """Copy the table of files, and hand the contents to ``files`` to be kept in its way."""
    for row in _each(source, tables.tables["files"]):
        if row["content"] is None or digest_of(row["content"]) != row["digest"]:
            raise DatabaseError(f"the backup is damaged: the file {row['digest']} in it is not what was backed up")
        files.put(row["content"])
        stored_at = EPOCH + timedelta(microseconds=row["stored_at"])
        files.record(target, row["digest"], row["content"], stored_at)


def _each(source: Connection, table: Table) -> Iterator[dict[str, Any]]:
    """The rows one by one: a file's content may be as large as memory bears."""
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
    """References within a table come when all its rows are there: a row may refer to a later one."""
    (key,) = table.primary_key
    pairs = source.execute(select(key, column).where(column.is_not(None))).all()
    if pairs:
        refer = table.update().where(key == bindparam("row")).values({column.name: bindparam("to")})
        target.execute(refer, [{"row": row, "to": to} for row, to in pairs])
