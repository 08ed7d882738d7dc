"""The container of a file: text or Parquet, plain, gzip or zip. Found from the content, never from the name.

Nothing larger than is allowed is ever in memory: a file is read to its limit and one byte, and so is what an archive
unpacks to, whatever its header says.
"""

import gzip
import sys
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from ladderboard.core.errors import SubmissionError
from ladderboard.tabular.format import MEBIBYTE
from ladderboard.tabular.problems import Problems, join_names, quote

GZIP, ZIP, PARQUET = b"\x1f\x8b", (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08"), b"PAR1"
OTHER_FILES = {
    b"BZh": "this is a bzip2 archive; use gzip, zip or no compression",
    b"\xfd7zXZ\x00": "this is an xz archive; use gzip, zip or no compression",
    b"7z\xbc\xaf": "this is a 7-Zip archive; use gzip, zip or no compression",
    b"Rar!": "this is a RAR archive; use gzip, zip or no compression",
    b"\x28\xb5\x2f\xfd": "this is a Zstandard archive; use gzip, zip or no compression",
    b"\xd0\xcf\x11\xe0": "this is an Excel workbook; save it as CSV (UTF-8) and send that",
    b"%PDF": "this is a PDF document; send a CSV or Parquet file",
    b"\x93NUMPY": "this is a NumPy array, which has no ids; send a CSV or Parquet file",
    b"\x80\x04\x95": "this is a Python pickle, which is never opened; send a CSV or Parquet file",
    b"\x80\x05\x95": "this is a Python pickle, which is never opened; send a CSV or Parquet file",
    b"ARROW1": "this is an Arrow file; send a CSV or Parquet file",
}
PIECE = 1 * MEBIBYTE
NO_LIMIT = sys.maxsize
MOST_MEMBERS = 1000
"""The directory of an archive with more is not read: a million entries would take a gigabyte."""


@dataclass(frozen=True)
class Content:
    """A table as bytes, unpacked."""

    data: bytes
    is_parquet: bool


def open_content(
    file: bytes | Path | BinaryIO, problems: Problems, *, most: int = NO_LIMIT, most_unpacked: int = NO_LIMIT
) -> Content:
    """Read and unpack a file under the size limits; raises `SubmissionError` if that fails."""
    data = _read(file, most, problems)
    if data.startswith((GZIP, *ZIP)):
        unpack = _unpack_gzip if data.startswith(GZIP) else _unpack_zip
        data = unpack(data, most_unpacked, problems)
        if data.startswith((GZIP, *ZIP)):
            problems.stop(
                "nested_archive",
                "the archive holds another archive; compress the table itself, once",
            )
    for magic, sentence in OTHER_FILES.items():
        if data.startswith(magic):
            problems.stop("unsupported_file", sentence)
    if not data:
        problems.stop("empty_file", "the file is empty (0 bytes); was it written to the end?")
    return Content(data, is_parquet=data.startswith(PARQUET))


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
        problems.stop(
            "too_large",
            f"a file may have at most {_size(limit)}; this one has {_size(len(data))}: gzip it, or write fewer digits"
            if isinstance(file, bytes)
            else f"a file may have at most {_size(limit)}; this one is larger: gzip it, or write fewer digits",
        )
    return data


def _unpack_gzip(data: bytes, limit: int, problems: Problems) -> bytes:
    try:
        with gzip.GzipFile(fileobj=BytesIO(data)) as packed:
            unpacked = _read_up_to(packed.read, limit)
    except EOFError:
        problems.stop("corrupt_archive", "the gzip file ends too early: it was cut off; compress and send it again")
    except (OSError, zlib.error):
        problems.stop(
            "corrupt_archive",
            "the gzip file is broken and cannot be unpacked; compress and send it again",
        )
    return _refuse_bomb(unpacked, limit, problems)


def _unpack_zip(data: bytes, limit: int, problems: Problems) -> bytes:
    if data.count(b"PK\x01\x02") > MOST_MEMBERS:
        problems.stop(
            "several_members",
            f"the zip file holds more than {MOST_MEMBERS:,} files; it should hold one",
        )
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            member = _find_only_member(archive, problems)
            with archive.open(member) as packed:
                unpacked = _read_up_to(packed.read, limit)
    except SubmissionError:
        raise  # a ValueError too, but what is wrong is said already
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError, LookupError, OverflowError):
        # A broken directory surfaces as any of these, depending on which field of it is wrong.
        problems.stop(
            "corrupt_archive",
            "the zip file is broken or cut off and cannot be unpacked; zip and send it again",
        )
    return _refuse_bomb(unpacked, limit, problems)


def _find_only_member(archive: zipfile.ZipFile, problems: Problems) -> zipfile.ZipInfo:
    members = [each for each in archive.infolist() if not _is_clutter(each)]
    names = [each.filename for each in members]
    if "[Content_Types].xml" in names:
        problems.stop("unsupported_file", "this is an Excel workbook; save it as CSV (UTF-8) and send that")
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


def _refuse_bomb(unpacked: bytes, limit: int, problems: Problems) -> bytes:
    if len(unpacked) > limit:
        problems.stop(
            "unpacks_too_large",
            f"the archive unpacks to more than the {_size(limit)} that are allowed",
        )
    return unpacked


def _size(count: int) -> str:
    """
    >>> _size(100 * MEBIBYTE), _size(1500), _size(12)
    ('100 MiB', '1.46 KiB', '12 bytes')
    """
    for unit, name in ((MEBIBYTE, "MiB"), (1024, "KiB")):
        if count >= unit:
            return f"{count / unit:.3g} {name}"
    return f"{count} bytes"
