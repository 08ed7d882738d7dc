"""Whole lines → the same cells in bare text, one row in each line.

Quotation marks around cells, blanks around numbers and blank lines are gone, decimal commas are points. That is done
for all lines of a block at once, and only where it is so simple that it cannot be done in two ways.
"""

import csv
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ladderboard.core.records import IntArray
from ladderboard.tabular.marks import FEED, QUOTE, normalise_line_ends

BLANK, COMMA, ZERO = b" ,0"
PIECE = 1 << 16
"""What is looked through at once: so little stays in a processor's cache."""
_POINTS = bytes.maketrans(b",", b".")

Codes = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class BareText:
    """Rows without wrappings."""

    text: bytes
    starts: IntArray | None = None
    """The line on which each row started, from 0; None where every line was a row."""
    lines: int = 0
    """How many there were, if not every one was a row."""
    blank: int = 0
    """How many of them were blank."""


def make_bare(
    text: bytes, delimiter: int, *, of_numbers: bool, find_decimal_commas: Callable[[], bool]
) -> BareText | None:
    r"""The rows of a block; None where they cannot be told from here.

    ``of_numbers``: whether every cell should be a number, around which blanks and line ends mean nothing.

    >>> make_bare(b'1; "2,5"\r\n"3"; 4 ', ord(";"), of_numbers=True, find_decimal_commas=lambda: True).text
    b'1;2.5\n3;4\n'
    """
    text = normalise_line_ends(text)
    strips = of_numbers and delimiter != BLANK
    has_blanks = strips and b" " in text
    if has_blanks and not _are_around_cells(text, delimiter):
        return None
    within = _find_line_ends_in_cells(text, delimiter, strips=strips) if b'"' in text else None
    if within is None and b'"' in text:
        return None
    bare = text
    if within is not None:
        bare = _blank_out(text, within).translate(None, b'" ' if strips else b'"')
    elif has_blanks:
        bare = text.translate(None, b" ")
    if of_numbers and delimiter != COMMA and b"," in bare:
        if not (_are_between_digits(bare) and find_decimal_commas()):
            return None
        bare = bare.translate(_POINTS)
    if (within is None or not len(within)) and not _has_blank_lines(bare):
        return BareText(bare)
    return _drop_blank_lines(bare, text, np.empty(0, dtype=np.intp) if within is None else within)


def _are_around_cells(text: bytes, delimiter: int) -> bool:
    """Whether all blanks are at the start or the end of a cell or a line."""
    codes = np.frombuffer(text, dtype=np.uint8)
    is_blank = codes == BLANK
    edges = np.flatnonzero(is_blank[1:] != is_blank[:-1])[int(is_blank[0]) :]
    before, after = codes.take(edges[::2]), codes.take(edges[1::2] + 1)
    return bool((_find_ends(before, delimiter) | _find_ends(after, delimiter)).all())


def _find_line_ends_in_cells(text: bytes, delimiter: int, *, strips: bool) -> IntArray | None:
    """Where line ends are the last letters of quoted cells; None where a quotation mark does not start or end a cell.

    Nor may such a cell have other line ends, quotation marks or a delimiter in it. With ``strips``, there may be a
    blank before its first quotation mark, which is then a letter: such a cell ends with the line, and is never empty.
    """
    codes = np.frombuffer(text, dtype=np.uint8)
    places = np.flatnonzero(_find_ends(codes, delimiter) | (codes == QUOTE))
    quotes = np.flatnonzero(codes.take(places) == QUOTE)
    if len(quotes) % 2:
        return None
    distances = quotes[1::2] - quotes[::2]
    opening, closing = places.take(quotes[::2]), places.take(quotes[1::2])
    before, after = codes.take(opening - 1, mode="wrap"), codes.take(closing + 1)
    is_right = _find_ends(before, delimiter) & (distances <= (2 if strips else 1))
    if strips:
        is_right |= (before == BLANK) & (distances == 1) & (closing > opening + 1)
    within = closing[distances == 2] - 1
    is_right[distances == 2] &= codes.take(within) == FEED
    is_short = (closing - opening).max() - 1 <= csv.field_size_limit()
    return within if is_short and is_right.all() and _find_ends(after, delimiter).all() else None


def _blank_out(text: bytes, places: IntArray) -> bytes:
    if not len(places):
        return text
    codes = np.frombuffer(text, dtype=np.uint8).copy()
    codes[places] = BLANK
    return codes.tobytes()


def _has_blank_lines(text: bytes) -> bool:
    """Whether a line has nothing in it."""
    codes = np.frombuffer(text, dtype=np.uint8)
    pieces = (codes[start : start + PIECE + 1] == FEED for start in range(0, len(codes), PIECE))
    return text.startswith(b"\n") or any((is_feed[1:] & is_feed[:-1]).any() for is_feed in pieces)


def _drop_blank_lines(bare: bytes, text: bytes, within: IntArray) -> BareText | None:
    """The rows of bare text, and on which lines of the block they started; ``within``: its line ends in cells."""
    ends = np.flatnonzero(np.frombuffer(text, dtype=np.uint8) == FEED)
    closes_row = np.ones(len(ends), dtype=bool)
    closes_row[np.searchsorted(ends, within)] = False
    starts = np.append(0, np.flatnonzero(closes_row)[:-1] + 1)
    codes = np.frombuffer(bare, dtype=np.uint8)
    bare_ends = np.flatnonzero(codes == FEED)
    is_blank = np.diff(bare_ends, prepend=-1) == 1
    is_kept = np.ones(len(codes), dtype=bool)
    is_kept[bare_ends[is_blank]] = False
    left = codes[is_kept].tobytes()
    return BareText(left, starts[~is_blank], len(ends), int(is_blank.sum())) if left else None


def _are_between_digits(text: bytes) -> bool:
    """Whether each comma is."""
    codes = np.frombuffer(text, dtype=np.uint8)
    is_digit = codes - np.uint8(ZERO) < 10
    is_comma = codes == COMMA
    is_comma[1:-1] &= ~(is_digit[:-2] & is_digit[2:])
    return not is_comma.any()


def _find_ends(codes: Codes, delimiter: int) -> Flags:
    """Whether each letter ends a cell."""
    return np.asarray((codes == FEED) | (codes == delimiter))
