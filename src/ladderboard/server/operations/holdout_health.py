"""The health of a holdout: information released, the overfitting it allows, and the rate of submissions."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from ladderboard.core.bounds import overfit_bound
from ladderboard.server.competitions import sql as competitions
from ladderboard.server.db.columns import EPOCH
from ladderboard.server.lifecycle import Status, find_status
from ladderboard.server.moderation.sql import flags
from ladderboard.server.services import Services
from ladderboard.server.submissions.sql import attempts, submissions
from ladderboard.server.teams.sql import teams

HOURS = 7 * 24


@dataclass(frozen=True)
class Hour:
    """The number of submissions in one hour, named by its beginning."""

    begins: datetime
    submissions: int


@dataclass(frozen=True)
class HoldoutHealth:
    """The meter of a holdout. Bits are None for noisy mechanisms, which are not counted in bits.

    ``overfit_bound``: with probability 95 % no submission's public score is further than this from its true score,
    however teams used the information released to all; ``largest_bound``: the same for the most informed memory.
    """

    status: Status
    attempts: int
    teams: int
    bits: float | None
    bits_limit: float | None
    overfit_bound: float | None
    largest_bits: float | None
    largest_bound: float | None
    is_spent: bool
    spent_at: datetime | None
    flags: int
    hours: tuple[Hour, ...]
    """The last seven days, hours without any left out."""


def measure_health(services: Services, slug: str) -> HoldoutHealth:
    """Measure the health of a competition's holdout."""
    live = services.competition(slug)
    with services.database.reading() as connection:
        row, now = competitions.read_competition(connection, slug), services.database.now(connection)
        largest = attempts.read_largest_bits(connection, slug)
        active = teams.count_active(connection, slug)
        open_flags = flags.count_open(connection, slug)
        counts = submissions.count_by_hour(connection, slug, since=now - timedelta(hours=HOURS))
    is_counted = not live.mechanism.is_noisy
    yardstick = live.yardstick

    def bound(bits: float) -> float | None:
        return overfit_bound(bits, yardstick.hoeffding_units, yardstick.bounds) if is_counted else None

    return HoldoutHealth(
        status=find_status(live.rules, row, now),
        attempts=row.last_number,
        teams=active,
        bits=row.bits if is_counted else None,
        bits_limit=live.rules.limits.leakage_bits,
        overfit_bound=bound(row.bits),
        largest_bits=largest if is_counted else None,
        largest_bound=bound(largest),
        is_spent=row.spent_at is not None,
        spent_at=row.spent_at,
        flags=open_flags,
        hours=tuple(Hour(EPOCH + timedelta(hours=hour), number) for hour, number in counts),
    )
