"""A file's bytes → blocks of whole lines, each line of bounded length and with its number."""

import codecs
from collections.abc import Iterator
from io import StringIO

from ladderboard.core.sizes import MEBIBYTE
from ladderboard.tabular.encoding import add_lines_that_are_no_text, count_lines, is_text, refuse_wide_or_binary
from ladderboard.tabular.problems import Kind, Problems

LONGEST_LINE = MEBIBYTE
"""And about the size of a block: enough to make up for a call of polars, and little beside a file."""
SAMPLE = 1 << 16


class UnreadableError(Exception):
    """Nothing can be read from here on; never leaves this package."""

    def __init__(self, kind: Kind, sentence: str, line: int) -> None:
        super().__init__(kind, sentence, line)
        self.kind, self.sentence, self.line = kind, sentence, line


class Lines:
    """The lines of a file that have not been read yet.

    Raises `UnreadableError` at a line without an end, `SubmissionError` with every line that is no text.
    """

    def __init__(self, pieces: Iterator[bytes], problems: Problems) -> None:
        self._pieces, self._problems = pieces, problems
        self._rest, self._text = b"", StringIO()
        self.number = 1
        """Of the next line."""
        self._fill()
        refuse_wide_or_binary(self._rest, problems)
        self._rest = self._rest.removeprefix(codecs.BOM_UTF8)
        self.sample = self._rest[:SAMPLE]
        """The start of the file."""

    def read_block(self) -> bytes:
        """The next lines, nothing at the end of the file; whoever reads them counts them in ``number``."""
        return self._text.read().encode() or self._next_block()

    def read_line(self) -> str:
        """The next line with its end, as the csv module wants it; nothing at the end of the file."""
        line = self._text.readline()
        if not line:
            self._text = StringIO(self.read_block().decode(), newline="")
            line = self._text.readline()
        self.number += bool(line)
        return line

    def _next_block(self) -> bytes:
        block = self._cut()
        if not is_text(block):
            while block:
                add_lines_that_are_no_text(block, self.number, self._problems)
                self.number += count_lines(block)
                block = self._cut()
            raise self._problems.error()
        return block

    def _cut(self) -> bytes:
        end = self._fill()
        block, self._rest = self._rest[:end], self._rest[end:]
        return block

    def _fill(self) -> int:
        """Read on, and find where the last whole line ends."""
        is_over = False
        while len(self._rest) <= LONGEST_LINE and not is_over:
            piece = next(self._pieces, b"")
            self._rest, is_over = self._rest + piece, not piece
        end = 0
        while len(self._rest) - end > LONGEST_LINE:
            found = _find_last_end(self._rest, end, end + LONGEST_LINE)
            if not found:
                words = "the line has more than 1 MiB; this is not a table"
                raise UnreadableError("long_line", words, self.number + count_lines(self._rest, 0, end))
            end = found
        return len(self._rest) if is_over else _find_last_end(self._rest, end, len(self._rest)) or end


def _find_last_end(data: bytes, start: int, stop: int) -> int:
    """The place after the last line end in a part, 0 if there is none; a CR at its end may have its LF beyond."""
    return max(data.rfind(b"\n", start, stop), data.rfind(b"\r", start, stop - 1)) + 1
