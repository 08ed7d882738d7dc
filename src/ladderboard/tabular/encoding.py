"""The encoding of a file: whether it is UTF-8 text, and on which lines it is not."""

import codecs
import re
from itertools import islice

from ladderboard.tabular.format import MEBIBYTE
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
PIECE = 1 * MEBIBYTE
MOST_LINES = 1_000_000
"""More lines than this are not looked at one by one: a broken file would keep the server busy for a minute."""
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|$)")


def refuse_other_encodings(data: bytes, problems: Problems) -> None:
    """Stop with every line that is not UTF-8 text."""
    wide = _wide_encoding(data)
    if wide:
        words = f"the file is encoded as {wide}; {SAVE_AGAIN}"
        problems.stop("wrong_encoding", words, 1)
    if 0 not in data and _is_utf8(data):
        return
    for number, found in enumerate(islice(_LINE.finditer(data), MOST_LINES), start=1):
        _add_line(found.group(), number, problems)
    if not problems:
        problems.stop("wrong_encoding", SAVE_AGAIN)
    problems.refuse()


def _wide_encoding(data: bytes) -> str | None:
    for mark, name in WIDE_ENCODINGS.items():
        if data.startswith(mark):
            return name
    start = data[:1000]
    # Without a mark: ASCII text in UTF-16 has a zero in every second place.
    zeros = max(start[0::2].count(0), start[1::2].count(0))
    return "UTF-16" if len(start) >= 8 and zeros > 0.4 * len(start) else None


def _is_utf8(data: bytes) -> bool:
    """Looked at in pieces, so that the text need not be in memory beside the bytes."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(data), PIECE):
            decoder.decode(data[start : start + PIECE])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _add_line(line: bytes, number: int, problems: Problems) -> None:
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
