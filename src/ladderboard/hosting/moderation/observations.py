"""What was seen of an attempt beside its score: for the organiser, never for a participant."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Flag:
    """Something for the organiser to look at."""

    kind: str
    other_submission_id: str | None = None
    detail: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Observation:
    """What was seen of an attempt before it was recorded."""

    sketch: bytes
    bands: tuple[int, ...]
    flags: tuple[Flag, ...]
