"""Archives that strangers send: checked member by member, and unpacked under limits.

Zip and tar (plain, gzip, bzip2, xz). Refused: names that are absolute or climb out, links and special files, encrypted
members, names that come twice, and whatever unpacks to more than is allowed, whatever its directory says.
"""

import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import IO

from ladderboard.core.errors import SubmissionError
from ladderboard.core.sizes import format_size
from ladderboard.tabular.containers import PIECE, ZIP
from ladderboard.tabular.problems import Problems, quote

MOST_MEMBERS = 100_000
LONGEST_NAME, LONGEST_PART, MOST_PARTS = 1000, 200, 30
CLUTTER = ("__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini")
"""What macOS and Windows add without being asked; it is left out."""
BROKEN = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError, RuntimeError,
    LookupError, OverflowError, NotImplementedError, MemoryError,
)  # fmt: skip
"""A broken archive surfaces as any of these, depending on which of its fields is wrong."""


CORRUPT = "the archive is broken or cut off and cannot be unpacked; make it again"


@dataclass(frozen=True)
class Member:
    """A file in an archive."""

    name: str
    open: Callable[[], IO[bytes]]


def is_archive(content: bytes) -> bool:
    """Whether the content is a zip or a tar, compressed or not.

    >>> is_archive(b"id,label")
    False
    """
    if content.startswith(ZIP):
        return True
    try:
        with tarfile.open(fileobj=BytesIO(content)):
            return True
    except (*BROKEN,):
        return False


def list_names(content: bytes, problems: Problems, *, most_unpacked: int) -> list[str]:
    """The names of all files, after reading every one; raises `SubmissionError` where something is wrong."""
    return [name for name, pieces in _walk(content, problems, most_unpacked) if _exhaust(pieces)]


def unpack(content: bytes, folder: Path, problems: Problems, *, most_unpacked: int) -> None:
    """Write all files into a folder, readable by all who reach it; raises `SubmissionError`."""
    for name, pieces in _walk(content, problems, most_unpacked):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
        with path.open("xb") as file:
            for piece in pieces:
                file.write(piece)
        path.chmod(0o644)
    for one in folder.rglob("*"):
        if one.is_dir():
            one.chmod(0o755)


def _exhaust(pieces: Iterator[bytes]) -> bool:
    for _ in pieces:
        pass
    return True


def _walk(content: bytes, problems: Problems, most_unpacked: int) -> Iterator[tuple[str, Iterator[bytes]]]:
    """Each file's name and its pieces, which must be read before the next one."""
    seen, folders, meter = set[str](), set[str](), _Meter(problems, most_unpacked)
    try:
        for member in _list_zip(content, problems) if content.startswith(ZIP) else _list_tar(content, problems):
            above = {str(one) for one in PurePosixPath(member.name).parents}
            if member.name in seen or member.name in folders or above & seen:
                problems.stop("bad_member", f"the archive holds {quote(member.name)} twice; keep one of them")
            seen.add(member.name)
            folders |= above
            if len(seen) > MOST_MEMBERS:
                problems.stop("several_members", f"the archive holds more than {MOST_MEMBERS:,} files")
            with member.open() as file:
                yield member.name, meter.read(file)
    except SubmissionError:
        raise  # a ValueError too, but what is wrong is said already
    except BROKEN:
        problems.stop("corrupt_archive", CORRUPT)
    if not seen:
        problems.stop("empty_archive", "the archive holds no file")


class _Meter:
    """Reads files piece by piece, all of them together no further than the limit."""

    def __init__(self, problems: Problems, most: int) -> None:
        self._problems, self._most, self._left = problems, most, most

    def read(self, file: IO[bytes]) -> Iterator[bytes]:
        while piece := self._read_piece(file):
            self._left -= len(piece)
            if self._left < 0:
                words = f"the archive unpacks to more than the {format_size(self._most)} that are allowed"
                self._problems.stop("unpacks_too_large", words)
            yield piece

    def _read_piece(self, file: IO[bytes]) -> bytes:
        try:
            return file.read(PIECE)
        except BROKEN:
            self._problems.stop("corrupt_archive", CORRUPT)


def _list_zip(content: bytes, problems: Problems) -> Iterator[Member]:
    if content.count(b"PK\x01\x02") > 2 * MOST_MEMBERS:
        problems.stop("several_members", f"the archive holds more than {MOST_MEMBERS:,} files")
    with zipfile.ZipFile(BytesIO(content)) as archive:
        for info in archive.infolist():
            mode = info.external_attr >> 16
            if info.is_dir() or _is_clutter(info.filename):
                continue
            if info.flag_bits & 0x1:
                problems.stop("encrypted_archive", "the archive is encrypted; make it without a password")
            if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
                _refuse_special(info.filename, problems)
            # What `zipfile` makes of a name hides a zero byte in it and everything after.
            _refuse_bad_name(info.orig_filename, problems)
            yield Member(info.filename, lambda info=info: archive.open(info))  # type: ignore[misc]


def _list_tar(content: bytes, problems: Problems) -> Iterator[Member]:
    with tarfile.open(fileobj=BytesIO(content)) as archive:
        for info in archive:
            name = info.name.removeprefix("./")
            if info.isdir() or _is_clutter(name):
                continue
            if not info.isreg() or info.issparse():
                _refuse_special(name, problems)
            _refuse_bad_name(name, problems)
            yield Member(name, lambda info=info: _open_regular(archive, info))  # type: ignore[misc]


def _open_regular(archive: tarfile.TarFile, info: tarfile.TarInfo) -> IO[bytes]:
    opened = archive.extractfile(info)
    assert opened is not None, "it is a regular file"
    return opened


def _is_clutter(name: str) -> bool:
    return any(part in CLUTTER or part.startswith("._") for part in name.split("/"))


def _refuse_special(name: str, problems: Problems) -> None:
    problems.stop("bad_member", f"the archive holds {quote(name)}, which is a link or no ordinary file; leave it out")


def _refuse_bad_name(name: str, problems: Problems) -> None:
    parts = name.split("/")
    if (
        name.startswith("/")
        or any(part in ("", ".", "..") for part in parts)
        or any(not character.isprintable() or character in "\\" for character in name)
        or (len(parts[0]) == 2 and parts[0][1] == ":")
    ):
        problems.stop("bad_member", f"the archive holds the name {quote(name)}; use plain names below one folder")
    if len(name) > LONGEST_NAME or len(parts) > MOST_PARTS or any(len(p.encode()) > LONGEST_PART for p in parts):
        problems.stop("bad_member", f"the archive holds a name that is too long: {quote(name)}")
