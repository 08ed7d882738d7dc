"""Records of competitions."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from ladderboard.core.score_format import ScoreFormat
from ladderboard.server.app.records import Time
from ladderboard.server.teams.records import BudgetBody, QuotaBody
from ladderboard.tabular.format import Takes

CompetitionStatus = Literal["upcoming", "open", "closed", "finalized", "revealed", "spent"]


@dataclass(frozen=True)
class MetricBody:
    """The metric of a competition. ``positive``: the class of two that predictions are about, where there is one."""

    name: str
    lower_is_better: bool
    options: dict[str, Any]
    positive: Any = None


@dataclass(frozen=True)
class MechanismBody:
    """The mechanism of a competition, with one instance per team or per each of the first ``ranks`` ranks.

    ``shows_scores``: False where no score is shown before the reveal.
    """

    name: str
    parameters: dict[str, Any]
    instances: Literal["team", "rank"]
    ranks: int | None
    shows_scores: bool = True


@dataclass(frozen=True)
class LimitsBody:
    """The limits of a competition; None: no limit. After ``leakage_bits`` are released, it is spent."""

    per_day: int | None
    total: int | None
    leakage_bits: float | None
    max_file_bytes: int


@dataclass(frozen=True)
class TeamRulesBody:
    """The rules for teams."""

    largest: int
    merging: bool
    merge_until: Time | None


@dataclass(frozen=True)
class CompetitionSummaryBody:
    """A competition in the list of competitions."""

    slug: str
    title: str
    summary: str
    status: CompetitionStatus
    visibility: Literal["public", "unlisted", "private"]
    metric: MetricBody
    opens: Time | None
    deadline: Time | None
    time_zone: str


@dataclass(frozen=True)
class CompetitionBody:
    """A competition. ``baseline``: the published score of predictions without skill; None where no scores are shown.

    ``reveal``: when the private board is shown: a time, "deadline", "by hand" or "never". ``commitment`` binds labels,
    split, mechanism and seed since the first day. ``team``, ``quota`` and ``budget`` are those of whoever asks, if in
    a team; ``budget`` is None where the mechanism has none for each team. ``shown_gain`` and
    ``proven_gain``: true gains of these sizes are accepted, and called improved, in four cases of five at the next
    attempt of that team, or at the first of a new one; None where that cannot be said, ``gain_reason`` then says why.
    ``recognised_gain`` is the former name of ``shown_gain``. ``score_format``: with how many decimals, or significant
    digits, people read the board's scores; ``private_score_format``: those of the private rows, once they may be read.
    """

    slug: str
    title: str
    summary: str
    description: str
    status: CompetitionStatus
    visibility: Literal["public", "unlisted", "private"]
    metric: MetricBody
    mechanism: MechanismBody
    limits: LimitsBody
    teams: TeamRulesBody
    opens: Time | None
    deadline: Time | None
    time_zone: str
    finals: int
    reveal: str
    late_submissions: bool
    publish_submissions: bool
    publish_solution: bool
    rows: int
    baseline: float | None
    commitment: str
    team: str | None = None
    quota: "QuotaBody | None" = None
    budget: "BudgetBody | None" = None
    recognised_gain: float | None = None
    shown_gain: float | None = None
    proven_gain: float | None = None
    gain_reason: str | None = None
    score_format: ScoreFormat = field(default_factory=ScoreFormat)
    private_score_format: ScoreFormat | None = None


@dataclass(frozen=True)
class FormatBody:
    """The submission format. The ids are in the sample submission.

    ``classes`` is empty where predictions are no classes, and where the organisers do not show them. ``positive``: the
    class of two that scores, one column of probabilities and F1 are about. ``is_table``: there is a column for each
    target or label. ``most_entries``: how many ids a list may have, where predictions are ranked lists. ``takes``: file
    where submissions are programs, or files like the sample, which only the organisers' scorer understands.
    """

    id_column: str
    id_type: Literal["integer", "text"]
    rows: int
    prediction_columns: list[str]
    takes: Takes
    classes: list[Any]
    smallest: float | None
    largest_magnitude: float
    max_bytes: int
    max_unpacked_bytes: int
    positive: Any = None
    is_table: bool = False
    most_entries: int = 0


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
    solution_file: str | None
    """The digest of the file with the solution; None where only an older version has served the competition."""
    folder: str | None
    """The digest of the list of its files, where it was made in the browser; None: it is served from a folder."""
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
class CompetitionCounts:
    """The size of one competition."""

    slug: str
    submissions: int
    teams: int
    flags: int
    ledger_entries: int


@dataclass(frozen=True)
class DraftRecord:
    """A competition that is being prepared in the browser."""

    id: str
    title: str
    folder: str
    """The digest of the list of its files: another after each change."""
    changed_at: datetime
