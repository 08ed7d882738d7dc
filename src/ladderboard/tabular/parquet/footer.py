"""The footer of a Parquet file: how many rows and bytes it declares, found before anything of it is unpacked.

The footer is a Thrift structure in the compact protocol (https://github.com/apache/parquet-format, `parquet.thrift`).
Only what is needed of it is kept; a field of any other kind is read over.
"""

import struct
from dataclasses import dataclass
from typing import Any

TAIL = 8
"""The length of the footer in four bytes, and ``PAR1``."""
BYTES_PER_VALUE = 8
"""What a value takes once it is unpacked, however short a run of equal ones is written."""
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12
_DEEPEST = 32


class FooterError(ValueError):
    """The footer is none."""


@dataclass(frozen=True)
class Declared:
    """What a file says about itself. It may lie, which is why its reader has a limit on memory as well."""

    rows: int
    bytes: int
    """Of its columns unpacked; at least `BYTES_PER_VALUE` for each value."""


def read_footer(data: bytes) -> Declared:
    """The rows and bytes that a file declares; raises `FooterError` where it has no proper footer."""
    if len(data) < TAIL:
        raise FooterError("the file is too short")
    length = struct.unpack("<I", data[-TAIL:-4])[0]
    if length > len(data) - TAIL:
        raise FooterError("the footer is longer than the file")
    try:
        footer = _Compact(data[len(data) - TAIL - length : -TAIL]).structure()
        groups = footer[4]
        chunks = [chunk[3] for group in groups for chunk in group[1]]
        declared = sum(max(chunk[6], BYTES_PER_VALUE * chunk[5]) for chunk in chunks)
        return Declared(rows=max(footer[3], sum(group[3] for group in groups)), bytes=declared)
    except (IndexError, KeyError, TypeError):
        raise FooterError("the footer is broken") from None


class _Compact:
    """A reader of Thrift's compact protocol: structures as dictionaries by field number, lists as lists."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def structure(self, depth: int = 0) -> dict[int, Any]:
        if depth > _DEEPEST:
            raise FooterError("the footer is nested too deeply")
        fields: dict[int, Any] = {}
        number = 0
        while (start := self._byte()) != 0:
            kind = start & 15
            number = number + (start >> 4) if start >> 4 else self._read_signed()
            fields[number] = kind == _TRUE if kind in (_TRUE, _FALSE) else self._value(kind, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (_TRUE, _FALSE, _BYTE):
            return self._byte()
        if kind < _DOUBLE:
            return self._read_signed()
        if kind == _DOUBLE:
            return self._skip(8)
        if kind == _BINARY:
            return self._skip(self._varint())
        if kind in (_LIST, _SET):
            return self._list(depth)
        if kind == _STRUCT:
            return self.structure(depth + 1)
        raise FooterError("the footer has a field of an unknown kind")

    def _list(self, depth: int) -> list[Any]:
        start = self._byte()
        count = start >> 4 if start >> 4 < 15 else self._varint()
        return [self._value(start & 15, depth + 1) for _ in range(self._at_most(count))]

    def _at_most(self, count: int) -> int:
        """Every element takes a byte at least."""
        if count > len(self._data) - self._at:
            raise FooterError("the footer is cut off")
        return count

    def _skip(self, length: int) -> None:
        self._at += self._at_most(length)

    def _byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1]

    def _varint(self) -> int:
        number = shift = 0
        while shift < 70:
            byte = self._byte()
            number |= (byte & 127) << shift
            if byte < 128:
                return number
            shift += 7
        raise FooterError("the footer has a number without an end")

    def _read_signed(self) -> int:
        number = self._varint()
        return (number >> 1) ^ -(number & 1)
