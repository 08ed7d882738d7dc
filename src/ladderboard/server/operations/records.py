"""Records of health and exports, and what organisers are told."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ladderboard.server.app.records import Time
from ladderboard.server.competitions.records import CompetitionStatus
from ladderboard.server.moderation.records import FlagRecord
from ladderboard.server.submissions.records import SubmissionRecord
from ladderboard.server.teams.records import TeamRecord


@dataclass(frozen=True)
class StatusBody:
    """The status of a competition."""

    status: CompetitionStatus


@dataclass(frozen=True)
class HourBody:
    """The number of submissions in an hour."""

    begins: Time
    submissions: int


@dataclass(frozen=True)
class HoldoutHealthBody:
    """The information a holdout has released, with bounds for the whole board and for its most-asked instance."""

    # With probability 95 % no submission's public score is further than ``overfit_bound`` from its true score, however
    # teams used what was released to all; ``largest_bound``: the same for the best-informed memory. ``hours``: the
    # last seven days; hours without any are left out.

    status: CompetitionStatus
    attempts: int
    teams: int
    bits: float
    bits_limit: float | None
    overfit_bound: float | None
    largest_bits: float
    largest_bound: float | None
    is_spent: bool
    spent_at: Time | None
    flags: int
    hours: list[HourBody]


@dataclass(frozen=True)
class ExportedMember:
    """A person who is, or was, in a team."""

    account_id: str
    name: str
    team_id: str
    joined_at: datetime
    left_at: datetime | None


@dataclass(frozen=True)
class ExportedStanding(TeamRecord):
    """A team on the public board; a baseline has no rank."""

    rank: int | None


@dataclass(frozen=True)
class ExportedSubmission(SubmissionRecord):
    """A submission with the names of its team and its sender."""

    team: str
    sender: str | None


@dataclass(frozen=True)
class ExportedRelease:
    """The release of a submission under another scoring version."""

    number: int
    submission_id: str
    scoring_version: int
    release: Any


@dataclass(frozen=True)
class ExportedFlag(FlagRecord):
    """A flag with the name of its team."""

    team: str


@dataclass(frozen=True)
class GradedMember:
    """A person with what counts of the own team; a participant without one has None there."""

    person: str
    real_name: str | None
    address: str | None
    team: str | None = None
    team_id: str | None = None
    status: str | None = None
    attempts: int = 0
    board_value: float | None = None


@dataclass(frozen=True)
class GradeRow:
    """A line of the gradebook. ``name`` and ``address``: what the invitation said; ``person``: the account."""

    name: str | None
    address: str | None
    person: str
    team: str | None
    team_status: str | None
    attempts: int
    public_score: float | None
    public_rank: int | None
    private_score: float | None
    private_rank: int | None
    rank_range_best: int | None
    rank_range_worst: int | None
    points: float | None
