"""The container of a file: text, JSON Lines or Parquet, plain, gzip or zip. Found from the content, not the name.

Nothing larger than is allowed is ever in memory: a file is read to its limit and one byte, and what an archive unpacks
to is handed on piece by piece, up to its limit, whatever its header says.
"""

import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from ladderboard.core.errors import SubmissionError
from ladderboard.core.sizes import MEBIBYTE, format_size
from ladderboard.tabular.file_types import LONGEST_START, refuse_other_types
from ladderboard.tabular.json_lines import START
from ladderboard.tabular.problems import Problems, join_names, quote

GZIP, ZIP, PARQUET = b"\x1f\x8b", (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08"), b"PAR1"
PIECE = 1 * MEBIBYTE
NO_LIMIT = sys.maxsize
GZIP_PIECE = 1 << 14
"""Small, as every member of a file copies what is left of its piece."""
MOST_GZIP_MEMBERS = 10_000
"""bgzip starts one every 64 KiB; a million empty ones would take seconds."""
MOST_MEMBERS = 1000
"""The directory of an archive with more is not read: a million entries would take a gigabyte."""


@dataclass(frozen=True)
class Content:
    """A table as bytes, unpacked piece by piece while it is read."""

    pieces: Callable[[], Iterator[bytes]]
    """The bytes in order, from the start each time; raises `SubmissionError` where an archive breaks off."""
    is_parquet: bool
    is_json: bool = False
    """Whether it is JSON Lines."""

    @classmethod
    def of_text(cls, text: bytes) -> "Content":
        return cls(partial(_slices, text), is_parquet=False)

    def read(self) -> bytes:
        """All bytes."""
        return b"".join(self.pieces())


def open_content(
    file: bytes | Path | BinaryIO,
    problems: Problems,
    *,
    most: int = NO_LIMIT,
    most_unpacked: int = NO_LIMIT,
    read_files: Callable[[bytes], bytes | None] | None = None,
) -> Content:
    """Open a file under the size limits; raises `SubmissionError` if that fails.

    ``read_files``: makes a table of a zip whose files are its rows; None where it holds a table instead.
    """
    data = _read(file, most, problems)
    if read_files is not None and data.startswith(ZIP):
        table = read_files(data)
        if table is not None:
            return Content.of_text(table)
    unpack = _unpack_gzip if data.startswith(GZIP) else _unpack_zip if data.startswith(ZIP) else None
    pieces = partial(_slices, data) if unpack is None else partial(_unpack, unpack, data, most_unpacked, problems)
    start = _peek(pieces())
    if unpack is not None and start.startswith((GZIP, *ZIP)):
        problems.stop(
            "nested_archive",
            "the archive holds another archive; compress the table itself, once",
        )
    refuse_other_types(start, problems)
    if not start:
        problems.stop("empty_file", "the file is empty (0 bytes); was it written to the end?")
    return Content(pieces, is_parquet=start.startswith(PARQUET), is_json=START.match(start) is not None)


def _read(file: bytes | Path | BinaryIO, limit: int, problems: Problems) -> bytes:
    if isinstance(file, bytes):
        data = file
    elif isinstance(file, Path):
        with file.open("rb") as opened:
            data = _read_up_to(opened.read, limit)
    else:
        data = _read_up_to(file.read, limit)
    if len(data) > limit:
        # Only of bytes that somebody else has read already is the whole length known.
        size = f"has {format_size(len(data))}" if isinstance(file, bytes) else "is larger"
        problems.stop(
            "too_large",
            f"a file may have at most {format_size(limit)}; this one {size}: gzip it, or write fewer digits",
        )
    return data


def _peek(pieces: Iterator[bytes]) -> bytes:
    start = b""
    while len(start) < LONGEST_START and (piece := next(pieces, b"")):
        start += piece
    return start


def _slices(data: bytes) -> Iterator[bytes]:
    return (data[start : start + PIECE] for start in range(0, len(data), PIECE))


Unpack = Callable[[bytes, Problems], Iterator[bytes]]


def _unpack(unpack: Unpack, data: bytes, limit: int, problems: Problems) -> Iterator[bytes]:
    """What an archive holds, and nothing beyond the limit."""
    size = 0
    for piece in unpack(data, problems):
        size += len(piece)
        if size > limit:
            words = f"the archive unpacks to more than the {format_size(limit)} that are allowed"
            problems.stop("unpacks_too_large", words)
        yield piece


def _unpack_gzip(data: bytes, problems: Problems) -> Iterator[bytes]:
    at = 0
    for _ in range(MOST_GZIP_MEMBERS):
        member = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        try:
            while not member.eof:
                packed = member.unconsumed_tail or data[at : at + GZIP_PIECE]
                at += 0 if member.unconsumed_tail else len(packed)
                piece = member.decompress(packed, PIECE)
                if piece:
                    yield piece
                elif not packed:
                    words = "the gzip file ends too early: it was cut off; compress and send it again"
                    problems.stop("corrupt_archive", words)
        except zlib.error:
            problems.stop(
                "corrupt_archive",
                "the gzip file is broken and cannot be unpacked; compress and send it again",
            )
        at -= len(member.unused_data)
        if at == len(data) or (data[at] == 0 and not data[at:].strip(b"\0")):
            return  # some programs fill up the last block of a file with zeros
    words = f"the gzip file consists of more than {MOST_GZIP_MEMBERS:,} parts; compress the table as one"
    problems.stop("several_members", words)


def _unpack_zip(data: bytes, problems: Problems) -> Iterator[bytes]:
    if data.count(b"PK\x01\x02") > MOST_MEMBERS:
        problems.stop(
            "several_members",
            f"the zip file holds more than {MOST_MEMBERS:,} files; it should hold one",
        )
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive, archive.open(_find_only_member(archive, problems)) as packed:
            while piece := packed.read(PIECE):
                yield piece
    except SubmissionError:
        raise  # a ValueError too, but what is wrong is said already
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError, LookupError, OverflowError):
        # A broken directory surfaces as any of these, depending on which field of it is wrong.
        problems.stop(
            "corrupt_archive",
            "the zip file is broken or cut off and cannot be unpacked; zip and send it again",
        )


def _find_only_member(archive: zipfile.ZipFile, problems: Problems) -> zipfile.ZipInfo:
    members = list_members(archive)
    names = [each.filename for each in members]
    if "[Content_Types].xml" in names:
        problems.stop("unsupported_file", "this is an Excel workbook; save it as CSV (UTF-8) and send that")
    if names[:1] == ["mimetype"] and "META-INF/manifest.xml" in names:
        problems.stop("unsupported_file", "this is an OpenDocument file; save it as CSV (UTF-8) and send that")
    if len(members) > 1:
        found = join_names([quote(name) for name in names[:5]], len(names))
        problems.stop(
            "several_members",
            f"the zip file holds {len(names)} files ({found}); it should hold one",
        )
    if not members:
        problems.stop("empty_archive", "the zip file holds no file; put the table into it")
    if members[0].flag_bits & 0x1:
        problems.stop("encrypted_archive", "the zip file is encrypted; zip it without a password")
    if members[0].compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        problems.stop(
            "corrupt_archive",
            "the zip file uses an unusual method of compression; make an ordinary zip file",
        )
    return members[0]


def list_members(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """The files that somebody meant to send."""
    return [each for each in archive.infolist() if not _is_clutter(each)]


def _is_clutter(member: zipfile.ZipInfo) -> bool:
    """Folders, and what macOS and Windows add without being asked."""
    name = member.filename
    return member.is_dir() or name.startswith("__MACOSX/") or name.endswith((".DS_Store", "Thumbs.db", "desktop.ini"))


def _read_up_to(read: Callable[[int], bytes], limit: int) -> bytes:
    """What can be read, and at most one byte more than the limit."""
    unpacked = BytesIO()
    while unpacked.tell() <= limit:
        piece = read(min(PIECE, limit + 1 - unpacked.tell()))
        if not piece:
            break
        unpacked.write(piece)
    return unpacked.getvalue()
