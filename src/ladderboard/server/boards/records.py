"""Records of the public board."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from ladderboard.server.app.records import Time
from ladderboard.server.competitions.records import CompetitionStatus
from ladderboard.server.submissions.records import RankRangeBody
from ladderboard.server.teams.records import TeamKind


@dataclass(frozen=True)
class StandingBody:
    """A row of the public leaderboard, from scores shown only. A baseline has no rank.

    On a board that shows no scores there are neither ranks nor values, and teams are listed by name.

    ``last_improvement``: when the value last changed; it orders the display of ties.
    """

    rank: int | None
    rank_range: RankRangeBody | None
    team: str
    kind: TeamKind
    value: float | None
    attempts: int
    last_improvement: Time | None
    is_tied: bool


@dataclass(frozen=True)
class BoardRow(StandingBody):
    """A row of the public board, with its team and the scores that the board has shown for it, oldest first.

    ``history`` is read only where it is asked for.
    """

    id: str
    history: tuple[float, ...] = ()


@dataclass(frozen=True)
class LeaderboardBody:
    """A page of the public leaderboard. ``total`` counts all rows, or all hits of a search.

    ``shows_scores``: False where no score is shown before the reveal.
    """

    competition: str
    status: CompetitionStatus
    metric: str
    lower_is_better: bool
    updated: Time
    scoring_version: int
    total: int
    page: int
    per_page: int
    next: str | None
    items: list[StandingBody]
    shows_scores: bool = True


@dataclass(frozen=True)
class TeamStanding:
    """A team or baseline on the board. ``board_order`` is what ranks are counted by."""

    id: str
    name: str
    kind: TeamKind
    attempts: int
    board_value: float
    board_order: float
    standard_error: float | None
    last_improved_at: datetime | None


class StandingCount(NamedTuple):
    """How many teams share these numbers on the board; a tuple, since every submission reads hundreds."""

    board_order: float
    board_value: float
    standard_error: float | None
    teams: int


@dataclass(frozen=True)
class Entrant:
    """A team that has submitted, on a board that shows no scores."""

    id: str
    name: str
    attempts: int
