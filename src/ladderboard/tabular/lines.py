"""A file's bytes → blocks of whole lines, each line of bounded length and with its number."""

import codecs
import re
from collections.abc import Iterator

from ladderboard.core.sizes import MEBIBYTE
from ladderboard.tabular.encoding import add_lines_that_are_no_text, count_lines, is_text, refuse_wide_or_binary
from ladderboard.tabular.problems import Kind, Problems

LONGEST_LINE = MEBIBYTE
"""And the size of a block that is cut into cells, which takes a hundred times as much memory."""
MOST = 4
"""Times that size is a block that is not: the larger, the fewer calls of polars, which begin slowly."""
SAMPLE = 1 << 16
_LINE = re.compile(rb"[^\r\n]*(?:\r\n?|\n)?")


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
        self._data, self._at, self._end = b"", 0, 0
        """What has been read of the file; where the next line starts, and where the last whole one ends."""
        self.number = 1
        """Of the next line."""
        self._fill()
        refuse_wide_or_binary(self._data, problems)
        self._at = len(codecs.BOM_UTF8) if self._data.startswith(codecs.BOM_UTF8) else 0
        self.sample = self._data[self._at : self._at + SAMPLE]
        """The start of the file."""
        self._check()

    def peek(self, times: int = 1) -> bytes:
        """The next lines, at most so many times the longest one; nothing at the end of the file."""
        self._read_on()
        most = self._at + times * LONGEST_LINE
        return self._data[self._at : self._end if self._end <= most else _find_last_end(self._data, self._at, most)]

    def skip(self, block: bytes, count: int) -> None:
        """Go on behind a block of so many lines, which has been seen."""
        self._at += len(block)
        self.number += count

    def read_block(self) -> bytes:
        """The next lines, nothing at the end of the file; whoever reads them counts them in ``number``."""
        block = self.peek()
        self.skip(block, 0)
        return block

    def read_line(self) -> str:
        """The next line with its end, as the csv module wants it; nothing at the end of the file."""
        self._read_on()
        found = _LINE.match(self._data, self._at, self._end)
        line = found[0] if found else b""
        self.skip(line, bool(line))
        return line.decode()

    def _read_on(self) -> None:
        if self._at == self._end:
            self._fill()
            self._check()

    def _check(self) -> None:
        """Refuse the file if there is a line that is no text."""
        if is_text(self._data) or is_text(self._data[self._at : self._end]):
            return
        while self._at < self._end:
            block = self._data[self._at : self._end]
            add_lines_that_are_no_text(block, self.number, self._problems)
            self.skip(block, count_lines(block))
            self._fill()
        raise self._problems.error()

    def _fill(self) -> None:
        """Read on, and find where the last whole line ends."""
        parts, size, is_over = [self._data[self._end :]], len(self._data) - self._end, False
        while size <= MOST * LONGEST_LINE and not is_over:
            parts.append(next(self._pieces, b""))
            size, is_over = size + len(parts[-1]), not parts[-1]
        self._data, self._at = b"".join(parts), 0
        end = 0
        while size - end > LONGEST_LINE:
            found = _find_last_end(self._data, end, end + LONGEST_LINE)
            if not found:
                words = "the line has more than 1 MiB; this is not a table"
                raise UnreadableError("long_line", words, self.number + count_lines(self._data, 0, end))
            end = found
        self._end = size if is_over else _find_last_end(self._data, end, size) or end


def _find_last_end(data: bytes, start: int, stop: int) -> int:
    """The place after the last line end in a part, 0 if there is none; a CR at its end may have its LF beyond."""
    return max(data.rfind(b"\n", start, stop), data.rfind(b"\r", start, stop - 1)) + 1
