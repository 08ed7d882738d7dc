"""The encoding of a file: whether it is UTF-8 text, and on which lines it is not."""

import codecs
from typing import AnyStr

from ladderboard.tabular.problems import Problems

WIDE_ENCODINGS = {
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
"""By the mark at their start; that of UTF-16 is the start of one of UTF-32."""
SAVE_AGAIN = "save the file as UTF-8 (in a spreadsheet: CSV UTF-8) and send it again"
NUL = "there is a NUL byte, so this is not text, or it was damaged; write the file again"
NO_TEXT = "this is not text; send a CSV or Parquet file"
CONTROLS = bytes({*range(0x1C), 127} - {*b"\t\n\v\f\r"})
"""Characters that no text has."""
PIECE = 1 << 16
"""Small, as after a wrong byte the rest of its piece is decoded again."""


def refuse_wide_or_binary(start: bytes, problems: Problems) -> None:
    """Stop at the start of a file that is no text at all, or text of wide characters."""
    wide = _wide_encoding(start[:1000])
    if wide:
        words = f"the file is encoded as {wide}; {SAVE_AGAIN}"
        problems.stop("wrong_encoding", words, 1)
    if _is_binary(start[:1000]):
        problems.stop("unsupported_file", NO_TEXT)


def is_text(block: bytes) -> bool:
    """Whether this is UTF-8 without NUL."""
    return (block.isascii() and 0 not in block) or find_bad_byte(block, 0) is None


def add_lines_that_are_no_text(block: bytes, line: int, problems: Problems) -> None:
    """Add every line that is not UTF-8 text, of a block of whole lines that starts at ``line``; raise after many."""
    at = 0
    while (place := find_bad_byte(block, at)) is not None:
        line += count_lines(block, at, place)
        at = _find_next_line(block, place)
        _add_line(block[place:at], line, problems)
        problems.stop_reading_if_many(line)
        line += 1


def find_bad_byte(block: bytes, start: int) -> int | None:
    """The place of the first byte from ``start`` on that is NUL or not UTF-8."""
    while start < len(block):
        end = min(start + PIECE, len(block))
        try:
            _, used = codecs.utf_8_decode(block[start:end], "strict", end == len(block))
        except UnicodeDecodeError as problem:
            nul = block.find(0, start, start + problem.start)
            return start + problem.start if nul < 0 else nul
        nul = block.find(0, start, start + used)
        if nul >= 0:
            return nul
        start += used
    return None


def count_lines(text: AnyStr, start: int = 0, stop: int | None = None) -> int:
    """How many lines end in a part of a text: with LF, CR or both."""
    feed, back = ("\n", "\r") if isinstance(text, str) else (b"\n", b"\r")
    returns = text.count(back, start, stop)
    return text.count(feed, start, stop) + (returns and returns - text.count(back + feed, start, stop))


def _find_next_line(block: bytes, start: int) -> int:
    ends = [at for at in (block.find(b"\n", start), block.find(b"\r", start)) if at >= 0]
    if not ends:
        return len(block)
    return min(ends) + (2 if block.startswith(b"\r\n", min(ends)) else 1)


def _wide_encoding(start: bytes) -> str | None:
    for mark, name in WIDE_ENCODINGS.items():
        if start.startswith(mark):
            return name
    # Without a mark: ASCII text in UTF-16 has a zero in every second place.
    zeros = max(start[0::2].count(0), start[1::2].count(0))
    return "UTF-16" if len(start) >= 8 and zeros > 0.4 * len(start) else None


def _is_binary(start: bytes) -> bool:
    controls = len(start) - len(start.translate(None, CONTROLS))
    return controls > len(start) / 20 and not is_text(start.translate(None, b"\0"))


def _add_line(line: bytes, number: int, problems: Problems) -> None:
    """``line``: from its first bad byte on."""
    try:
        line.decode()
    except UnicodeDecodeError as problem:
        byte = line[problem.start]
        problems.add("wrong_encoding", lambda: _describe_bad_byte(byte), number)
    if 0 in line:
        problems.add("nul_byte", NUL, number)


def _describe_bad_byte(byte: int) -> str:
    letter = bytes([byte]).decode("cp1252", errors="replace")
    guess = (
        f"in Latin-1 it is {letter!r}" if letter.isprintable() and letter != "\ufffd" else "no letter in Latin-1 either"
    )
    return f"byte 0x{byte:02X} is not UTF-8 ({guess}); {SAVE_AGAIN}"
