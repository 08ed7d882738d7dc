"""How many attempts a team has left: by calendar day in the competition's zone, and in total."""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any

from sqlalchemy import Row

from ladderboard.core.errors import QuotaExceededError
from ladderboard.core.words import translatable
from ladderboard.hosting.live_competition import LiveCompetition
from ladderboard.store.records import TeamRecord


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

    def to_dict(self) -> dict[str, Any]:
        return {
            "per_day": self.per_day,
            "used_today": self.used_today,
            "left_today": self.left_today,
            "total": self.total,
            "used": self.used,
            "left": self.left,
            "resets_at": self.resets_at.isoformat(),
        }

    def refuse_more(self, now: datetime) -> None:
        """Raise `QuotaExceededError` where nothing is left."""
        if self.total is not None and self.used >= self.total:
            raise QuotaExceededError(
                translatable("all {total} submissions of this competition are used", total=self.total), retry_after=None
            )
        if self.per_day is not None and self.used_today >= self.per_day:
            raise QuotaExceededError(
                translatable(
                    "all {per_day} submissions of today are used; more from {time}",
                    per_day=self.per_day,
                    time=self.resets_at.isoformat(),
                ),
                retry_after=max(1, int((self.resets_at - now).total_seconds()) + 1),
            )


def quota_of(live: LiveCompetition, team: TeamRecord | Row[Any], moment: datetime) -> Quota:
    """The quota of a team at a moment; ``team`` is its row."""
    today = live.day(moment)
    # Two requests around midnight may be recorded in the other order; a day that has begun does not end again.
    day = max(today.isoformat(), team.quota_day or "")
    limits = live.rules.limits
    return Quota(
        per_day=None if limits.per_day is None else limits.per_day + team.extra_per_day,
        used_today=team.quota_used if team.quota_day == day else 0,
        total=None if limits.total is None else limits.total + team.extra_total,
        used=team.attempts,
        day=day,
        resets_at=datetime.combine(today + timedelta(days=1), time(), live.rules.zone()).astimezone(UTC),
    )
