"""The note that `holdout init` leaves in a guard's file for `score`."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ladderboard.guard.file import GuardFile

if TYPE_CHECKING:
    from ladderboard.guard.file_schema import GuardSettings


@dataclass(frozen=True)
class Note:
    """How `init` found the labels and the metric; stored in the guard's file for `score`."""

    metric: dict[str, Any] = field(default_factory=dict)
    columns: dict[str, Any] = field(default_factory=dict)
    tasks: str | None = None
    """The file of tasks, and that of the grader, where the guard grades."""
    grader: str | None = None

    @classmethod
    def parse(cls, text: str) -> "Note":
        return cls(**json.loads(text)) if text else cls()


def read_settings(path: Path) -> "GuardSettings":
    """Read the settings of a guard."""
    guard = GuardFile.open(path)
    guard.close()
    return guard.settings


def find_tasks(path: Path) -> Path | None:
    """Find the file of tasks of a guard that grades."""
    tasks = Note.parse(read_settings(path).note).tasks
    return None if tasks is None else Path(tasks)


def save_note(path: Path, note: Note) -> None:
    """Write the note into the guard's file."""
    guard = GuardFile.open(path)
    guard.write_note(json.dumps(asdict(note)))
    guard.close()
