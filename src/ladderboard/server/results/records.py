"""Records of finals, of the private board and of rescoring."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from ladderboard.server.app.records import Time
from ladderboard.server.competitions.records import CompetitionStatus
from ladderboard.server.submissions.records import RankRangeBody, ReleaseBody


@dataclass(frozen=True)
class FinalBody:
    """A submission that counts in the end, as its team sees it."""

    id: str
    number: int
    received_at: Time
    file_name: str
    release: ReleaseBody


@dataclass(frozen=True)
class BestPickBody:
    """A team's best submission on the private rows, and the one that counted; ranks are those of the final board.

    ``attempt`` counts the team's submissions. ``rank`` is where the team would stand with it: None for a baseline.
    """

    id: str
    attempt: int
    private_value: float
    rank: int | None
    counted_id: str
    counted_private_value: float | None
    counted_rank: int | None
    sentence: str


@dataclass(frozen=True)
class FinalsBody:
    """A team's finals. If not ``are_picked``, they are the default: the best on the board and the latest.

    ``best``: what would have been the best pick; None before the reveal, where the rules keep the solution secret, and
    while scores are still computed (ask again).
    """

    submissions: list[FinalBody]
    are_picked: bool
    most: int
    best: BestPickBody | None = None


@dataclass(frozen=True, kw_only=True)
class PrivateStandingBody:
    """A row of the private leaderboard.

    ``rank_range``: the ranks that the team may truly have, all right at once. ``group``: 1 is the leading one.
    ``moved``: ranks gained from the public board. ``submission``: which of the finals counted. Without a value: the
    metric has none for these predictions on the private rows.
    """

    team: str
    kind: Literal["team", "baseline"]
    rank: int | None
    rank_range: RankRangeBody | None
    group: int | None
    value: float | None
    is_tied: bool
    could_be_best: bool
    public_rank: int | None
    public_value: float | None
    moved: int | None
    submission: str | None
    finals_are_picked: bool


@dataclass(frozen=True)
class LuckBody:
    """The winner's score before and after the correction for selection."""

    winner: str
    score: float
    corrected: float | None
    # None where no error can be estimated: a winner whose loss is the same on every item.
    interval: list[float] | None
    contenders: int
    # Teams whose range of ranks begins at 1, the winner among them.
    sentence: str


@dataclass(frozen=True)
class PrivateLeaderboardBody:
    """The private leaderboard. Without ``has_private_rows`` it is the final public leaderboard."""

    competition: str
    status: CompetitionStatus
    scoring_version: int
    computed_at: Time
    has_private_rows: bool
    metric: str
    lower_is_better: bool
    units: int
    confidence: float
    luck: LuckBody | None
    statement: str
    items: list[PrivateStandingBody]


@dataclass(frozen=True)
class PrivateResultRecord:
    """The private board as it was computed."""

    competition: str
    scoring_version: int
    computed_at: datetime
    result: Any


@dataclass(frozen=True)
class SubmissionOwner:
    """Whose submission one is now: merging gives a team's submissions to another, but for those it has too."""

    id: str
    team_id: str
    phase: str


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
