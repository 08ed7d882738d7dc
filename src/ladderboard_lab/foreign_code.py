"""Code from outside the package: its failures in one sentence with their line, and whether its files have changed."""

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import blake2b
from importlib.metadata import entry_points
from pathlib import Path

import ladderboard as lb

FILE_PREFIX = "ladderboard_file_"
"""Names of modules that were loaded from a user's file begin so, in this process and in workers."""
GROUPS = ("ladderboard.mechanisms", "ladderboard.attacks", "ladderboard.experiments")
"""Groups of entry points: name = "module:object"."""


@contextmanager
def explain_failures() -> Iterator[None]:
    """Turn an exception that a user's own file or package raised into a `ParameterError` of one sentence.

    An exception without a frame of theirs is ours, and keeps its traceback.
    """
    try:
        yield
    except lb.LadderboardError:
        raise
    except Exception as error:
        place = _find_foreign_place(error)
        if place is None:
            raise
        words = f": {error}" if str(error) else ""
        raise lb.ParameterError(f"{place}: {type(error).__name__}{words}") from error


def digest_files(*objects: object) -> dict[str, str]:
    """The users' files that these objects were loaded from, each with a digest of its content."""
    modules = {str(getattr(one, "__module__", "")) for one in objects}
    files = [Path(str(sys.modules[name].__file__)) for name in sorted(modules) if name.startswith(FILE_PREFIX)]
    return {file.name: digest_file(file) for file in files}


def digest_file(file: Path) -> str:
    """32 hexadecimal digits that change with the content."""
    return blake2b(file.read_bytes(), digest_size=16).hexdigest()


def _find_foreign_place(error: Exception) -> str | None:
    """The last line of foreign code on the way to the error."""
    found = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        if _is_foreign(str(frame.f_globals.get("__name__", ""))):
            found = f"{Path(frame.f_code.co_filename).name}, line {line}, in {frame.f_code.co_name}"
    return found


def _is_foreign(module: str) -> bool:
    return module.startswith(FILE_PREFIX) or module.partition(".")[0] in _list_packages()


@cache
def _list_packages() -> frozenset[str]:
    """The packages that register something for the laboratory."""
    return frozenset(point.module.partition(".")[0] for group in GROUPS for point in entry_points(group=group)) - {
        "ladderboard",
        "ladderboard_lab",
    }
