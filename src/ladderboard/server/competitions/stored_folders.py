"""Folders of competitions that were made in the browser: files of the database, checked out where they are read.

A folder is a list of paths with the digests of their contents, and is itself named by the digest of that list. It never
changes: a change makes another one, and the row that refers to it decides which one counts. So a change is there whole
or not at all, every server process sees it, and a backup has it. What is checked out is a cache; it may be deleted.
"""

import json
import shutil
import tempfile
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from ladderboard.core.canonical_json import canonical_json
from ladderboard.server.db.database import Connection
from ladderboard.server.db.files import Files

UNUSED_SECONDS = 86_400.0


@dataclass(frozen=True)
class NewFolder:
    """A folder whose contents were put, and that counts once it is recorded."""

    digest: str
    contents: Mapping[str, bytes] = field(repr=False)
    """What it consists of beside what was recorded before, by digest."""


@dataclass(frozen=True)
class StoredFolders:
    """The folders of one database; ``root`` is where they are checked out."""

    files: Files
    root: Path

    def put(self, contents: Mapping[str, bytes | None], *, base: str | None = None) -> NewFolder:
        """Make contents durable, as far as that is done outside the database.

        With ``base`` they are changes of that folder, and None removes a file.
        """
        listing: dict[str, str] = {} if base is None else json.loads(self.files.read(base))
        new: dict[str, bytes] = {}
        for path, content in contents.items():
            listing.pop(path, None)
            if content is not None:
                listing[path] = self.files.put(content)
                new[listing[path]] = content
        listed = canonical_json(listing).encode()
        name = self.files.put(listed)
        return NewFolder(name, {**new, name: listed})

    def record(self, connection: Connection, folder: NewFolder, now: datetime) -> str:
        """Within the transaction of the row that refers to it; returns what that row holds."""
        for digest, content in folder.contents.items():
            self.files.record(connection, digest, content, now)
        return folder.digest

    def read(self, digest: str) -> Iterator[tuple[str, bytes]]:
        """Each path with its content, one at a time."""
        for path, content in sorted(json.loads(self.files.read(digest)).items()):
            yield path, self.files.read(content)

    def check_out(self, digest: str) -> Path:
        """The folder as one of the file system; nobody writes to it."""
        path = self.root / digest
        if not path.is_dir():
            self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
            with tempfile.TemporaryDirectory(dir=self.root, prefix=".arriving-") as beside:
                arriving = Path(beside) / digest
                write_folder(arriving, self.read(digest))
                if not path.is_dir():  # another process may be faster, with the same content
                    _rename(arriving, path)
        return path

    @contextmanager
    def copy(self, digest: str) -> Iterator[Path]:
        """A copy of the folder that may be changed, for the length of the block."""
        with tempfile.TemporaryDirectory(prefix="ladderboard-") as beside:
            path = Path(beside) / "folder"
            write_folder(path, self.read(digest))
            yield path

    def sweep(self, used: Collection[str], *, now: float | None = None) -> int:
        """Remove what is checked out, was replaced and lay there for a day; returns how many folders."""
        before = (time.time() if now is None else now) - UNUSED_SECONDS
        found = [path for path in self.root.glob("*") if path.name not in used and path.stat().st_mtime < before]
        for path in found:
            shutil.rmtree(path, ignore_errors=True)
        return len(found)


def write_folder(folder: Path, contents: Iterator[tuple[str, bytes]]) -> None:
    """Write a folder with these files."""
    folder.mkdir(mode=0o700)
    for path, content in contents:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)


def read_folder(folder: Path) -> dict[str, bytes]:
    """The files of a folder by their paths."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def change_files(folder: Path, files: Mapping[str, bytes | None]) -> None:
    """Write or remove files of a folder that may be changed."""
    for name, content in files.items():
        if content is None:
            (folder / name).unlink(missing_ok=True)
        else:
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(content)


def _rename(arriving: Path, path: Path) -> None:
    """Give a folder its name; where another process was faster, its equal stays."""
    try:
        arriving.rename(path)
    except OSError:
        if not path.is_dir():
            raise
