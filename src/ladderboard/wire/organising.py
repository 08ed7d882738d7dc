"""What only organisers see: status, holdout health, flags, grants, rescoring."""

from dataclasses import dataclass
from typing import Any, Literal

from ladderboard.wire.competitions import CompetitionStatus


@dataclass(frozen=True)
class StatusBody:
    """Where a competition stands."""

    status: CompetitionStatus


@dataclass(frozen=True)
class HourBody:
    """How many submissions came in an hour."""

    begins: str
    submissions: int


@dataclass(frozen=True)
class HoldoutHealthBody:
    """What a holdout has told. ``overfit_bound``: of the whole board, ``largest_bound``: of the most told memory."""

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
    """Something to look at; a hint and no verdict. ``words`` say what the kind means."""

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
    """How many open flags of a kind a team has."""

    team: str
    kind: str
    number: int


@dataclass(frozen=True)
class GrantBody:
    """What a team may ask beyond the rules."""

    team: str
    extra_per_day: int
    extra_total: int
    attempts: int


@dataclass(frozen=True)
class TeamChangeBody:
    """A team's place before and after a correction."""

    team: str
    kind: Literal["team", "baseline"]
    value_before: float | None
    value_after: float | None
    rank_before: int | None
    rank_after: int | None


@dataclass(frozen=True)
class RescoringBody:
    """What a corrected solution changes; ``bits_told``: what its publication adds to the meter."""

    scoring_version: int
    submissions: int
    releases_changed: int
    acceptances_changed: int
    bits_told: float
    teams: list[TeamChangeBody]
