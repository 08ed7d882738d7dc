"""The JSON shapes of the API, version 1, as frozen dataclasses: shared by the server, the client and the commands.

They need nothing but the standard library, so that the client stays small. What the server *accepts* is checked beside
its routes.
"""

from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

Item = TypeVar("Item")

Role = Literal["organiser", "participant", "reader"]
Scope = Literal["read", "submit", "organise"]
TeamStatus = Literal["active", "withdrawn", "disqualified", "merged"]
CompetitionStatus = Literal["upcoming", "open", "closed", "finalized", "revealed", "spent"]

# -- errors, pages of a list ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ErrorDetail:
    """What went wrong: a stable code for programs, a sentence for people, and more where there is more to say."""

    code: str
    message: str
    details: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ErrorBody:
    """The one shape of every error."""

    error: ErrorDetail


@dataclass(frozen=True)
class Page(Generic[Item]):
    """A part of a list. ``next`` is the address of the following part; None: this is the last."""

    items: list[Item]
    total: int
    next: str | None = None


# -- health -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Health:
    """Whether a server runs, or is ready."""

    status: Literal["ok"] = "ok"


# -- people -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AccountBody:
    """A person's account."""

    id: str
    name: str
    role: Role
    created_at: str


@dataclass(frozen=True)
class MembershipBody:
    """A team that somebody is in."""

    competition: str
    team: str
    status: TeamStatus


@dataclass(frozen=True)
class MeBody:
    """Who is asking, what this token or session allows, and the own teams."""

    id: str
    name: str
    role: Role
    scopes: list[Scope]
    teams: list[MembershipBody]


@dataclass(frozen=True)
class TokenBody:
    """What is known of a token; the secret itself is not kept. Times are None where there is none."""

    id: str
    label: str
    scopes: list[Scope]
    created_at: str
    expires_at: str | None
    last_used_at: str | None


@dataclass(frozen=True)
class NewTokenBody:
    """A new token. ``token`` is shown this once: keep it like a password."""

    token: str
    id: str
    label: str
    scopes: list[Scope]
    created_at: str
    expires_at: str | None


# -- teams ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MemberBody:
    """A person in a team."""

    name: str
    joined_at: str


@dataclass(frozen=True)
class TeamBody:
    """A team as its members and the organisers see it. ``budget``: None where the mechanism has none."""

    id: str
    competition: str
    name: str
    status: TeamStatus
    created_at: str
    members: list[MemberBody]
    quota: "QuotaBody"
    board_value: float | None
    budget: "BudgetBody | None" = None


@dataclass(frozen=True)
class InvitationBody:
    """An open invitation: of one person (join), or of a whole team that takes this one in (merge)."""

    id: str
    kind: Literal["join", "merge"]
    created_at: str
    expires_at: str


@dataclass(frozen=True)
class NewInvitationBody:
    """A new invitation. ``code`` is shown this once; ``link`` leads to a page where it is entered already."""

    code: str
    link: str
    id: str
    kind: Literal["join", "merge"]
    created_at: str
    expires_at: str


# -- competitions -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MetricBody:
    """What submissions are scored by."""

    name: str
    lower_is_better: bool
    options: dict[str, Any]


@dataclass(frozen=True)
class MechanismBody:
    """The rule that releases numbers; one memory for each team, or one for each of the first ``ranks`` ranks."""

    name: str
    parameters: dict[str, Any]
    instances: Literal["team", "rank"]
    ranks: int | None


@dataclass(frozen=True)
class LimitsBody:
    """How much a team may ask; None: no limit. ``leakage_bits``: at so much told in all, the competition is spent."""

    per_day: int | None
    total: int | None
    leakage_bits: float | None
    max_file_bytes: int


@dataclass(frozen=True)
class TeamRulesBody:
    """Who may be in a team."""

    largest: int
    merging: bool
    merge_until: str | None


@dataclass(frozen=True)
class CompetitionSummaryBody:
    """A competition in the list."""

    slug: str
    title: str
    summary: str
    status: CompetitionStatus
    visibility: Literal["public", "unlisted", "private"]
    metric: MetricBody
    opens: str | None
    deadline: str | None
    time_zone: str


@dataclass(frozen=True)
class CompetitionBody:
    """A competition. ``baseline`` is the score of predictions without skill, as it is published.

    ``reveal``: when the private board is shown: a time, "deadline", "by hand" or "never". ``commitment`` binds labels,
    split, mechanism and seed since the first day. ``team``, ``quota`` and ``budget`` are those of whoever asks, if in
    a team; ``budget`` is None where the mechanism has none for each team.
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
    opens: str | None
    deadline: str | None
    time_zone: str
    finals: int
    reveal: str
    late_submissions: bool
    publish_submissions: bool
    publish_solution: bool
    rows: int
    baseline: float
    commitment: str
    team: str | None = None
    quota: "QuotaBody | None" = None
    budget: "BudgetBody | None" = None


@dataclass(frozen=True)
class FormatBody:
    """What a submission must look like. The ids are in the sample submission."""

    id_column: str
    id_type: Literal["integer", "text"]
    rows: int
    prediction_columns: list[str]
    takes: Literal["classes", "two_classes", "scores", "probabilities", "numbers", "survival"]
    classes: list[Any]
    smallest: float | None
    largest_magnitude: float
    max_bytes: int
    max_unpacked_bytes: int


# -- submissions ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ReleaseBody:
    """All that is told of one attempt; numbers are in the metric's natural direction. See `ladderboard.Release`."""

    value: float | None
    board_value: float | None
    accepted: bool
    improved: bool
    attempt: int
    interval: list[float] | None


@dataclass(frozen=True)
class QuotaBody:
    """What a team may still ask; None: no limit."""

    per_day: int | None
    used_today: int
    left_today: int | None
    total: int | None
    used: int
    left: int | None
    resets_at: str


@dataclass(frozen=True)
class BudgetBody:
    """How often the mechanism answers a team with a new number (shaky_ladder) or a correction (thresholdout).

    ``used`` and ``left`` are None while only the mechanism knows; once it is spent, no more numbers are told.
    """

    total: int
    used: int | None
    left: int | None
    is_spent: bool


@dataclass(frozen=True)
class RankRangeBody:
    """The ranks that are plausible, from released numbers alone."""

    best: int
    worst: int


@dataclass(frozen=True)
class ScoredBody:
    """The answer to a submission. ``duplicate``: the same predictions were scored before, and nothing was charged.

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


@dataclass(frozen=True)
class SubmissionBody:
    """A team's own submission. ``phase``: live, late (after the deadline, not comparable) or baseline."""

    id: str
    number: int
    status: Literal["scored"]
    phase: Literal["live", "late", "baseline"]
    received_at: str
    file_name: str
    file_size: int
    note: str
    release: ReleaseBody
    scoring_version: int
    is_picked: bool


# -- boards -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StandingBody:
    """A row of the public board, from released numbers alone. A baseline has no rank.

    ``last_improvement``: when the value last changed; it orders the display of ties.
    """

    rank: int | None
    rank_range: RankRangeBody | None
    team: str
    kind: Literal["team", "baseline"]
    value: float
    attempts: int
    last_improvement: str | None
    is_tied: bool


@dataclass(frozen=True)
class LeaderboardBody:
    """A page of the public board. ``total`` counts all rows (of a search: those that were found)."""

    competition: str
    status: CompetitionStatus
    metric: str
    lower_is_better: bool
    updated: str
    scoring_version: int
    total: int
    page: int
    per_page: int
    next: str | None
    items: list[StandingBody]


@dataclass(frozen=True)
class FinalBody:
    """A submission that counts at the end, as its own team sees it."""

    id: str
    number: int
    received_at: str
    file_name: str
    release: ReleaseBody


@dataclass(frozen=True)
class FinalsBody:
    """A team's finals. Without ``are_picked`` they are the default: the incumbent and the latest."""

    submissions: list[FinalBody]
    are_picked: bool
    most: int


@dataclass(frozen=True)
class PrivateStandingBody:
    """A row of the private board.

    ``rank_range``: the ranks that the team may truly have, all right at once. ``group``: 1 is the leading one.
    ``moved``: ranks gained from the public board. ``submission``: which of the finals counted. Without a value: the
    metric has none for these predictions on the private rows.
    """

    team: str
    kind: Literal["team", "baseline"]
    rank: int | None
    rank_range: RankRangeBody | None
    group: int | None
    value: float | None
    is_tied: bool
    could_be_best: bool
    public_rank: int | None
    public_value: float | None
    moved: int | None
    submission: str | None
    finals_are_picked: bool


@dataclass(frozen=True)
class LuckBody:
    """The winner's score, and what is left of it without the luck of having been the best."""

    winner: str
    score: float
    corrected: float | None
    interval: list[float] | None
    contenders: int
    sentence: str


@dataclass(frozen=True)
class PrivateLeaderboardBody:
    """The private board. ``has_private_rows`` false: all rows are public, and this is the public board as it ended."""

    competition: str
    status: CompetitionStatus
    scoring_version: int
    computed_at: str
    has_private_rows: bool
    metric: str
    lower_is_better: bool
    units: int
    confidence: float
    luck: LuckBody | None
    statement: str
    items: list[PrivateStandingBody]


# -- the organiser's side ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StatusBody:
    """Where a competition stands."""

    status: CompetitionStatus


@dataclass(frozen=True)
class HourBody:
    """How many submissions came in an hour."""

    begins: str
    submissions: int


@dataclass(frozen=True)
class HoldoutHealthBody:
    """What a holdout has told. ``overfit_bound``: of the whole board, ``largest_bound``: of the most told memory."""

    status: CompetitionStatus
    attempts: int
    teams: int
    bits: float | None
    bits_limit: float | None
    overfit_bound: float | None
    largest_bits: float | None
    largest_bound: float | None
    is_spent: bool
    spent_at: str | None
    flags: int
    hours: list[HourBody]


@dataclass(frozen=True)
class FlagBody:
    """Something to look at; a hint and no verdict. ``words`` say what the kind means."""

    id: str
    at: str
    team: str
    kind: str
    words: str
    submission: str
    other_submission: str | None
    other_team: str | None
    detail: dict[str, Any]
    is_dismissed: bool


@dataclass(frozen=True)
class FlagCountBody:
    """How many open flags of a kind a team has."""

    team: str
    kind: str
    number: int


@dataclass(frozen=True)
class GrantBody:
    """What a team may ask beyond the rules."""

    team: str
    extra_per_day: int
    extra_total: int
    attempts: int


@dataclass(frozen=True)
class TeamChangeBody:
    """A team's place before and after a correction."""

    team: str
    kind: Literal["team", "baseline"]
    value_before: float | None
    value_after: float | None
    rank_before: int | None
    rank_after: int | None


@dataclass(frozen=True)
class RescoringBody:
    """What a corrected solution changes; ``bits_told``: what its publication adds to the meter."""

    scoring_version: int
    submissions: int
    releases_changed: int
    acceptances_changed: int
    bits_told: float
    teams: list[TeamChangeBody]


# -- ledger -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LedgerEntryBody:
    """One entry of the ledger; ``opening`` and ``salt`` where they may be seen. See `ladderboard.hosting.audit`."""

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


# -- webhooks ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class WebhookBody:
    """A webhook; ``secret`` is shown once, when it is made. No ``events``: every kind."""

    id: str
    competition: str | None
    url: str
    events: list[str]
    created_at: str
    secret: str | None = None
    waiting: int = 0
    delivered: int = 0
    given_up: int = 0


@dataclass(frozen=True)
class DeliveryBody:
    """What is or was on its way to a webhook."""

    id: str
    event: dict[str, Any]
    created_at: str
    tries: int
    next_at: str | None
    delivered_at: str | None
    last_answer: str | None
