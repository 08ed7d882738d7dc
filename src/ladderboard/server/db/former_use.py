"""What a server leaves beside its SQLite file, so that a lost database is not taken for a new server's."""

import time
from contextlib import suppress
from pathlib import Path

from ladderboard.core.errors import DatabaseError
from ladderboard.server.db.database import Database

EMPTIED = (
    "{path} is empty (0 bytes); if a server has used it, its data is lost: restore the last backup with `ladderboard "
    "restore BACKUP` (docs/guide/backups.md); for a new server give a new {option}"
)
LOST = (
    "{path} is missing, but a server has used it: {trace} is still there. Put the file back, or restore the last "
    "backup with `ladderboard restore BACKUP` (docs/guide/backups.md); for a new server give a new {option}"
)
NOTE = "A server has kept its data in {name}, beside this file. Without that file it does not begin anew by itself.\n"
BEGINNING_SECONDS = 1
"""How long a new file of SQLite may be without a byte: it gets its header as soon as it is opened."""


def refuse_lost(database: Database, *, files: Path | None, option: str) -> None:
    """Raise where a server has used this SQLite file, and it is gone or has no bytes.

    ``files``: the folder of this database's files, where it has one; ``option``: the one that names another database.
    """
    if not database.is_sqlite:
        return
    path = Path(str(database.url.database))
    # Looked for first: another server that begins makes its database before anything else.
    trace = _find_trace(path, files)
    if trace is not None and not path.exists():
        raise DatabaseError(LOST.format(path=path, trace=trace, option=option))
    _refuse_emptied(path, option)


def note_use(database: Database) -> None:
    """Leave a note beside the SQLite file, which says that a server has used it."""
    if not database.is_sqlite:
        return
    path = Path(str(database.url.database))
    with suppress(OSError):  # there already; or it cannot be written, which is no reason not to serve
        note = _note_beside(path)
        note.touch(mode=0o600, exist_ok=False)
        note.write_text(NOTE.format(name=path.name), encoding="utf-8")


def _note_beside(path: Path) -> Path:
    return path.with_name(path.name + ".used")


def _find_trace(path: Path, files: Path | None) -> Path | None:
    """What tells that a server has used the file: our note, SQLite's own second file, files that teams sent."""
    for beside in (_note_beside(path), path.with_name(path.name + "-wal")):
        if beside.exists():
            return beside
    return files if files is not None and files.is_dir() and any(files.iterdir()) else None


def _refuse_emptied(path: Path, option: str) -> None:
    """Raise where the file has no bytes, and gets none: a database without any table has a header."""
    if not path.exists():
        return
    begun = time.monotonic()
    while not path.stat().st_size:  # as it is for a moment where another server begins in it
        if time.monotonic() - begun > BEGINNING_SECONDS:
            raise DatabaseError(EMPTIED.format(path=path, option=option))
        time.sleep(0.01)
