"""Records of the ledger and its publication."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ladderboard.core.ledger import Entry


@dataclass(frozen=True)
class LedgerEntryBody:
    """An entry of the ledger, with ``opening`` and ``salt`` if the reader may see them."""

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
    """A page of the ledger. ``head`` is the hash of the very last entry; note it down for later checks."""

    items: list[LedgerEntryBody]
    total: int
    next: str | None
    head: str


@dataclass(frozen=True)
class PublicationBody:
    """The publication that opens the commitment after the reveal."""

    format: int
    competition: str
    scoring_version: int
    salt: str
    opening: dict[str, Any]
    rules: str
    metric_source: str
    files: list[str]
    submission_format: dict[str, Any]
    columns: list[str]
    submissions_are_published: bool
    private_board: dict[str, Any] | None
    solution: dict[str, list[Any] | None]


@dataclass(frozen=True)
class LedgerRow(Entry):
    """An entry as it is stored; ``opening`` and ``salt`` only where they may be seen."""

    team_id: str | None
    opening: dict[str, Any] | None
    salt: str | None


@dataclass(frozen=True)
class Openings:
    """The openings to show: none, those of some teams, or all (after the reveal, or to the organiser)."""

    teams: Sequence[str] = ()
    all: bool = False
