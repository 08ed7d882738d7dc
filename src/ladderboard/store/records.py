"""Frozen records, one for each kind of row that leaves the store: nothing above it ever sees a row."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, fields
from datetime import datetime
from functools import lru_cache
from typing import Any, Literal, TypeVar, cast

from sqlalchemy import Result, Row, Select, Table, select

Record = TypeVar("Record")

AccountRole = Literal["organiser", "participant", "reader"]
InvitationKind = Literal["join", "merge"]
TeamStatus = Literal["active", "withdrawn", "disqualified", "merged"]

EntryKind = Literal["live", "late", "baseline"]
"""What a submission is: in time, after the deadline, or a baseline of the organiser's."""


def make_record(kind: type[Record], row: Row[*tuple[Any, ...]]) -> Record:
    """The record of that kind from the columns of a row that have its fields' names; other columns are left out."""
    mapping = row._mapping
    return kind(*(mapping[name] for name in _names(cast(Hashable, kind))))


def find_record(kind: type[Record], result: Result[*tuple[Any, ...]]) -> Record | None:
    """The record of the only row of a result; None where it has none."""
    row = result.one_or_none()
    return None if row is None else make_record(kind, row)


def make_records(kind: type[Record], rows: Iterable[Row[*tuple[Any, ...]]]) -> list[Record]:
    """One record for each row."""
    return [make_record(kind, row) for row in rows]


def select_fields(kind: type[Record], table: Table) -> Select[Any]:
    """Select the columns of a table that a record of that kind has fields for."""
    return select(*(table.c[name] for name in _names(cast(Hashable, kind))))


@lru_cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


@dataclass(frozen=True)
class CompetitionDates:
    """The dates and rules of a competition, and the versions of its board and of its solution."""

    board_version: int
    opened_at: datetime | None
    frozen_at: datetime | None
    finalized_at: datetime | None
    revealed_at: datetime | None
    spent_at: datetime | None
    scoring_version: int
    rules: str
    """As JSON."""


@dataclass(frozen=True)
class CompetitionRecord(CompetitionDates):
    """A competition: its secret, commitment and counters beside its dates and rules."""

    slug: str
    solution_digest: str
    secret: bytes
    commitment_salt: str
    commitment: str
    created_at: datetime
    noise_epoch: int
    last_number: int
    bits: float
    ledger_length: int
    ledger_head: str


@dataclass(frozen=True)
class AccountRecord:
    """A person who can sign in."""

    id: str
    name: str
    name_key: str
    password_hash: str
    role: AccountRole
    created_at: datetime
    disabled_at: datetime | None


@dataclass(frozen=True)
class TeamRecord:
    """A team of a competition: its status, attempts, quota and place on the board."""

    id: str
    competition: str
    name: str
    name_key: str
    kind: str
    status: TeamStatus
    merged_into: str | None
    created_at: datetime
    salt: str
    attempts: int
    accepts: int
    quota_day: str | None
    quota_used: int
    extra_per_day: int
    extra_total: int
    board_value: float | None
    board_order: float | None
    standard_error: float | None
    last_improvement: int | None
    last_improved_at: datetime | None
    last_submitted_at: datetime | None


@dataclass(frozen=True)
class MemberRecord:
    """A person in a team."""

    competition: str
    account_id: str
    team_id: str
    joined_at: datetime
    left_at: datetime | None


@dataclass(frozen=True)
class InvitationRecord:
    """A code that lets one person into a team, or offers a team to another one."""

    id: str
    team_id: str
    code_hash: str
    kind: InvitationKind
    created_by: str
    created_at: datetime
    expires_at: datetime
    used_by: str | None
    used_at: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True)
class TokenRecord:
    """A token of a program."""

    id: str
    account_id: str
    name: str
    hash: str
    scopes: str
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True)
class SessionRecord:
    """A session of a browser."""

    hash: str
    account_id: str
    created_at: datetime
    expires_at: datetime
    ended_at: datetime | None


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


@dataclass(frozen=True)
class FlagRecord:
    """A hint for the organiser about a submission."""

    id: str
    competition: str
    team_id: str
    submission_id: str
    other_submission_id: str | None
    kind: str
    detail: Any
    at: datetime
    dismissed_at: datetime | None


@dataclass(frozen=True)
class WebhookRecord:
    """A webhook: an address that receives events."""

    id: str
    competition: str | None
    url: str
    secret: str
    events: Any
    created_at: datetime
    disabled_at: datetime | None


@dataclass(frozen=True)
class DeliveryRecord:
    """An event on its way to a webhook."""

    id: str
    webhook_id: str
    event: Any
    created_at: datetime
    tries: int
    next_at: datetime | None
    delivered_at: datetime | None
    last_answer: str | None


@dataclass(frozen=True)
class PrivateResultRecord:
    """The private board as it was computed."""

    competition: str
    scoring_version: int
    computed_at: datetime
    result: Any
