"""The files that a scorer compares submissions with: a folder or one file, as bytes that a server keeps.

They are unpacked when they are first needed, into a folder that nobody else on the machine can enter, and removed with
the scorer.
"""

import hashlib
import os
import shutil
import tempfile
import weakref
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from io import BytesIO
from pathlib import Path

from ladderboard.core.errors import InputError
from ladderboard.core.sizes import format_size
from ladderboard.scoring.archives import unpack
from ladderboard.tabular.problems import Problems

LARGEST_BYTES = 2 << 30
EPOCH = (1980, 1, 1, 0, 0, 0)
INSIDE = "solution"


class SolutionFiles:
    """The files, packed: equal files are equal bytes."""

    def __init__(self, packed: bytes) -> None:
        self.packed = packed

    @classmethod
    def read(cls, path: Path) -> "SolutionFiles":
        """Pack a folder or a file; raises `InputError`."""
        content = BytesIO()
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, file in _list_files(path):
                # Without its time and owner: what is committed to is the content alone.
                archive.writestr(zipfile.ZipInfo(name, EPOCH), file.read_bytes(), zipfile.ZIP_DEFLATED, 6)
        return cls(content.getvalue())

    @cached_property
    def digest(self) -> str:
        """A hash of their names and contents, however they are packed."""
        digest = hashlib.sha256()
        with zipfile.ZipFile(BytesIO(self.packed)) as archive:
            for name in sorted(archive.namelist()):
                digest.update(hashlib.sha256(name.encode()).digest() + hashlib.sha256(archive.read(name)).digest())
        return digest.hexdigest()

    @property
    def path(self) -> Path:
        """Where the scorer finds them: the folder, or the one file."""
        return self._unpacked[1]

    @property
    def folder(self) -> Path:
        """What must be shown to the scorer's process."""
        return self._unpacked[0]

    @cached_property
    def _unpacked(self) -> tuple[Path, Path]:
        private = Path(tempfile.mkdtemp(prefix="ladderboard-solution-"))
        weakref.finalize(self, _remove, private, os.getpid())
        # Nobody else passes the private folder; what is in it may be read by whoever the sandbox becomes.
        folder = private / "readable"
        folder.mkdir()
        folder.chmod(0o755)
        unpack(self.packed, folder, Problems("the solution"), most_unpacked=LARGEST_BYTES)
        inside = folder / INSIDE
        return folder, inside if inside.is_dir() else next(folder.iterdir())


def _remove(folder: Path, owner: int) -> None:
    if os.getpid() == owner:  # a fork of us has not made it
        shutil.rmtree(folder, ignore_errors=True)


def _list_files(path: Path) -> Iterator[tuple[str, Path]]:
    if path.is_file():
        yield path.name, path
        return
    total = 0
    for one in sorted(path.rglob("*")):
        name = one.relative_to(path).as_posix()
        if any(part.startswith(".") for part in one.relative_to(path).parts):
            continue
        if one.is_symlink() or not (one.is_file() or one.is_dir()):
            raise InputError(f"{path.name}/{name} is a link or no ordinary file; put the file itself there")
        if one.is_dir():
            continue
        with suppress(OSError):
            total += one.stat().st_size
        if total > LARGEST_BYTES:
            raise InputError(f"{path.name}/ holds more than {format_size(LARGEST_BYTES)}")
        yield f"{INSIDE}/{name}", one
    if not total:
        raise InputError(f"{path.name}/ holds no file")
