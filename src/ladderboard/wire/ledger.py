"""The public ledger, and what is published after the reveal."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class LedgerEntryBody:
    """One entry of the ledger; ``opening`` and ``salt`` where they may be seen. See `hosting.audit.audit`."""

    seq: int
    at: str
    kind: str
    body: dict[str, Any]
    sealed: str | None
    previous: str
    hash: str
    opening: dict[str, Any] | None = None
    salt: str | None = None


@dataclass(frozen=True)
class LedgerBody:
    """A part of the ledger. ``head``: the hash of the last entry of all, which is worth noting down."""

    items: list[LedgerEntryBody]
    total: int
    next: str | None
    head: str


@dataclass(frozen=True)
class PublicationBody:
    """What opens the commitment after the reveal."""

    format: int
    competition: str
    scoring_version: int
    salt: str
    opening: dict[str, Any]
    rules: str
    metric_source: str
    submission_format: dict[str, Any]
    columns: list[str]
    submissions_are_published: bool
    private_board: dict[str, Any] | None
    solution: dict[str, list[Any] | None]
