"""Where the cells and lines of a block of text may end, found by NumPy."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ladderboard.core.records import IntArray

FEED, RETURN, QUOTE = b'\n\r"'


def normalise_line_ends(text: bytes) -> bytes:
    """The same with LF at the end of every line."""
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return text if text.endswith(b"\n") else text + b"\n"


@dataclass(frozen=True, eq=False)
class Marks:
    """The delimiters, quotation marks and line ends of a block of whole lines."""

    codes: npt.NDArray[np.uint8]
    """The text, which ends with a line end."""
    delimiter: int
    places: IntArray
    """Where a mark is; of CR LF, where the CR is."""
    is_end: npt.NDArray[np.bool_]
    """Whether a mark is a line end."""
    is_quote: npt.NDArray[np.bool_]

    @cached_property
    def ends(self) -> IntArray:
        """Where lines end."""
        return self.places[self.is_end]

    @cached_property
    def line_starts(self) -> IntArray:
        """Where lines start, and at last where the text ends."""
        after = self.ends + 1
        if self.has_returns:
            after += (self.codes[self.ends] == RETURN) & (np.append(self.codes, 0)[after] == FEED)
        return np.append(0, after)

    @cached_property
    def has_returns(self) -> bool:
        return bool((self.codes == RETURN).any())

    @cached_property
    def lines(self) -> IntArray:
        """The line that each mark is on, from 0."""
        return np.cumsum(self.is_end) - self.is_end

    def ends_cell(self, codes: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
        """Whether each of some letters is a delimiter or part of a line end."""
        return np.asarray((codes == self.delimiter) | (codes == FEED) | (codes == RETURN))


def find_marks(text: bytes, delimiter: int) -> Marks:
    """The marks of some whole lines; only the last one may lack its end."""
    text = text if text.endswith((b"\n", b"\r")) else text + b"\n"
    codes = np.frombuffer(text, dtype=np.uint8)
    is_end = codes == FEED
    if b"\r" in text:
        is_return = codes == RETURN
        is_end[1:] &= ~is_return[:-1]
        is_end |= is_return
    is_mark = is_end | (codes == delimiter)
    if b'"' in text:
        is_mark |= codes == QUOTE
    places = np.flatnonzero(is_mark)
    return Marks(codes, delimiter, places, is_end[places], codes[places] == QUOTE)
