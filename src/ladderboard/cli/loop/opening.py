"""What the commands of a loop share: opening its file with the tasks and the grader it was made with."""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ladderboard.loop.loop import Loop
    from ladderboard.loop.proposal import Proposal

FILE = click.Path(dir_okay=False, path_type=Path)


@contextmanager
def open_loop(path: Path) -> Iterator["tuple[Loop, tuple[Path, ...]]"]:
    """Open the loop of a file; with it come the files that no candidate may read."""
    from ladderboard.cli.guard.note import Note, read_settings
    from ladderboard.core.errors import GuardFileError
    from ladderboard.loop.loop import Loop

    settings = read_settings(path)
    note, metric = Note.parse(settings.note), json.loads(settings.metric_parameters)
    if note.tasks is None or note.grader is None:
        raise GuardFileError(f"{path} is no loop that `loop init` made")
    tasks, grader = Path(note.tasks), Path(note.grader)
    with Loop(tasks, grader, path=path, bounds=(metric["low"], metric["high"])) as opened:
        yield opened, (tasks, grader, path)


def refuse_reach(user: str, secrets: Iterable[Path]) -> None:
    """Refuse to go on where this user could read or replace the tasks, the grader or the loop's file."""
    from ladderboard.guard.service.access import require_no_access

    for one in secrets:
        for file in [one, *(sorted(one.iterdir()) if one.is_dir() else [])]:
            require_no_access(user, labels=None, guard=file)


def to_json(one: "Proposal") -> dict[str, Any]:
    """A proposal as JSON has it."""
    return {**asdict(one), "proposed_at": one.proposed_at.isoformat()}
