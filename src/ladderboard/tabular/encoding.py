"""Whether bytes are UTF-8 text, and on which lines they are not."""

import re
from collections.abc import Iterator
from itertools import islice

from ladderboard.core.words import translatable
from ladderboard.tabular.format import MEBIBYTE
from ladderboard.tabular.problems import Problems

UTF_16 = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}
UTF_32 = {b"\xff\xfe\x00\x00": "UTF-32", b"\x00\x00\xfe\xff": "UTF-32"}
SAVE_AGAIN = translatable("save the file as UTF-8 (in a spreadsheet: CSV UTF-8) and send it again")
NUL = translatable("there is a NUL byte, so this is not text, or it was damaged; write the file again")
PIECE = 1 * MEBIBYTE
MOST_LINES = 100_000
"""More broken lines than this are not counted: a file that is nothing else would keep the server busy for a minute."""
_END_OF_LINE = re.compile(rb"[\r\n]")


def refuse_other_encodings(data: bytes, problems: Problems) -> None:
    """Stop with every line that is not UTF-8 text."""
    wide = _wide_encoding(data)
    if wide:
        problems.stop(
            "wrong_encoding",
            translatable("the file is encoded as {encoding}; {remedy}", encoding=wide, remedy=SAVE_AGAIN),
            1,
        )
    for line, byte in _lines_of(data, _broken_places(data)):
        problems.add("wrong_encoding", _broken(byte) if problems.has_room else "", line)
    for line, _ in _lines_of(data, _nul_places(data)):
        problems.add("nul_byte", NUL, line)
    problems.refuse()


def _wide_encoding(data: bytes) -> str | None:
    for marks in (UTF_32, UTF_16):
        for mark, name in marks.items():
            if data.startswith(mark):
                return name
    start = data[:1000]
    # Without a mark: ASCII text in UTF-16 has a zero in every second place.
    zeros = max(start[0::2].count(0), start[1::2].count(0))
    return "UTF-16" if len(start) >= 8 and zeros > 0.4 * len(start) else None


def _broken(byte: int) -> str:
    letter = bytes([byte]).decode("cp1252", errors="replace")
    is_letter = letter.isprintable() and letter != "�"
    guess = (
        translatable("in Latin-1 it is {letter!r}", letter=letter)
        if is_letter
        else translatable("no letter in Latin-1 either")
    )
    return translatable("byte 0x{byte:02X} is not UTF-8 ({guess}); {remedy}", byte=byte, guess=guess, remedy=SAVE_AGAIN)


def _broken_places(data: bytes) -> Iterator[int]:
    """Where UTF-8 is broken: the first such place of each line."""
    start, size = 0, PIECE
    while start < len(data):
        piece = data[start : start + size]
        try:
            piece.decode()
        except UnicodeDecodeError as problem:
            at = start + problem.start
            if problem.reason == "unexpected end of data" and start + len(piece) < len(data):
                start = at  # only cut in two by the piece's end
                continue
            yield at
            start, size = _line_end(data, at), 1024  # the next line may be broken too: do not copy far
        else:
            start, size = start + len(piece), min(2 * size, PIECE)


def _nul_places(data: bytes) -> Iterator[int]:
    at = data.find(0)
    while at >= 0:
        yield at
        at = data.find(0, _line_end(data, at))


def _line_end(data: bytes, at: int) -> int:
    end = _END_OF_LINE.search(data, at)
    return end.start() if end else len(data)


def _lines_of(data: bytes, places: Iterator[int]) -> Iterator[tuple[int, int]]:
    """The line number and the byte of each place. Lines end with LF, CR LF or CR."""
    line, counted = 1, 0
    for at in islice(places, MOST_LINES):
        for start in range(counted, at, PIECE):
            passed = data[max(start - 1, 0) : min(start + PIECE, at)]
            own = passed if start == 0 else passed[1:]
            line += own.count(b"\n") + own.count(b"\r") - passed.count(b"\r\n")
        counted = at
        yield line, data[at]
