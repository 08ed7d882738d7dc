"""Records of submissions: as they arrive, as they are stored, and what is released of them."""

import hashlib
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, Literal

from ladderboard.core.errors import ParameterError
from ladderboard.server.app.records import Time
from ladderboard.server.moderation.records import Observation
from ladderboard.server.teams.records import QuotaBody, TeamRecord


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
    that was shown for this submission itself; None where none was. ``public_value`` and ``private_value`` are its
    scores on all public and on all private rows, once these are revealed; None for late entries, where the rules keep
    the solution secret (but for the private one of what counted), and in lists of very large files: ask for the
    submission itself. ``answer``: of one that was queued, what it would have been answered at once; not in lists.
    """

    id: str
    number: int
    status: Literal["scored"]
    phase: Literal["live", "late", "baseline"]
    received_at: Time
    file_name: str
    file_size: int
    note: str
    release: ReleaseBody
    scoring_version: int
    is_picked: bool
    attempt: int | None = None
    outcome: OutcomeName | None = None
    own_value: float | None = None
    private_value: float | None = None
    public_value: float | None = None
    answer: ScoredBody | None = None


EntryKind = Literal["live", "late", "baseline"]
"""What a submission is: in time, after the deadline, or a baseline of the organiser's."""


@dataclass(frozen=True)
class SubmissionRecord:
    """A recorded submission and its release."""

    id: str
    competition: str
    team_id: str
    account_id: str | None
    number: int
    attempt: int
    noise_epoch: int
    phase: EntryKind
    received_at: datetime
    scored_at: datetime
    file_digest: str
    file_name: str
    file_size: int
    note: str
    training_score: float | None
    fingerprint: str
    sketch: bytes | None
    release: Any
    scoring_version: int
    accepted: bool
    improved: bool
    board_value: float | None
    picked_at: datetime | None
    output_digest: str | None
    scores_digest: str | None


@dataclass(frozen=True)
class CompetitionCounters:
    """The competition counters a submission reads and updates."""

    slug: str
    frozen_at: datetime | None
    finalized_at: datetime | None
    spent_at: datetime | None
    scoring_version: int
    noise_epoch: int
    board_version: int
    last_number: int
    bits: float
    ledger_length: int
    ledger_head: str


@dataclass(frozen=True)
class Duplicate:
    """The team's earlier submission with the same predictions."""

    id: str
    release: dict[str, Any]


@dataclass(frozen=True)
class StoredResponse:
    """The answer that a team got to an earlier request with the same key."""

    body_digest: str
    status: int
    answer: dict[str, Any]


@dataclass(frozen=True)
class AttemptContext:
    """What a submission is judged from. ``state_version`` counts the changes of ``state``; 0 before the first."""

    state: str | None
    state_version: int
    bits: float
    competition: CompetitionCounters
    team: TeamRecord
    duplicate: Duplicate | None = None
    stored: StoredResponse | None = None


@dataclass(frozen=True)
class StoredAnswers:
    """Where a submission's answers are kept, by digest: as they are read, and the item scores made of them."""

    file: str
    scores: str | None = None


@dataclass(frozen=True)
class OwnSubmission:
    """What a team may see of its own submission: nothing beyond the release, and no digest but that of its file."""

    id: str
    competition: str
    team_id: str
    number: int
    phase: EntryKind
    received_at: datetime
    file_name: str
    file_size: int
    file_digest: str
    note: str
    release: dict[str, Any]
    scoring_version: int
    picked_at: datetime | None
    output_digest: str | None
    scores_digest: str | None

    @property
    def stored(self) -> StoredAnswers:
        return StoredAnswers(self.output_digest or self.file_digest, self.scores_digest)


@dataclass(frozen=True)
class OwnScores:
    """The scores of a submission on all public and on all private rows; None where the metric has no value."""

    public: float | None
    private: float | None


NO_SCORES = OwnScores(None, None)


@dataclass(frozen=True)
class SubmissionOutcome:
    """The release of one submission of a team."""

    id: str
    number: int
    release: dict[str, Any]
    accepted: bool
    improved: bool
    board_value: float | None


LONGEST_NOTE = 2000
"""Characters."""


@dataclass(frozen=True)
class IncomingSubmission:
    """A submission as it arrived.

    ``received_at`` is by the database's clock. A submission counts if it arrives before the deadline.
    """

    team_id: str
    content: bytes
    received_at: datetime
    account_id: str | None = None
    file_name: str = ""
    note: str = ""
    idempotency_key: str | None = None
    training_score: float | None = None
    is_baseline: bool = False

    @cached_property
    def body_digest(self) -> str:
        """What an idempotency key is bound to."""
        parts = (self.content, self.note.encode(), repr(self.training_score).encode())
        return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


@dataclass(frozen=True, eq=False)
class KeptFile:
    """A file that was put, and is recorded with what refers to it."""

    digest: str
    content: bytes = field(repr=False)


@dataclass(frozen=True, eq=False)
class ParsedSubmission:
    """A submission whose file was read."""

    incoming: IncomingSubmission
    kind: EntryKind
    fingerprint: str
    file_digest: str
    observation: Observation
    """For the organiser's eyes."""
    scores: KeptFile | None = None
    """Its item scores, where they are kept."""


QUEUED = 202
"""The status of an answer to a submission that is scored in its turn."""


@dataclass(frozen=True)
class Answer:
    """The answer to a participant: HTTP status and JSON."""

    status: int
    content: dict[str, Any]


def refuse_long_note(note: str) -> None:
    """Raise `ParameterError` for a note that is too long to keep."""
    if len(note) > LONGEST_NOTE:
        raise ParameterError(f"the note has {len(note)} characters; at most {LONGEST_NOTE} are kept")
