"""A submission as it arrives, as it is scored, and the answer it gets."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from ladderboard.hosting.moderation.observations import Observation
from ladderboard.metrics.inputs import Array


@dataclass(frozen=True)
class IncomingSubmission:
    """A submission as it arrived. ``received_at`` is by the database's clock: in time is what arrived in time."""

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
    """An attempt whose file was read: predictions for all rows in their canonical form."""

    attempt: IncomingSubmission
    phase: str
    """"live", "late" or "baseline"."""
    predictions: Array
    fingerprint: str
    file_digest: str
    observation: Observation
    """For the organiser's eyes."""


@dataclass(frozen=True)
class Answer:
    """What the participant is told, as HTTP status and JSON."""

    status: int
    content: dict[str, Any]
