"""Rows made into frozen records: nothing above the SQL ever sees a row."""

from collections.abc import Hashable, Iterable
from dataclasses import fields
from functools import lru_cache
from typing import Any, TypeVar, cast

from sqlalchemy import Result, Row, Select, Table, select

Record = TypeVar("Record")


def make_record(kind: type[Record], row: Row[*tuple[Any, ...]]) -> Record:
    """The record of that kind from the columns of a row that have its fields' names; other columns are left out."""
    mapping = row._mapping
    return kind(*(mapping[name] for name in _names(cast(Hashable, kind))))


def find_record(kind: type[Record], result: Result[*tuple[Any, ...]]) -> Record | None:
    """The record of the only row of a result; None where it has none."""
    row = result.one_or_none()
    return None if row is None else make_record(kind, row)


def make_records(kind: type[Record], rows: Iterable[Row[*tuple[Any, ...]]]) -> list[Record]:
    """One record for each row."""
    return [make_record(kind, row) for row in rows]


def select_fields(kind: type[Record], table: Table) -> Select[Any]:
    """Select the columns of a table that a record of that kind has fields for."""
    return select(*(table.c[name] for name in _names(cast(Hashable, kind))))


@lru_cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))
