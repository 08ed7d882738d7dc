"""A copy of a folder that belongs to somebody else, taken so that they cannot make us read anything but it.

Whoever owns the folder may exchange it for a link while it is read. So every step opens a name below an open folder and
follows no link; links themselves are copied as links, which lead nowhere in the sandbox.
"""

import os
import shutil
import stat
from pathlib import Path, PurePath

from ladderboard.core.errors import ParameterError

MEGABYTE = 1 << 20
DEEPEST = 32


def copy_folder(root: Path, name: str, target: Path, *, most_mb: int) -> None:
    """Copy the folder ``name`` below ``root`` to ``target``, which does not exist yet."""
    parts = PurePath(name).parts
    if not parts or ".." in parts or PurePath(name).is_absolute():
        raise ParameterError(f"{name!r} is no folder below {root}; give its name there, such as 'agent'")
    try:
        folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
        try:
            for part in parts:
                folder = _replace(folder, _open_folder(folder, part))
            _copy(folder, target, room=[most_mb * MEGABYTE], depth=0)
        finally:
            os.close(folder)
    except OSError as problem:
        raise ParameterError(
            f"{name!r} below {root} cannot be read ({problem.strerror}); give a folder of plain files that its "
            "referee may read"
        ) from None
    except _FullError:
        raise ParameterError(
            f"{name!r} has more than {most_mb} MB, or folders in {DEEPEST} others; leave out what is not needed"
        ) from None


class _FullError(Exception):
    """More than was allowed."""


def _copy(folder: int, target: Path, *, room: list[int], depth: int) -> None:
    if depth > DEEPEST:
        raise _FullError
    target.mkdir()
    target.chmod(0o755)  # in the sandbox another user reads it; here it stands in a folder of the referee alone
    for name in sorted(os.listdir(folder)):
        kind = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        if stat.S_ISDIR(kind):
            inner = _open_folder(folder, name)
            try:
                _copy(inner, target / name, room=room, depth=depth + 1)
            finally:
                os.close(inner)
        elif stat.S_ISLNK(kind):
            (target / name).symlink_to(os.readlink(name, dir_fd=folder))
        elif stat.S_ISREG(kind):
            _copy_file(folder, name, target / name, room)


def _copy_file(folder: int, name: str, target: Path, room: list[int]) -> None:
    source = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    with os.fdopen(source, "rb") as reading:
        facts = os.fstat(source)
        room[0] -= facts.st_size + 1024  # a million empty files are not free either
        if room[0] < 0 or not stat.S_ISREG(facts.st_mode):
            raise _FullError
        with target.open("wb") as writing:
            shutil.copyfileobj(reading, writing)
    target.chmod(0o755 if facts.st_mode & stat.S_IXUSR else 0o644)


def _open_folder(folder: int, name: str) -> int:
    return os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)


def _replace(folder: int, inner: int) -> int:
    os.close(folder)
    return inner
