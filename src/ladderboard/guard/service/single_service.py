"""One service per guard file: a lock that ends with the process, also under ``kill -9``."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ladderboard.core.errors import GuardFileError, ParameterError


@contextmanager
def claim_guard_file(guard: Path) -> Iterator[None]:
    """Hold the lock of the guard file; raises `GuardFileError` while another service holds it.

    The lock is on a file beside it: SQLite's own locks are on the guard file, and on some network drives the two kinds
    are one. The file stays behind, since removing it would let two services lock two files of that name.
    """
    guard = guard.resolve()  # a link to it is the same file
    if guard.stat().st_nlink > 1:
        # SQLite finds the file of unfinished changes by the name: under two names they would be lost.
        raise GuardFileError(f"{guard} has another name (a hard link); remove one of them, or serve a copy")
    place = guard.with_name(f"{guard.name}.service")
    try:
        import fcntl
    except ModuleNotFoundError:
        raise ParameterError("a holdout service needs Linux or macOS: this system has no file locks (fcntl)") from None
    try:
        handle = os.open(place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as problem:
        raise GuardFileError(f"{place} cannot be written ({problem.strerror}); check the directory's owner") from None
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            other = os.read(handle, 20).decode("ascii", "replace").strip()
            raise GuardFileError(
                f"another service (process {other}) has {guard}; stop it first, or give its address to your clients"
            ) from None
        os.ftruncate(handle, 0)
        os.write(handle, f"{os.getpid()}\n".encode())
        yield
    finally:
        os.close(handle)
