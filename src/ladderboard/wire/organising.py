"""The JSON shapes for organisers: status, holdout health, flags, grants, rescoring."""

from dataclasses import dataclass
from typing import Any, Literal

from ladderboard.wire.competitions import CompetitionStatus


@dataclass(frozen=True)
class StatusBody:
    """The status of a competition."""

    status: CompetitionStatus


@dataclass(frozen=True)
class HourBody:
    """The number of submissions in an hour."""

    begins: str
    submissions: int


@dataclass(frozen=True)
class HoldoutHealthBody:
    """The information a holdout has released, with bounds for the whole board and for its most-asked instance."""

    status: CompetitionStatus
    attempts: int
    teams: int
    bits: float | None
    bits_limit: float | None
    overfit_bound: float | None
    largest_bits: float | None
    largest_bound: float | None
    is_spent: bool
    spent_at: str | None
    flags: int
    hours: list[HourBody]


@dataclass(frozen=True)
class FlagBody:
    """A flag for the organiser: a hint, not a verdict. ``words`` explain its kind."""

    id: str
    at: str
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


@dataclass(frozen=True)
class GrantBody:
    """A team's extra attempts."""

    team: str
    extra_per_day: int
    extra_total: int
    attempts: int


@dataclass(frozen=True)
class TeamChangeBody:
    """A team's rank and score before and after a correction."""

    team: str
    kind: Literal["team", "baseline"]
    value_before: float | None
    value_after: float | None
    rank_before: int | None
    rank_after: int | None


@dataclass(frozen=True)
class RescoringBody:
    """The effect of a corrected solution; ``bits_told`` is what publishing it adds to the leakage meter."""

    scoring_version: int
    submissions: int
    releases_changed: int
    acceptances_changed: int
    bits_told: float
    teams: list[TeamChangeBody]
