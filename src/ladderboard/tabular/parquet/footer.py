"""How much a Parquet file unpacks to, found from its footer and the headers of its pages before anything is unpacked.

A footer may lie, but whoever unpacks a page reserves what its own header says, and no more: both are counted, and the
greater one holds. Reference: https://github.com/apache/parquet-format, `parquet.thrift`.
"""

import struct
from dataclasses import dataclass
from typing import Any

from ladderboard.tabular.parquet.compact import Compact, FooterError

TAIL = 8
"""The length of the footer in four bytes, and ``PAR1``."""
BYTES_PER_VALUE = 8
"""What a value takes once it is unpacked, however short a run of equal ones is written."""
MOST_PAGES = 50_000
"""A file of a million rows and ten columns has about 500."""
_DATA_PAGES = {0: (5, 2), 3: (8, 4)}
"""By the type of a page: the field of its own header, and the field of the encoding in that."""
_DELTA_BYTE_ARRAY = 7
"""Each text says how much of the one before it repeats: a few bytes may stand for any number."""


class UnmeasurableError(ValueError):
    """A page is written so that its size is not known before it is unpacked."""


@dataclass(frozen=True)
class Declared:
    """What a file says about itself."""

    rows: int
    bytes: int
    """Of its columns unpacked."""


def read_footer(data: bytes) -> Declared:
    """The rows and bytes that a file declares; raises `FooterError` and `UnmeasurableError`."""
    if len(data) < TAIL:
        raise FooterError("the file is too short")
    length = struct.unpack("<I", data[-TAIL:-4])[0]
    if length > len(data) - TAIL:
        raise FooterError("the footer is longer than the file")
    try:
        return _measure(Compact(data[len(data) - TAIL - length : -TAIL]).structure(), _Pages(data))
    except (IndexError, KeyError, TypeError, AttributeError):
        raise FooterError("the footer is broken") from None


def _measure(footer: dict[int, Any], pages: "_Pages") -> Declared:
    groups = footer[4]
    widths = [max(BYTES_PER_VALUE, leaf.get(2, 0)) for leaf in footer[2][1:] if not leaf.get(5)]
    declared = 0
    for group in groups:
        if len(group[1]) != len(widths):
            raise FooterError("a group of rows does not have the columns of the file")
        for width, chunk in zip(widths, group[1], strict=True):
            column = chunk[3]
            size, values = pages.measure(start=column.get(11, column[9]), length=column[7], values=column[5])
            declared += max(column[6], size, width * max(column[5], values, group[3]))
    return Declared(rows=max(footer[3], sum(group[3] for group in groups)), bytes=declared)


class _Pages:
    """The headers of the pages, each of which stands before its page."""

    def __init__(self, data: bytes) -> None:
        self._data, self._count = data, 0

    def measure(self, *, start: int, length: int, values: int) -> tuple[int, int]:
        """The bytes and values of the pages from ``start`` on, up to the number of values that the footer gives."""
        at, size, seen = start, 0, 0
        while at < start + length and not (seen and seen == values):
            header, at = self._read(at)
            size += header[2]
            if header[1] in _DATA_PAGES:
                fields, encoding = _DATA_PAGES[header[1]]
                seen += header[fields][1]
                if header[fields][encoding] == _DELTA_BYTE_ARRAY:
                    raise UnmeasurableError
        return size, seen

    def _read(self, at: int) -> tuple[dict[int, Any], int]:
        """The header at this place, and the place of the next one."""
        self._count += 1
        if self._count > MOST_PAGES:
            raise FooterError("there are too many pages")
        reader = Compact(self._data, at)
        header = reader.structure()
        if at < 0 or header[2] < 0 or header[3] < 0:
            raise FooterError("a page has a negative size")
        return header, reader.at + header[3]
