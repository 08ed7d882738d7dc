"""A submission as it arrives, as it is read, and the answer it gets."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from ladderboard.core.errors import ParameterError
from ladderboard.metrics.inputs import Array
from ladderboard.server.moderation.observations import Observation
from ladderboard.server.submissions.records import EntryKind

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
class ParsedSubmission:
    """A submission whose file was read: predictions for all rows in their canonical form."""

    incoming: IncomingSubmission
    kind: EntryKind
    predictions: Array
    fingerprint: str
    file_digest: str
    observation: Observation
    """For the organiser's eyes."""


@dataclass(frozen=True)
class Answer:
    """The answer to a participant: HTTP status and JSON."""

    status: int
    content: dict[str, Any]


def refuse_long_note(note: str) -> None:
    """Raise `ParameterError` for a note that is too long to keep."""
    if len(note) > LONGEST_NOTE:
        raise ParameterError(f"the note has {len(note)} characters; at most {LONGEST_NOTE} are kept")
