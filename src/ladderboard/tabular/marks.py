"""Where the cells and lines of a block of text end, found by NumPy."""

import numpy as np

from ladderboard.core.records import IntArray

LINE_END, QUOTE = ord("\n"), ord('"')


def normalise_line_ends(text: bytes) -> bytes:
    """The same with LF at the end of every line."""
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return text if text.endswith(b"\n") else text + b"\n"


def find_line_ends(text: bytes, delimiter: int) -> tuple[IntArray, IntArray] | None:
    """The places of all delimiters and line ends, and which of these are line ends; None for unusual quotation marks.

    Usual are pairs around a cell: before the first and after the second there is a delimiter or a line end.
    """
    codes = np.frombuffer(text, dtype=np.uint8)
    if b'"' not in text:
        marks = np.flatnonzero((codes == LINE_END) | (codes == delimiter))
        return marks, np.flatnonzero(codes[marks] == LINE_END)
    marks = np.flatnonzero((codes == LINE_END) | (codes == delimiter) | (codes == QUOTE))
    kinds = codes[marks]
    is_quote = kinds == QUOTE
    is_inside = (np.cumsum(is_quote) & 1).astype(bool)
    quotes = marks[is_quote]
    if len(quotes) % 2 or (is_inside & (kinds == LINE_END)).any():
        return None
    before, after = codes[quotes[::2] - 1], codes[quotes[1::2] + 1]  # text[-1] is a line end too
    if not (((before == LINE_END) | (before == delimiter)) & ((after == LINE_END) | (after == delimiter))).all():
        return None
    marks = marks[~is_quote & ~is_inside]
    return marks, np.flatnonzero(codes[marks] == LINE_END)


def has_return_in_quotes(text: bytes) -> bool:
    """Whether a carriage return is part of a cell, so that `normalise_line_ends` would change it."""
    if b'"' not in text or b"\r" not in text:
        return False
    codes = np.frombuffer(text, dtype=np.uint8)
    kinds = codes[(codes == ord("\r")) | (codes == QUOTE)]
    is_inside = np.cumsum(kinds == QUOTE) & 1
    return bool((is_inside & (kinds != QUOTE)).any())
