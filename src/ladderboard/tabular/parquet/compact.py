"""A reader of Thrift's compact protocol, in which a Parquet file describes itself.

Reference: https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
"""

from typing import Any

_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12
_DEEPEST = 32


class FooterError(ValueError):
    """What a file says about itself cannot be read."""


class Compact:
    """Structures as dictionaries by field number, lists as lists; text is read over. ``at`` is where the next begins.

    Raises `FooterError`, and `IndexError` where the data ends.
    """

    def __init__(self, data: bytes, at: int = 0) -> None:
        self._data, self.at = data, at

    def structure(self, depth: int = 0) -> dict[int, Any]:
        """Read a structure."""
        if depth > _DEEPEST:
            raise FooterError("the structure is nested too deeply")
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
        raise FooterError("a field is of an unknown kind")

    def _list(self, depth: int) -> list[Any]:
        start = self._byte()
        count = start >> 4 if start >> 4 < 15 else self._varint()
        return [self._value(start & 15, depth + 1) for _ in range(self._at_most(count))]

    def _at_most(self, count: int) -> int:
        """Every element takes a byte at least."""
        if count > len(self._data) - self.at:
            raise FooterError("the structure is cut off")
        return count

    def _skip(self, length: int) -> None:
        self.at += self._at_most(length)

    def _byte(self) -> int:
        self.at += 1
        return self._data[self.at - 1]

    def _varint(self) -> int:
        number = shift = 0
        while shift < 70:
            byte = self._byte()
            number |= (byte & 127) << shift
            if byte < 128:
                return number
            shift += 7
        raise FooterError("a number has no end")

    def _read_signed(self) -> int:
        number = self._varint()
        return (number >> 1) ^ -(number & 1)
