"""Records of jobs: their rows, their place in the queue, and what teams and organisers see of them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from ladderboard.core.errors import LadderboardError
from ladderboard.server.app.records import Time
from ladderboard.server.submissions.records import KeptFile
from ladderboard.server.teams.records import QuotaBody

JobStatus = Literal["received", "scoring", "scored", "failed"]
Phase = Literal["live", "late", "baseline"]


class LeaseLostError(LadderboardError):
    """A job that somebody else has taken up: what was made of it here counts no more."""

    code = "lease_lost"


class ProgramFailedError(LadderboardError):
    """A submitted program that gave no answers; the message is for its team.

    On the sample its team has the ``log`` and keeps its attempt. On hidden inputs it is ``charged``, and the ``report``
    is for the organiser alone.
    """

    code = "program_failed"

    def __init__(self, message: str, *, is_charged: bool, log: KeptFile | None = None, report: str = "") -> None:
        super().__init__(message)
        self.is_charged, self.log, self.report = is_charged, log, report


@dataclass(frozen=True)
class JobRecord:
    """A job as it is kept. ``report`` is for the organiser's eyes."""

    id: str
    competition: str
    team_id: str
    account_id: str | None
    phase: Phase
    received_at: datetime
    file_digest: str
    file_name: str
    file_size: int
    note: str
    training_score: float | None
    fingerprint: str
    request_key: str | None
    quota_day: str | None
    status: JobStatus
    tries: int
    due_at: datetime
    lease: str | None
    begun_at: datetime | None
    finished_at: datetime | None
    log_digest: str | None
    output_digest: str | None
    answer: dict[str, Any] | None
    failure: str | None
    report: str | None

    @property
    def is_pending(self) -> bool:
        return self.status in ("received", "scoring")


@dataclass(frozen=True)
class QueuePlace:
    """How many jobs are taken before this one is done, itself among them, and how long that takes where it is known."""

    place: int
    estimate_seconds: float | None


@dataclass(frozen=True)
class JobBody:
    """A submission that is scored in its turn, or could not be scored.

    ``place``: 1 where it is the next, or being scored. Teams take turns, so that it is the same however many
    submissions another team has sent. ``estimate_seconds``: until it is scored, from the last ones; null where nothing
    is known. ``failure``: why it was not scored; ``charged``: whether it counts as an attempt all the same.
    ``has_log``: there is the log of a program's run on the sample.
    """

    id: str
    status: Literal["received", "scoring", "failed"]
    phase: Phase
    received_at: Time
    file_name: str
    file_size: int
    note: str
    place: int | None = None
    estimate_seconds: float | None = None
    failure: str | None = None
    charged: bool = True
    has_log: bool = False
    duplicate: bool = False
    quota: QuotaBody | None = None


@dataclass(frozen=True)
class QueuedJobBody:
    """A job in the organiser's list. ``report``: what went wrong, which its team does not see."""

    id: str
    team: str
    status: JobStatus
    phase: Phase
    received_at: Time
    begun_at: Time | None
    finished_at: Time | None
    file_name: str
    file_size: int
    tries: int
    failure: str | None
    report: str | None
