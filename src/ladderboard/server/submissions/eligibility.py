"""The eligibility of a submission: the status of its team and competition, its quota and its budget.

The quota counts calendar days in the competition's time zone, and attempts in total.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any

from ladderboard.core.errors import CompetitionSpentError, DeadlinePassedError, NotOpenError, QuotaExceededError
from ladderboard.core.records import Budget, State
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.db.database import Connection
from ladderboard.server.submissions.records import AttemptContext, EntryKind, IncomingSubmission
from ladderboard.server.submissions.sql import attempts
from ladderboard.server.teams.records import QuotaBody, TeamRecord, TeamStatus

SPENT = (
    "this test set has released all the information it may and gives no more scores; "
    "ask the organiser for a fresh test set, or rely on the scores that are on the board"
)

STATUS_WORDS: dict[TeamStatus, str] = {
    "active": "active",
    "withdrawn": "withdrawn",
    "disqualified": "disqualified",
    "merged": "merged",
}


@dataclass(frozen=True)
class Quota:
    """What a team has used and has left; None: no limit."""

    per_day: int | None
    used_today: int
    total: int | None
    used: int
    day: str
    resets_at: datetime

    @property
    def left_today(self) -> int | None:
        return None if self.per_day is None else max(0, self.per_day - self.used_today)

    @property
    def left(self) -> int | None:
        """Attempts that may still be made now."""
        in_total = None if self.total is None else max(0, self.total - self.used)
        limits = [one for one in (self.left_today, in_total) if one is not None]
        return min(limits) if limits else None

    @property
    def body(self) -> QuotaBody:
        """The quota as its team sees it: with what is left instead of the day that is counted."""
        left = (self.left_today, self.total, self.used, self.left)
        return QuotaBody(self.per_day, self.used_today, *left, self.resets_at)

    def to_dict(self) -> dict[str, Any]:
        """The body as JSON."""
        return vars(self.body) | {"resets_at": self.resets_at.isoformat()}

    def refuse_more(self, now: datetime) -> None:
        """Raise `QuotaExceededError` where nothing is left."""
        if self.total is not None and self.used >= self.total:
            raise QuotaExceededError(
                f"all {self.total} submissions that a team may make are used",
                retry_after=None,
            )
        if self.per_day is not None and self.used_today >= self.per_day:
            raise QuotaExceededError(
                f"all {self.per_day} submissions for today are used; "
                f"the next day starts at {self.resets_at.isoformat()}",
                retry_after=max(1, int((self.resets_at - now).total_seconds()) + 1),
            )


def compute_quota(live: LiveCompetition, team: TeamRecord, moment: datetime) -> Quota:
    """The quota of a team at a moment; a team that is not active has nothing left."""
    today = live.day(moment)
    # Two requests around midnight may be recorded in the other order; a day that has begun does not end again.
    day = max(today.isoformat(), team.quota_day or "")
    per_day, total = live.rules.limits.per_day, live.rules.limits.total
    # Whoever is out of the competition has made all of its attempts.
    is_out = team.status != "active"
    return Quota(
        per_day=None if is_out or per_day is None else per_day + team.extra_per_day,
        used_today=team.quota_used if team.quota_day == day else 0,
        total=team.attempts + team.queued if is_out else None if total is None else total + team.extra_total,
        used=team.attempts + team.queued,
        day=day,
        resets_at=datetime.combine(today + timedelta(days=1), time(), live.rules.zone()).astimezone(UTC),
    )


def compute_budget(connection: Connection, live: LiveCompetition, team: TeamRecord, *, now: datetime) -> Budget | None:
    """The mechanism's budget of a team as far as releases show it; None where the mechanism has none for each team.

    Where ranks are the instances, all teams use one budget, and the competition's status says when it is spent.
    """
    if live.is_ranked or not live.mechanism.has_budget:
        return None
    key = live.instance_key(team.id, live.entry_kind(now) or "live")
    context = attempts.read_context(connection, live.slug, key, team.id)
    memory = live.memory(key, context.state)
    assert isinstance(memory, State), "each team has a memory of its own"
    return live.mechanism.tell_budget(memory)


def find_entry_kind(live: LiveCompetition, incoming: IncomingSubmission) -> EntryKind:
    """The kind of a submission; raises where the competition takes none at the time it arrived."""
    if incoming.is_baseline:
        return "baseline"
    kind = live.entry_kind(incoming.received_at)
    if kind is None:
        raise NotOpenError(f"this competition opens at {_write(live.rules.opens)}; try again then")
    if kind == "late" and not live.rules.late_submissions:
        raise DeadlinePassedError(f"the deadline was {_write(live.rules.deadline)}; nothing more is scored")
    return kind


def refuse_ineligible(
    live: LiveCompetition,
    context: AttemptContext,
    incoming: IncomingSubmission,
    kind: EntryKind,
    *,
    has_attempt: bool = False,
) -> None:
    """Raise where this submission may not be made now. Checked before judging, and again when it is recorded.

    ``has_attempt``: its attempt was counted when it went into the queue.
    """
    competition, team = context.competition, context.team
    if team.status != "active":
        raise NotOpenError(f"the team {team.name!r} is {STATUS_WORDS[team.status]} and can submit no more")
    if kind == "baseline":
        return
    if kind == "live" and competition.finalized_at is not None:
        raise DeadlinePassedError("the results of this competition are final; nothing more is scored")
    if kind == "live" and competition.frozen_at is not None and incoming.received_at > competition.frozen_at:
        raise DeadlinePassedError("the organiser has closed this competition; nothing more is scored")
    if competition.spent_at is not None:
        raise CompetitionSpentError(SPENT)
    if not has_attempt:
        compute_quota(live, team, incoming.received_at).refuse_more(incoming.received_at)


def _write(moment: datetime | None) -> str:
    return "" if moment is None else moment.isoformat()
