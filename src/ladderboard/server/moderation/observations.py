"""Observations about an attempt, besides its score: for the organiser, never for participants."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Flag:
    """A hint for the organiser about a submission."""

    kind: str
    other_submission_id: str | None = None
    detail: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Observation:
    """The sketch, bands and flags of an attempt, before it is recorded."""

    sketch: bytes
    bands: tuple[int, ...]
    flags: tuple[Flag, ...]
