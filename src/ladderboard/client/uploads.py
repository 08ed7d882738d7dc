"""Uploads: files read in pieces with progress, restarted for every try."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from ladderboard.core.errors import ParameterError

Progress = Callable[[int, int], None]
"""Called with the bytes that were sent and the bytes there are."""

FileLike = str | os.PathLike[str] | bytes | BinaryIO
"""A path, the bytes themselves, or an open binary file that can be read again from its start."""


class UploadReader:
    """An open file with its upload name; implements what httpx needs of a file."""

    def __init__(self, file: BinaryIO, name: str, progress: Progress | None) -> None:
        self.name = name
        self._file, self._progress = file, progress
        self._size, self._sent = file.seek(0, os.SEEK_END), 0
        file.seek(0)

    def read(self, size: int = -1) -> bytes:
        piece = self._file.read(size)
        self._sent += len(piece)
        if self._progress is not None and piece:
            self._progress(self._sent, self._size)
        return piece

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._sent = self._file.seek(offset, whence)
        return self._sent

    def tell(self) -> int:
        return self._sent


@contextmanager
def open_upload(file: FileLike, *, name: str | None, progress: Progress | None = None) -> Iterator[UploadReader]:
    """Open a file for upload. A file that was given open stays open."""
    if isinstance(file, bytes):
        yield UploadReader(BytesIO(file), name or "predictions.csv", progress)
    elif isinstance(file, str | os.PathLike):
        with _open_path(Path(file)) as binary:
            yield UploadReader(binary, name or Path(file).name, progress)
    else:
        yield UploadReader(file, name or Path(str(getattr(file, "name", "predictions.csv"))).name, progress)


def read_whole(file: FileLike, *, name: str | None = None) -> tuple[bytes, str]:
    """Read a file's bytes and name."""
    with open_upload(file, name=name) as upload:
        return upload.read(), upload.name


def _open_path(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise ParameterError(f"{path} cannot be read: {error.strerror or error}") from None
