"""A competition as one reader sees it now: what is common to all of its pages."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from ladderboard.core.errors import LadderboardError
from ladderboard.mechanisms.participant_words import describe_silence
from ladderboard.metrics import METRICS
from ladderboard.server.app.text import moment
from ladderboard.server.competitions import visibility
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.competitions.schedule import advance, due_step
from ladderboard.server.competitions.visibility import VisibleCompetition
from ladderboard.server.lifecycle import Status
from ladderboard.server.people.roles import Person, require
from ladderboard.server.services import Services
from ladderboard.server.teams.records import TeamRecord


@dataclass(frozen=True)
class StatusBadge:
    """A competition's status as a badge; ``tone`` is a class of the stylesheet."""

    name: Status
    label: str
    tone: str


BADGES: dict[Status, StatusBadge] = {
    "upcoming": StatusBadge("upcoming", "opens soon", "wait"),
    "open": StatusBadge("open", "open", "open"),
    "closed": StatusBadge("closed", "closed", ""),
    "finalized": StatusBadge("finalized", "closed", ""),
    "revealed": StatusBadge("revealed", "final", "good"),
    "spent": StatusBadge("spent", "spent", "stop"),
}


@dataclass(frozen=True)
class Tab:
    """One of the pages of a competition."""

    label: str
    href: str
    current: bool


@dataclass(frozen=True)
class Masthead:
    """The head of every page of a competition. ``left``: the reader's attempts, None where that says nothing."""

    slug: str
    title: str
    summary: str
    badge: StatusBadge
    metric: str
    lower_is_better: bool
    mechanism: str
    mechanism_title: str
    has_gate: bool
    """Whether numbers on the board are more than raw scores."""
    shows_scores: bool
    """Whether the board has numbers before the reveal."""
    is_ranked: bool
    """Whether a rank is held until it is beaten by more than luck."""
    deadline: datetime | None
    teams: int
    left: int | None
    tabs: tuple[Tab, ...]
    is_front: bool


@dataclass(frozen=True, eq=False)
class CompetitionContext:
    """The competition, the reader and the moment."""

    shown: VisibleCompetition
    person: Person | None

    @property
    def teams(self) -> int:
        """How many teams are on the board."""
        return self.shown.ranked_teams

    @property
    def version(self) -> int:
        """The version of the board: it grows with every change."""
        return self.shown.record.board_version

    @property
    def now(self) -> datetime:
        return self.shown.now

    @property
    def live(self) -> LiveCompetition:
        return self.shown.live

    @property
    def team(self) -> TeamRecord | None:
        """The reader's own team."""
        return self.shown.team

    @property
    def slug(self) -> str:
        return self.live.slug

    @property
    def path(self) -> str:
        return f"/competitions/{self.live.slug}"

    @property
    def status(self) -> Status:
        return self.shown.status

    @property
    def badge(self) -> StatusBadge:
        return BADGES[self.status]

    @property
    def takes_submissions(self) -> bool:
        """Whether anything that is sent now can be scored: in time, or late where the rules allow that."""
        is_late = self.live.rules.late_submissions and self.live.entry_kind(self.now) == "late"
        return self.status == "open" or (is_late and self.status != "spent")

    @property
    def deadline(self) -> datetime | None:
        """The deadline in the competition's zone; None where there is none, or it was closed by hand before it."""
        deadline = self.live.rules.deadline
        is_closed = self.status in ("closed", "finalized", "revealed")
        return None if deadline is None or (is_closed and self.now < deadline) else self.in_zone(deadline)

    def in_zone(self, moment: datetime) -> datetime:
        """A time as the competition's own clocks show it."""
        return moment.astimezone(self.live.rules.zone())

    @property
    def silence(self) -> str:
        """Until when the board shows no scores, in a sentence; empty where it shows them."""
        reveal = self.live.rules.reveal
        if self.live.mechanism.shows_scores:
            return ""
        if self.status == "revealed":
            return "This board showed no scores before the reveal. They are in the results."
        return describe_silence(moment(self.in_zone(reveal)) if isinstance(reveal, datetime) else reveal)

    def head(self, current: str) -> Masthead:
        """The masthead with the tab of this name as the current one."""
        rules = self.live.rules
        quota = self.shown.quota
        return Masthead(
            slug=rules.slug,
            title=rules.title,
            summary=rules.summary,
            badge=self.badge,
            metric=metric_title(rules.metric),
            lower_is_better=self.live.competition.metric.lower_is_better,
            mechanism=rules.mechanism,
            mechanism_title=self.live.mechanism.words.title,
            has_gate=self.live.mechanism.has_gate,
            shows_scores=self.live.mechanism.shows_scores,
            is_ranked=self.live.is_ranked,
            deadline=self.deadline,
            teams=self.teams,
            left=quota.left if quota is not None and self.status == "open" else None,
            tabs=self._tabs(current),
            is_front=current == "Overview",
        )

    def _tabs(self, current: str) -> tuple[Tab, ...]:
        """Only what this reader can use."""
        shown = [
            ("Overview", ""),
            ("Data", "/data"),
            ("Rules", "/rules"),
            ("Leaderboard", "/leaderboard"),
        ]
        if self.status == "revealed":
            shown.append(("Results", "/results"))
        is_here_to_compete = self.person is None or self.person.role == "participant"
        if is_here_to_compete and (self.takes_submissions or self.status == "upcoming"):
            shown.append(("Submit", "/submit"))
        if self.team is not None:
            shown.append(("My submissions", "/submissions"))
        if self.person is not None and self.person.role == "participant":
            shown.append(("Team", "/team"))
        if self.person is not None and self.person.is_organiser:
            shown.append(("Organise", "/organise"))
        return tuple(Tab(label, self.path + tail, label == current) for label, tail in shown)


def read_context(services: Services, slug: str, person: Person | None) -> CompetitionContext:
    """The context of a page; raises `NotFoundError` where there is no such competition for this person."""
    shown = visibility.find_competition(services, person, slug)
    if due_step(shown.live.rules, shown.record, shown.now) is not None:
        with suppress(LadderboardError):  # where what is due fails, the page shows what there is
            advance(services, slug)
        shown = visibility.find_competition(services, person, slug)
    return CompetitionContext(shown, person)


def list_contexts(services: Services, person: Person | None) -> list[CompetitionContext]:
    """The contexts of the competitions that this reader may browse."""
    return [CompetitionContext(one, person) for one in visibility.list_competitions(services, person)]


def require_organiser(services: Services, slug: str, person: Person | None) -> CompetitionContext:
    """The context of a competition for an organiser; raises for everybody else."""
    context = read_context(services, slug, person)
    require(person, "organise", context.live.rules)
    return context


def metric_title(name: str) -> str:
    """A metric's name for people; one of the organisers' own is written out.

    >>> metric_title("error_rate"), metric_title("auc")
    ('error rate', 'AUC')
    """
    return METRICS[name].title if name in METRICS else name.replace("_", " ")
