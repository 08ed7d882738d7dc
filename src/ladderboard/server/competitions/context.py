"""A competition as one reader sees it now: what is common to all of its pages."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from ladderboard.core.errors import LadderboardError
from ladderboard.core.gains import Gains
from ladderboard.core.records import Budget
from ladderboard.mechanisms.participant_words import describe_silence
from ladderboard.metrics import METRICS
from ladderboard.server.app.pages import PageLink
from ladderboard.server.app.text import moment
from ladderboard.server.boards.board_page import count_teams
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.competitions.records import CompetitionRecord
from ladderboard.server.competitions.schedule import advance, due_step
from ladderboard.server.db.rows import competitions, teams
from ladderboard.server.db.rows.teams import find_team_id
from ladderboard.server.lifecycle import Status, find_status
from ladderboard.server.people.roles import Action, Person, may, require
from ladderboard.server.services import Services
from ladderboard.server.submissions.eligibility import Quota, compute_budget, compute_quota
from ladderboard.server.submissions.outcomes import find_gains
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
class Masthead:
    """The head of every page of a competition. ``left``: the reader's attempts, None where that says nothing."""

    path: str
    """The address of its pages."""
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
    tabs: tuple[PageLink, ...]
    is_front: bool
    may_assist: bool
    may_organise: bool
    """What the reader may do here, so that no page offers more."""


@dataclass(frozen=True, eq=False)
class CompetitionContext:
    """A competition as one reader sees it at a moment. What only some pages show is computed when it is asked for."""

    services: Services
    live: LiveCompetition
    status: Status
    record: CompetitionRecord
    now: datetime
    person: Person | None
    team: TeamRecord | None = None
    """The reader's own team, whose are ``quota`` and ``budget``: without one they are None."""
    preview: str = ""
    """The address of the pages of a draft; empty: it is a competition."""

    @cached_property
    def teams(self) -> int:
        """How many teams are on the board."""
        with self.services.database.reading() as connection:
            return count_teams(connection, self.live)

    @cached_property
    def quota(self) -> Quota | None:
        return None if self.team is None else compute_quota(self.live, self.team, self.now)

    @cached_property
    def budget(self) -> Budget | None:
        """None also where the mechanism has none for each team."""
        if self.team is None:
            return None
        with self.services.database.reading() as connection:
            return compute_budget(connection, self.live, self.team, now=self.now)

    @cached_property
    def gains(self) -> Gains:
        """What the board usually shows and proves at the next attempt of the reader's team, or at a new one's first."""
        with self.services.database.reading() as connection:
            return find_gains(connection, self.live, self.team)

    @property
    def is_first(self) -> bool:
        """Whether ``gains`` are over the baseline, by the test of a first entry."""
        return self.live.mechanism.starts_from_baseline and (self.team is None or self.team.accepts == 0)

    def may(self, action: Action) -> bool:
        """Whether the reader may do this here, apart from what concerns single teams."""
        return may(self.person, action, self.live.rules, own_team=None if self.team is None else self.team.id)

    @property
    def slug(self) -> str:
        return self.live.slug

    @property
    def path(self) -> str:
        return self.preview or f"/competitions/{self.live.slug}"

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
        quota = self.quota
        return Masthead(
            path=self.path,
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
            may_assist=self.may("assist"),
            may_organise=self.may("organise"),
        )

    def _tabs(self, current: str) -> tuple[PageLink, ...]:
        """Only what this reader can use."""
        shown = [("Overview", ""), ("Data", "/data"), ("Rules", "/rules")]
        if self.preview:
            return tuple(PageLink(label, self.path + tail, label == current) for label, tail in shown)
        shown.append(("Leaderboard", "/leaderboard"))
        if self.status == "revealed":
            shown.append(("Results", "/results"))
        is_here_to_compete = self.person is None or self.person.may_compete_in(self.slug)
        if is_here_to_compete and (self.takes_submissions or self.status == "upcoming"):
            shown.append(("Submit", "/submit"))
        if self.team is not None:
            shown.append(("My submissions", "/submissions"))
        if self.person is not None and is_here_to_compete:
            shown.append(("Team", "/team"))
        if self.may("oversee"):
            shown.append(("Organise", "/organise"))
        return tuple(PageLink(label, self.path + tail, label == current) for label, tail in shown)


def read_context(services: Services, slug: str, person: Person | None) -> CompetitionContext:
    """The context of a page; raises `NotFoundError` where there is no such competition for this person."""
    found = find_competition(services, person, slug)
    if due_step(found.live.rules, found.record, found.now) is None:
        return found
    with suppress(LadderboardError):  # where what is due fails, the page shows what there is
        advance(services, slug)
    return find_competition(services, person, slug)


def require_duty(services: Services, slug: str, person: Person | None, action: Action) -> CompetitionContext:
    """The context of a competition for those on its staff who may do ``action``; raises for everybody else."""
    context = read_context(services, slug, person)
    require(person, action, context.live.rules)
    return context


def require_organiser(services: Services, slug: str, person: Person | None) -> CompetitionContext:
    """The context of a competition for its teachers; raises for everybody else."""
    return require_duty(services, slug, person, "organise")


def metric_title(name: str) -> str:
    """A metric's name for people; one of the organisers' own is written out.

    >>> metric_title("error_rate"), metric_title("auc")
    ('error rate', 'AUC')
    """
    return METRICS[name].title if name in METRICS else name.replace("_", " ")


def list_competitions(services: Services, person: Person | None) -> list[CompetitionContext]:
    """List the competitions a person may browse, by title: public ones, those with an own team; all to organisers."""
    services.take_up_made()
    with services.database.reading() as connection:
        now = services.database.now(connection)
        mine = [] if person is None else teams.list_memberships(connection, person.id)
        own = {row.competition: row.team_id for row in mine}
        records = competitions.list_competitions(connection, list(services.competitions))
        served = [services.follow_rules(slug, record.rules) for slug, record in records.items()]
        seen = [live for live in served if _is_listed(live, person, own.get(live.slug))]
        visible = [
            CompetitionContext(
                services, live, find_status(live.rules, records[live.slug], now), records[live.slug], now, person
            )
            for live in seen
        ]
    return sorted(visible, key=lambda one: (one.live.rules.title.casefold(), one.live.slug))


def find_competition(services: Services, person: Person | None, slug: str) -> CompetitionContext:
    """Find one competition; raises `NotFoundError` where there is none that the person may know of."""
    services.competition(slug)  # raises where there is none
    with services.database.reading() as connection:
        record, now = competitions.read_competition(connection, slug), services.database.now(connection)
        own = None if person is None else teams.find_team_of(connection, slug, person.id)
    services.follow_folder(slug, record.folder)
    live = services.follow_rules(slug, record.rules)
    require(person, "see_competition", live.rules, own_team=None if own is None else own.id)
    status = find_status(live.rules, record, now)
    return CompetitionContext(services, live, status, record, now, person, own)


def require_sight(services: Services, slug: str, person: Person | None) -> str | None:
    """Raise `NotFoundError` where the person may not know of the competition; returns the person's own team."""
    services.competition(slug)  # raises where there is none
    with services.database.reading() as connection:
        own_team = None if person is None else find_team_id(connection, slug, person.id)
        live = services.follow_rules(slug, competitions.read_dates(connection, slug).rules)
    require(person, "see_competition", live.rules, own_team=own_team)
    return own_team


def _is_listed(live: LiveCompetition, person: Person | None, own_team: str | None) -> bool:
    if not may(person, "see_competition", live.rules, own_team=own_team):
        return False
    is_known = own_team is not None or (person is not None and person.is_known_in(live.slug))
    return live.rules.visibility != "unlisted" or is_known
