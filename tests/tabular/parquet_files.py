"""Parquet files written byte by byte: what no library writes, or what says something else than it holds.

Reference: https://github.com/apache/parquet-format, `parquet.thrift`.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

INT64, BYTE_ARRAY, FIXED_LEN_BYTE_ARRAY = 2, 6, 7
PLAIN, DELTA_BYTE_ARRAY, RLE_DICTIONARY = 0, 7, 8
_I32, _TEXT, _LIST, _STRUCT = 5, 8, 9, 12


@dataclass(frozen=True)
class Column:
    """A column without missing cells, in a page, or in several alike; with ``dictionary``, values are places in it."""

    name: str
    physical: int
    content: bytes
    encoding: int = PLAIN
    width: int = 0
    dictionary: bytes = b""
    pages: int = 1
    declared: dict[str, int] = field(default_factory=dict)
    """What the footer and the header of the page say instead of the truth: ``values``, ``size``, ``page_values``."""


def write_parquet(rows: int, columns: Sequence[Column]) -> bytes:
    """Write a file of one group of rows."""
    body, chunks = b"PAR1", []
    for column in columns:
        start = len(body)
        if column.dictionary:
            inner = _structure({1: 1, 2: PLAIN})
            body += _page(2, column.dictionary, {7: inner})
        data_start = len(body)
        values = column.declared.get("page_values", rows)
        body += _page(0, column.content, {5: _structure({1: values, 2: column.encoding, 3: 3, 4: 3})}) * column.pages
        chunks.append(_structure({2: start, 3: _describe(column, rows, start, data_start, len(body))}))
    group = _structure({1: chunks, 2: len(body), 3: rows})
    footer = _structure(
        {1: 1, 2: [_structure({4: "schema", 5: len(columns)}), *map(_name, columns)], 3: rows, 4: [group]}
    )
    return body + footer.content + struct.pack("<I", len(footer.content)) + b"PAR1"


def repeat(place: int, times: int) -> bytes:
    """A page of a dictionary's column: one place, so many times."""
    return bytes([8]) + varint(times << 1) + bytes([place])


def varint(number: int) -> bytes:
    """A number in groups of seven bits."""
    groups = []
    while True:
        groups.append(number & 127)
        number >>= 7
        if not number:
            return bytes([*(group | 128 for group in groups[:-1]), groups[-1]])


@dataclass(frozen=True)
class _Structure:
    content: bytes


def _describe(column: Column, rows: int, start: int, data_start: int, end: int) -> _Structure:
    size = column.declared.get("size", end - start)
    fields: dict[int, Any] = {1: column.physical, 2: [column.encoding], 3: [column.name], 4: 0}
    fields |= {5: column.declared.get("values", rows), 6: size, 7: end - start, 9: data_start}
    return _structure(fields | ({11: start} if column.dictionary else {}))


def _page(kind: int, content: bytes, inner: dict[int, Any]) -> bytes:
    return _structure({1: kind, 2: len(content), 3: len(content), **inner}).content + content


def _name(column: Column) -> _Structure:
    return _structure({1: column.physical, **({2: column.width} if column.width else {}), 3: 0, 4: column.name})


def _structure(fields: dict[int, Any]) -> _Structure:
    content, before = b"", 0
    for number, value in fields.items():
        content += bytes([(number - before) << 4 | _kind(value)]) + _encode(value)
        before = number
    return _Structure(content + b"\0")


def _kind(value: Any) -> int:
    return {int: _I32 + 1, str: _TEXT, list: _LIST, _Structure: _STRUCT}[type(value)]


def _encode(value: Any) -> bytes:
    if isinstance(value, int):
        return varint(value << 1 if value >= 0 else ~(value << 1))
    if isinstance(value, str):
        return varint(len(value)) + value.encode()
    if isinstance(value, list):
        start = bytes([len(value) << 4 | _kind(value[0])]) if len(value) < 15 else bytes([240 | _kind(value[0])])
        return start + (varint(len(value)) if len(value) >= 15 else b"") + b"".join(map(_encode, value))
    assert isinstance(value, _Structure)
    return value.content
