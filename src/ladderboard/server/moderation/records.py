"""Records of flags and sketches."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ladderboard.server.app.records import Time


@dataclass(frozen=True)
class FlagRecord:
    """A hint for the organiser about a submission."""

    id: str
    competition: str
    team_id: str
    submission_id: str
    other_submission_id: str | None
    kind: str
    detail: Any
    at: datetime
    dismissed_at: datetime | None


@dataclass(frozen=True)
class Flag:
    """A flag that is not stored yet."""

    kind: str
    other_submission_id: str | None = None
    detail: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class NamedFlag(FlagRecord):
    """A flag with the names of its team and of the other submission's team."""

    team: str
    other_team: str | None


@dataclass(frozen=True)
class StoredSketch:
    """The sketch of a submission."""

    id: str
    team_id: str
    sketch: bytes


@dataclass(frozen=True)
class OwnSketch(StoredSketch):
    """The sketch of a team's own submission, with its time and the team's number of attempts."""

    received_at: datetime
    attempts: int


@dataclass(frozen=True)
class SketchesNearby:
    """The sketches an attempt is compared with: its own team's last ones, newest first, and some of all teams."""

    own: list[OwnSketch]
    others: list[StoredSketch]


@dataclass(frozen=True)
class FlagBody:
    """A flag for the organiser: a hint, not a verdict. ``words`` explain its kind."""

    id: str
    at: Time
    team: str
    kind: str
    words: str
    submission: str
    other_submission: str | None
    other_team: str | None
    detail: dict[str, Any]
    is_dismissed: bool


@dataclass(frozen=True)
class FlagCountBody:
    """The number of a team's open flags of one kind."""

    team: str
    kind: str
    number: int


@dataclass(frozen=True, eq=False)
class Observation:
    """The sketch, bands and flags of an attempt, before it is recorded."""

    sketch: bytes | None
    bands: tuple[int, ...]
    flags: tuple[Flag, ...]
