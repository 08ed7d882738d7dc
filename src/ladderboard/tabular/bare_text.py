"""Whole lines → the same cells in bare text: without quotation marks and blanks around them, with decimal points.

That is done for all lines of a block at once, and only where it is so simple that it cannot be done in two ways.
"""

import csv
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ladderboard.tabular.marks import FEED, QUOTE, normalise_line_ends

BLANK, COMMA, ZERO = b" ,0"
_POINTS = bytes.maketrans(b",", b".")

Codes = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]


def make_bare(
    text: bytes, delimiter: int, *, of_numbers: bool, find_decimal_commas: Callable[[], bool]
) -> bytes | None:
    r"""The same cells, one row in each line; None where that cannot be told from here.

    ``of_numbers``: whether every cell should be a number, around which blanks mean nothing.

    >>> make_bare(b'1; "2,5"\r\n"3"; 4 ', ord(";"), of_numbers=True, find_decimal_commas=lambda: True)
    b'1;2.5\n3;4\n'
    """
    text = normalise_line_ends(text)
    has_quotes, has_blanks = b'"' in text, of_numbers and delimiter != BLANK and b" " in text
    if has_blanks and not _are_around_cells(text, delimiter):
        return None
    if has_quotes and not _enclose_cells(text, delimiter, after_blanks=has_blanks):
        return None
    if has_quotes or has_blanks:
        text = text.translate(None, b'" ' if has_blanks else b'"')
    if of_numbers and delimiter != COMMA and b"," in text:
        return text.translate(_POINTS) if _are_between_digits(text) and find_decimal_commas() else None
    return text


def _are_around_cells(text: bytes, delimiter: int) -> bool:
    """Whether each blank is the first or the last letter of a cell."""
    codes = np.frombuffer(text, dtype=np.uint8)
    ends_cell = _find_ends(codes, delimiter)
    is_inner = codes == BLANK
    is_inner[:-1] &= ~ends_cell[1:]
    is_inner[1:] &= ~ends_cell[:-1]
    return not is_inner[1:].any()


def _enclose_cells(text: bytes, delimiter: int, *, after_blanks: bool) -> bool:
    """Whether each quotation mark starts or ends a cell in which there are no others, no delimiter and no line end."""
    codes = np.frombuffer(text, dtype=np.uint8)
    places = np.flatnonzero(_find_ends(codes, delimiter) | (codes == QUOTE))
    quotes = np.flatnonzero(codes.take(places) == QUOTE)
    if len(quotes) % 2 or not np.array_equal(quotes[::2] + 1, quotes[1::2]):
        return False
    opening, closing = places.take(quotes[::2]), places.take(quotes[1::2])
    before, after = codes.take(opening - 1, mode="wrap"), codes.take(closing + 1)
    starts_cell = _find_ends(before, delimiter)
    if after_blanks:
        starts_cell |= before == BLANK
    is_short = (closing - opening).max() - 1 <= csv.field_size_limit()
    return bool(is_short and starts_cell.all() and _find_ends(after, delimiter).all())


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
