"""The submitted files of a publication: sent as a zip, and read from one."""

import zipfile
from collections.abc import Iterator
from datetime import datetime
from itertools import chain
from pathlib import Path

from ladderboard.core.errors import InputError
from ladderboard.server.audit.ledger_view import LedgerView
from ladderboard.server.db.database import Connection
from ladderboard.server.db.files import Files
from ladderboard.server.operations.archives import ZipMember, stream_zip
from ladderboard.server.services import Services

LARGEST_BYTES = 1 << 30
"""No submitted file is larger; what an archive claims beyond that is not unpacked."""


def stream_published(services: Services, view: LedgerView) -> Iterator[bytes]:
    """Every submitted file once, under its SHA-256, in the order of the ledger."""
    return stream_zip(_members(services, view))


def _members(services: Services, view: LedgerView) -> Iterator[ZipMember]:
    sent: set[str] = set()
    for shown in chain.from_iterable(view.pages_apart(services.database)):
        digest = (shown.opening or {}).get("file")
        if shown.entry.kind == "submission" and digest is not None and digest not in sent:
            sent.add(digest)
            yield digest, [services.files.read(digest)]


class PublishedFiles(Files):
    """The files of a publication's zip, or of a folder it was unpacked to; `read` checks each against its digest."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.damaged = {}  # there is no database, which is all that the base class keeps beside it
        try:
            self._archive = None if path.is_dir() else zipfile.ZipFile(path)
        except (OSError, zipfile.BadZipFile):
            raise InputError(f"{path} is neither a folder nor a zip archive of submissions") from None

    def put(self, content: bytes) -> str:
        raise NotImplementedError("a publication is only read")

    def record(self, connection: Connection, digest: str, content: bytes, now: datetime) -> None:
        raise NotImplementedError("a publication is only read")

    def _read_stored(self, digest: str) -> bytes | None:
        try:
            if self._archive is None:
                return (self._path / digest).read_bytes()
            if self._archive.getinfo(digest).file_size > LARGEST_BYTES:
                return None
            return self._archive.read(digest)
        except (KeyError, FileNotFoundError):
            return None

    @property
    def _place(self) -> str:
        return str(self._path)
