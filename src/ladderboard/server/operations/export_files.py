"""Exports on disk: a folder or a zip archive, written whole or not at all."""

import os
import secrets
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import BinaryIO

from ladderboard.core.errors import ConflictError
from ladderboard.server.operations.zips import ZipMember, stream_zip


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
