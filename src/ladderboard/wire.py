"""The JSON shapes of the API, version 1, as frozen dataclasses: shared by the server, the client and the commands.

They need nothing but the standard library, so that the client stays small. What the server *accepts* is checked beside
its routes.
"""

from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

Item = TypeVar("Item")

Role = Literal["organiser", "participant", "reader"]
Scope = Literal["read", "submit", "organise"]
CompetitionStatus = Literal["upcoming", "open", "closed", "finalized", "revealed", "spent"]

# -- errors, pages of a list ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ErrorDetail:
    """What went wrong: a stable code for programs, a sentence for people, and more where there is more to say."""

    code: str
    message: str
    details: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ErrorBody:
    """The one shape of every error."""

    error: ErrorDetail


@dataclass(frozen=True)
class Page(Generic[Item]):
    """A part of a list. ``next`` is the address of the following part; None: this is the last."""

    items: list[Item]
    total: int
    next: str | None = None


# -- health -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Health:
    """Whether a server runs, or is ready."""

    status: Literal["ok"] = "ok"


# -- submissions ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ReleaseBody:
    """All that is told of one attempt; numbers are in the metric's natural direction. See `ladderboard.Release`."""

    value: float | None
    board_value: float | None
    accepted: bool
    improved: bool
    attempt: int
    interval: list[float] | None


@dataclass(frozen=True)
class QuotaBody:
    """What a team may still ask; None: no limit."""

    per_day: int | None
    used_today: int
    left_today: int | None
    total: int | None
    used: int
    left: int | None
    resets_at: str


@dataclass(frozen=True)
class RankRangeBody:
    """The ranks that are plausible, from released numbers alone."""

    best: int
    worst: int


@dataclass(frozen=True)
class ScoredBody:
    """The answer to a submission. ``duplicate``: the same predictions were scored before, and nothing was charged."""

    id: str
    status: Literal["scored"]
    duplicate: bool
    release: ReleaseBody
    rank: int | None
    quota: QuotaBody
    rank_range: RankRangeBody | None = None


@dataclass(frozen=True)
class SubmissionBody:
    """A team's own submission. ``phase``: live, late (after the deadline, not comparable) or baseline."""

    id: str
    number: int
    status: Literal["scored"]
    phase: Literal["live", "late", "baseline"]
    received_at: str
    file_name: str
    file_size: int
    note: str
    release: ReleaseBody
    scoring_version: int
    is_picked: bool
