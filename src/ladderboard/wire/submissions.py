"""The JSON shapes of submissions: release, quota, budget and rank."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class ReleaseBody:
    """Everything shown of one attempt; numbers are in the metric's natural direction. See `ladderboard.Release`.

    ``board_value`` is the team's score on the board after the attempt. ``value`` is what was told for the attempt: its
    own score if it was ``accepted`` (or the mechanism shows every score), else the score of the entry on the board.
    ``improved``: proven better than the last proven entry; the same as ``accepted`` where the mechanism proves nothing.
    """

    value: float | None
    board_value: float | None
    accepted: bool
    improved: bool
    attempt: int
    interval: list[float] | None
    standard_error: float | None = None


OutcomeName = Literal["improved", "new_best", "updated", "no_change"]


@dataclass(frozen=True)
class OutcomeBody:
    """The outcome of an attempt in words: ``name`` for programs, ``title`` and ``sentence`` for people.

    ``improved``: proven better than the last proven entry. ``new_best``: accepted, and the score shown is better; not
    proven. ``updated``: accepted, and the score shown is not better. ``no_change``: not accepted; or the same
    predictions as before, unless they are the proven entry now.
    """

    name: OutcomeName
    title: str
    sentence: str


@dataclass(frozen=True)
class QuotaBody:
    """A team's quota; None: no limit."""

    per_day: int | None
    used_today: int
    left_today: int | None
    total: int | None
    used: int
    left: int | None
    resets_at: str


@dataclass(frozen=True)
class BudgetBody:
    """A mechanism's budget of new scores (shaky_ladder) or corrections (thresholdout) for a team.

    ``used`` and ``left`` are None while only the mechanism knows; once it is spent, no more numbers are told.
    """

    total: int
    used: int | None
    left: int | None
    is_spent: bool


@dataclass(frozen=True)
class RankRangeBody:
    """The plausible ranks, from scores shown only."""

    best: int
    worst: int


@dataclass(frozen=True)
class ScoredBody:
    """The answer to a submission. ``duplicate``: the same predictions were scored before; no attempt was used.

    ``outcome`` says what became of it; it is missing in answers of earlier versions that were stored.
    ``phase`` late: it came after the deadline, is scored apart and has no rank; the board stays as it is.
    """

    id: str
    status: Literal["scored"]
    duplicate: bool
    release: ReleaseBody
    rank: int | None
    quota: QuotaBody
    rank_range: RankRangeBody | None = None
    phase: Literal["live", "late", "baseline"] = "live"
    outcome: OutcomeBody | None = None


@dataclass(frozen=True)
class SubmissionBody:
    """A team's own submission. ``phase``: live, late (after the deadline, not comparable) or baseline.

    ``number`` counts all submissions to the competition, ``attempt`` those of the team. ``own_value`` is the score
    that was shown for this submission itself; None where none was.
    """

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
    attempt: int | None = None
    outcome: OutcomeName | None = None
    own_value: float | None = None
