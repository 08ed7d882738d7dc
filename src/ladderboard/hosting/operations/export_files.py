"""An export on disk: a folder of files or one zip archive, there whole or not at all."""

import os
import secrets
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import BinaryIO

from ladderboard.core.errors import ConflictError
from ladderboard.hosting.operations.zips import Member, stream_zip


def write_export(members: Iterable[Member], target: Path, *, progress: Callable[[str], None]) -> None:
    """Write to ``target``: a zip archive where its name ends so, else a folder. What is there is not overwritten."""
    if target.exists():
        raise ConflictError(f"{target} exists already; name another place, or remove it first")
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        if target.suffix.lower() == ".zip":
            _write_zip(_announced(members, progress), unfinished)
        else:
            _write_folder(_announced(members, progress), unfinished)
        unfinished.rename(target)
    except BaseException:
        _remove(unfinished)
        raise


def _announced(members: Iterable[Member], progress: Callable[[str], None]) -> Iterable[Member]:
    for name, parts in members:
        progress(name)
        yield name, parts


def _write_zip(members: Iterable[Member], path: Path) -> None:
    with _created(path) as file:
        for part in stream_zip(members):
            file.write(part)


def _write_folder(members: Iterable[Member], folder: Path) -> None:
    folder.mkdir(mode=0o700)
    for name, parts in members:
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        with _created(path) as file:
            for part in parts:
                file.write(part)


def _created(path: Path) -> BinaryIO:
    """A new file for nobody else's eyes: an organiser's export has what teams sent."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
