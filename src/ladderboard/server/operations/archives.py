"""Archives of an export: streamed as a zip, or written to disk, whole or not at all.

Each part is sent while the next is made, and none is kept.
"""

import os
import secrets
import shutil
import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from ladderboard.core.errors import ConflictError

LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The date of every member, so that the same content makes the same archive."""

ZipMember = tuple[str, Iterable[bytes]]


class _Outlet:
    """A buffer that the archive is written to and taken from."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, part: bytes) -> int:
        self._parts.append(bytes(part))
        return len(part)

    def flush(self) -> None:
        """Do nothing, since nothing is buffered."""

    def take(self) -> bytes:
        parts, self._parts = b"".join(self._parts), []
        return parts


def stream_zip(members: Iterable[ZipMember]) -> Iterator[bytes]:
    """Stream the bytes of an archive with these members (name, parts of the content).

    >>> import io
    >>> archive = zipfile.ZipFile(io.BytesIO(b"".join(stream_zip([("a.txt", [b"one ", b"two"])]))))
    >>> archive.read("a.txt")
    b'one two'
    """
    outlet = _Outlet()
    # No seek: zipfile then writes sizes after the content, which every program reads.
    with zipfile.ZipFile(outlet, "w", zipfile.ZIP_DEFLATED) as archive:  # type: ignore[call-overload]
        for name, parts in members:
            info = zipfile.ZipInfo(name, LONG_AGO)
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o600 << 16
            with archive.open(info, "w", force_zip64=True) as member:
                for part in parts:
                    member.write(part)
                    taken = outlet.take()
                    if taken:
                        yield taken
            yield outlet.take()
    yield outlet.take()


def write_export(members: Iterable[ZipMember], target: Path, *, progress: Callable[[str], None]) -> None:
    """Write an export to ``target``: a zip archive if its name ends in .zip, else a folder. Nothing is overwritten."""
    if target.exists():
        raise ConflictError(f"{target} already exists; give another name, or remove it first")
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        if target.suffix.lower() == ".zip":
            _write_zip(_report(members, progress), unfinished)
        else:
            _write_folder(_report(members, progress), unfinished)
        unfinished.rename(target)
    except BaseException:
        _remove(unfinished)
        raise


def _report(members: Iterable[ZipMember], progress: Callable[[str], None]) -> Iterable[ZipMember]:
    for name, parts in members:
        progress(name)
        yield name, parts


def _write_zip(members: Iterable[ZipMember], path: Path) -> None:
    with _create(path) as file:
        for part in stream_zip(members):
            file.write(part)


def _write_folder(members: Iterable[ZipMember], folder: Path) -> None:
    folder.mkdir(mode=0o700)
    for name, parts in members:
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        with _create(path) as file:
            for part in parts:
                file.write(part)


def _create(path: Path) -> BinaryIO:
    """Create a file that only its owner can read: an export contains what teams submitted."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
