"""Submitted files as they came, kept under their SHA-256: large ones in a folder beside SQLite, or all in the database.

Keeping a file takes two calls. `put` comes before the transaction and may be slow; `record` is part of the transaction
of whatever refers to the file. A file that was put and never recorded is harmless;
a server's daily `sweep` removes it.
"""

import hashlib
import os
import secrets
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, bindparam, func, select, text
from sqlalchemy.dialects import postgresql, sqlite

from ladderboard.core.errors import DamagedFileError
from ladderboard.server.db.database import Database
from ladderboard.server.db.schema import files

SMALL_BYTES = 64 << 10
"""Files up to this size lie in the database also where the others are in the folder."""
LOOK_AGAIN_SECONDS = 5.0
UNRECORDED_FOR = timedelta(days=1)
TEMPORARY = ".arriving-"


class Files(ABC):
    """Storage of contents by digest; equal contents are stored once."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.damaged: dict[str, None] = {}
        """The digests of the files that this process found to be missing or changed, the latest found last."""
        self._looked = -LOOK_AGAIN_SECONDS

    @abstractmethod
    def put(self, content: bytes) -> str:
        """Make the content durable, as far as that is done outside the database; returns its digest.

        Content that is here already is written again: it takes the same time, so that nobody learns who else sent
        it, and what was damaged is mended.
        """

    @abstractmethod
    def record(self, connection: Connection, digest: str, content: bytes, now: datetime) -> None:
        """Within a transaction: from its commit on, the content can be read. It was `put` before."""

    def read(self, digest: str) -> bytes:
        """The content; raises `DamagedFileError` where it is missing or no longer what it was."""
        try:
            content = self._read_stored(digest)
        except OSError as problem:
            raise self._report_damage(digest, f"cannot be read ({problem.strerror})") from None
        if content is None:
            raise self._report_damage(digest, "is missing")
        if digest_of(content) != digest:
            raise self._report_damage(digest, "has been changed")
        self.damaged.pop(digest, None)
        return content

    def count_damaged(self, now: float) -> int:
        """Count the files that this process found to be damaged; ``now``: seconds by a clock that is never set.

        Somebody may have mended them. Every few seconds this looks again, as far as the first that is still damaged,
        which is the last one to be looked at next time: whoever asks often makes nothing expensive.
        """
        if now - self._looked >= LOOK_AGAIN_SECONDS:
            self._looked = now
            with suppress(DamagedFileError):
                for digest in tuple(self.damaged):
                    self.read(digest)
        return len(self.damaged)

    def read_several(self, digests: Sequence[str]) -> dict[str, bytes]:
        """The contents of several digests, all in memory: as `read`, with one statement for those in the table."""
        with self._database.reading() as connection:
            rows = connection.execute(select(files.c.digest, files.c.content).where(files.c.digest.in_(list(digests))))
            stored = {row.digest: bytes(row.content) for row in rows if row.content is not None}
        found = {digest: content for digest, content in stored.items() if digest_of(content) == digest}
        for digest in found:
            self.damaged.pop(digest, None)
        return found | {digest: self.read(digest) for digest in digests if digest not in found}

    def _report_damage(self, digest: str, what: str) -> DamagedFileError:
        self.damaged.pop(digest, None)
        self.damaged[digest] = None
        words = f"the file {digest} in {self._place} {what}; `ladderboard verify-files --from BACKUP` restores it"
        return DamagedFileError(words, digest=digest)

    def sweep(self, *, unrecorded_for: timedelta = UNRECORDED_FOR) -> int:
        """Remove what was put that long ago and never recorded; returns how many."""
        return 0

    def _read_from_table(self, digest: str) -> bytes | None:
        with self._database.reading() as connection:
            content = connection.scalar(_CONTENT, {"digest": digest})
        return None if content is None else bytes(content)

    @abstractmethod
    def _read_stored(self, digest: str) -> bytes | None: ...

    @property
    @abstractmethod
    def _place(self) -> str: ...


class TableFiles(Files):
    """Contents in the table of files: one thing to back up, and the same for server processes on many machines."""

    def put(self, content: bytes) -> str:
        return digest_of(content)

    def record(self, connection: Connection, digest: str, content: bytes, now: datetime) -> None:
        _insert(connection, digest, len(content), content, now)

    def _read_stored(self, digest: str) -> bytes | None:
        return self._read_from_table(digest)

    @property
    def _place(self) -> str:
        return "the database"


class FolderFiles(Files):
    """Contents in a folder, each in a file of its own that appears whole or not at all and survives a power cut.

    Contents of at most ``small`` bytes are kept in the table instead: the commit makes them durable anyway, and three
    waits for the disk are spared.
    """

    def __init__(self, database: Database, folder: Path, *, small: int = 0) -> None:
        super().__init__(database)
        self.folder, self._small, self._is_made = folder, small, False

    def path(self, digest: str) -> Path:
        return self.folder / digest[:2] / digest[2:]

    def put(self, content: bytes) -> str:
        digest = digest_of(content)
        if len(content) > self._small:
            self._make_folders()
            _write_durably(self.path(digest), content)
        return digest

    def _make_folders(self) -> None:
        """Make the folders of all digests with the first file: a later one takes the same time, fresh or known."""
        if self._is_made:
            return
        _make_folder(self.folder)
        for number in range(256):
            (self.folder / f"{number:02x}").mkdir(exist_ok=True, mode=0o700)
        _sync_folder(self.folder)
        self._is_made = True

    def record(self, connection: Connection, digest: str, content: bytes, now: datetime) -> None:
        if len(content) <= self._small:
            _insert(connection, digest, len(content), content, now)
            return
        _insert(connection, digest, len(content), None, now)
        # A sweep may have come between: it holds the table against us while it removes, so now the last word is ours.
        if not self.path(digest).exists():
            _write_durably(self.path(digest), content)

    def sweep(self, *, unrecorded_for: timedelta = UNRECORDED_FOR) -> int:
        # Folder by folder: the digests of all files together would take memory without bound.
        return sum(self._sweep(folder, unrecorded_for) for folder in self.folder.glob("??"))

    def _sweep(self, folder: Path, age: timedelta) -> int:
        with self._database.reading() as connection:
            recorded = set(connection.scalars(select(files.c.digest).where(files.c.digest.startswith(folder.name))))
        found = (path for path in folder.iterdir() if folder.name + path.name not in recorded)
        return sum(self._remove(path) for path in found if _is_older(path, age))

    def _remove(self, path: Path) -> bool:
        with self._database.transaction() as connection:
            if not self._database.is_sqlite:  # whose transactions hold everything anyway
                connection.execute(text("LOCK TABLE files IN SHARE MODE"))
            if _is_recorded(connection, path):
                return False
            path.unlink(missing_ok=True)
            return True

    def _read_stored(self, digest: str) -> bytes | None:
        try:
            return self.path(digest).read_bytes()
        except FileNotFoundError:
            return self._read_from_table(digest)

    @property
    def _place(self) -> str:
        return str(self.folder)


def digest_of(content: bytes) -> str:
    """SHA-256, hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def _is_older(path: Path, age: timedelta) -> bool:
    if path.name.startswith(TEMPORARY):
        age = max(age, UNRECORDED_FOR)  # it may still be arriving, however short the time that was given
    try:
        return path.stat().st_mtime < time.time() - age.total_seconds()
    except FileNotFoundError:  # it has just got its name, or another sweep was faster
        return False


def _is_recorded(connection: Connection, path: Path) -> bool:
    digest = path.parent.name + path.name
    return connection.scalar(select(files.c.digest).where(files.c.digest == digest)) is not None


def record_without_content(connection: Connection, digest: str, size: int, now: datetime) -> None:
    """Note a file whose content is lost, so that what refers to it can be kept."""
    _insert(connection, digest, size, None, now)


def _insert(connection: Connection, digest: str, size: int, content: bytes | None, now: datetime) -> None:
    row = {"digest": digest, "size": size, "content": content, "stored_at": now}
    connection.execute(_KEEP[connection.dialect.name], row)


def _write_again(insertion: Any) -> Any:
    """Where the digest is there already, its content is written again; what has none here keeps what is there."""
    content = func.coalesce(insertion.excluded.content, files.c.content)
    return insertion.on_conflict_do_update(index_elements=[files.c.digest], set_={"content": content})


# Built once: both are part of every submission.
_CONTENT = select(files.c.content).where(files.c.digest == bindparam("digest"))
_KEEP = {
    "sqlite": _write_again(sqlite.insert(files)),
    "postgresql": _write_again(postgresql.insert(files)),
}


def _write_durably(path: Path, content: bytes) -> None:
    """Write the file so that it is there whole, or not at all, whenever the power fails."""
    _make_folder(path.parent)
    temporary = path.with_name(TEMPORARY + secrets.token_hex(8))
    try:
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def _make_folder(folder: Path) -> None:
    if not folder.exists():
        _make_folder(folder.parent)
        folder.mkdir(exist_ok=True, mode=0o700)
        _sync_folder(folder.parent)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
