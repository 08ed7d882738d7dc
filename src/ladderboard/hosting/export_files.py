"""An export on disk: a folder of files or one zip archive, there whole or not at all."""

import secrets
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

from ladderboard.errors import ConflictError
from ladderboard.hosting.zips import Member, stream_zip


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
    with path.open("xb") as file:
        for part in stream_zip(members):
            file.write(part)


def _write_folder(members: Iterable[Member], folder: Path) -> None:
    folder.mkdir()
    for name, parts in members:
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        with path.open("xb") as file:
            for part in parts:
                file.write(part)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
