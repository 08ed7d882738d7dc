"""A competition as one reader sees it now: what is common to all of its pages."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row

from ladderboard.errors import LadderboardError
from ladderboard.hosting import showing
from ladderboard.hosting.clockwork import advance, due_step
from ladderboard.hosting.host import Host
from ladderboard.hosting.hosted import Hosted
from ladderboard.hosting.lifecycle import Status
from ladderboard.hosting.roles import Person
from ladderboard.hosting.showing import Shown
from ladderboard.hosting.standings import Ranks
from ladderboard.store import standings
from ladderboard.web.pages.mechanism_words import title_of
from ladderboard.web.text import say
from ladderboard.words import said


@dataclass(frozen=True)
class Phase:
    """Where a competition is in its life; ``tone`` is a class of the stylesheet."""

    name: Status
    label: str
    tone: str


PHASES: dict[Status, Phase] = {
    "upcoming": Phase("upcoming", said("opens soon"), "wait"),
    "open": Phase("open", said("open"), "open"),
    "closed": Phase("closed", said("closed"), ""),
    "finalized": Phase("finalized", said("closed"), ""),
    "revealed": Phase("revealed", said("final"), "good"),
    "spent": Phase("spent", said("spent"), "stop"),
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
    phase: Phase
    metric: str
    lower_is_better: bool
    mechanism: str
    mechanism_title: str
    deadline: datetime | None
    teams: int
    left: int | None
    tabs: tuple[Tab, ...]
    is_front: bool


@dataclass(frozen=True, eq=False)
class Scene:
    """The competition, the reader and the moment."""

    shown: Shown
    person: Person | None
    teams: int
    """How many teams have a number."""
    version: int
    """Of the board: it grows with every change of it."""
    now: datetime

    @property
    def hosted(self) -> Hosted:
        return self.shown.hosted

    @property
    def team(self) -> Row[Any] | None:
        """The reader's own team."""
        return self.shown.team

    @property
    def slug(self) -> str:
        return self.hosted.slug

    @property
    def path(self) -> str:
        return f"/competitions/{self.hosted.slug}"

    @property
    def phase(self) -> Phase:
        return PHASES[self.shown.status]

    @property
    def takes_submissions(self) -> bool:
        """Whether anything that is sent now can be scored: in time, or late where the rules allow that."""
        is_late = self.hosted.rules.late_submissions and self.hosted.phase(self.now) == "late"
        return self.phase.name == "open" or (is_late and self.phase.name != "spent")

    @property
    def deadline(self) -> datetime | None:
        """The deadline in the competition's zone; None where there is none, or it was closed by hand before it."""
        deadline = self.hosted.rules.deadline
        is_closed = self.phase.name in ("closed", "finalized", "revealed")
        return None if deadline is None or (is_closed and self.now < deadline) else self.in_zone(deadline)

    def in_zone(self, moment: datetime) -> datetime:
        """A time as the competition's own clocks show it."""
        return moment.astimezone(self.hosted.rules.zone())

    def head(self, current: str) -> Masthead:
        """The masthead with the tab of this name as the current one."""
        rules = self.hosted.rules
        quota = self.shown.quota
        return Masthead(
            slug=rules.slug,
            title=rules.title,
            summary=rules.summary,
            phase=self.phase,
            metric=metric_title(rules.metric),
            lower_is_better=self.hosted.competition.metric.lower_is_better,
            mechanism=rules.mechanism,
            mechanism_title=title_of(rules.mechanism),
            deadline=self.deadline,
            teams=self.teams,
            left=quota.left if quota is not None and self.phase.name == "open" else None,
            tabs=self._tabs(current),
            is_front=current == "Overview",
        )

    def _tabs(self, current: str) -> tuple[Tab, ...]:
        """Only what this reader can use."""
        shown = [
            (said("Overview"), ""),
            (said("Data"), "/data"),
            (said("Rules"), "/rules"),
            (said("Leaderboard"), "/leaderboard"),
        ]
        if self.phase.name == "revealed":
            shown.append((said("Results"), "/results"))
        is_here_to_compete = self.person is None or self.person.role == "participant"
        if is_here_to_compete and (self.takes_submissions or self.phase.name == "upcoming"):
            shown.append((said("Submit"), "/submit"))
        if self.team is not None:
            shown.append((said("My submissions"), "/submissions"))
        if self.person is not None and self.person.role == "participant":
            shown.append((said("Team"), "/team"))
        if self.person is not None and self.person.is_organiser:
            shown.append((said("Organise"), "/organise"))
        return tuple(Tab(label, self.path + tail, label == current) for label, tail in shown)


def scene_of(host: Host, slug: str, person: Person | None) -> Scene:
    """The scene; raises `NotFoundError` where there is no such competition for this person."""
    _advance(host, slug)
    shown = showing.found(host, person, slug)
    with host.database.reading() as connection:
        teams = Ranks.remembered(connection, shown.hosted).teams
        version = standings.version_of(connection, slug).board_version
        return Scene(shown, person, teams, version, host.database.now(connection))


def _advance(host: Host, slug: str) -> None:
    """Let happen what the rules announced for a time that has come. If it fails, the page shows what there is."""
    hosted = host.hosted(slug)
    with host.database.reading() as connection:
        row, now = standings.version_of(connection, slug), host.database.now(connection)
    if due_step(hosted.rules, row, now) is not None:
        with suppress(LadderboardError):
            advance(host, slug)


def listed(host: Host, person: Person | None) -> list[Scene]:
    """The scenes of the competitions in this reader's list."""
    all_shown = showing.listed(host, person)
    with host.database.reading() as connection:
        now = host.database.now(connection)
        return [Scene(one, person, Ranks.remembered(connection, one.hosted).teams, 0, now) for one in all_shown]


METRICS: dict[str, str] = {
    "error_rate": said("error rate"),
    "accuracy": said("accuracy"),
    "balanced_accuracy": said("balanced accuracy"),
    "f1": said("F1"),
    "macro_f1": said("macro F1"),
    "mcc": said("MCC"),
    "quadratic_kappa": said("quadratic kappa"),
    "log_loss": said("log loss"),
    "log_loss_base10": said("log loss base10"),
    "brier": said("brier"),
    "auc": said("AUC"),
    "average_precision": said("average precision"),
    "mse": said("MSE"),
    "rmse": said("RMSE"),
    "rmsle": said("RMSLE"),
    "mae": said("MAE"),
    "smape": said("SMAPE"),
    "pinball": said("pinball"),
    "r2": said("R²"),
    "pearson": said("pearson"),
    "spearman": said("spearman"),
    "kendall": said("kendall"),
    "ccc": said("CCC"),
    "probabilistic_c_index": said("probabilistic c index"),
    "c_index": said("C-index"),
}


def metric_title(name: str) -> str:
    """A metric's name for people, in the reader's language; one of the organisers' own is written out.

    >>> metric_title("error_rate"), metric_title("auc")
    ('error rate', 'AUC')
    """
    return say(METRICS.get(name, name.replace("_", " ")))
