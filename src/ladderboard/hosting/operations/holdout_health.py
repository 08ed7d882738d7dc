"""How a holdout is doing: what it has told, what that can be worth to an overfitter, and how fast it is asked."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from ladderboard.core.bounds import overfit_bound
from ladderboard.hosting.lifecycle import Status, status_of
from ladderboard.hosting.services import Services
from ladderboard.store import competitions, meters
from ladderboard.store.columns import EPOCH

HOURS = 7 * 24


@dataclass(frozen=True)
class Hour:
    """How many submissions came in an hour, which is named by its beginning."""

    begins: datetime
    submissions: int


@dataclass(frozen=True)
class HoldoutHealth:
    """The meter. Bits are None for mechanisms that answer with noise, which are not counted in bits.

    ``overfit_bound``: with probability 95 % no submission's public score is further than this from its true one,
    however the teams used what the whole board told; ``largest_bound``: the same for the memory that told the most.
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


def holdout_health(services: Services, slug: str) -> HoldoutHealth:
    """What the organiser's dashboard shows of a holdout."""
    live = services.competition(slug)
    with services.database.reading() as connection:
        row, now = competitions.read_competition(connection, slug), services.database.now(connection)
        largest = meters.largest_bits(connection, slug)
        teams = meters.count_teams(connection, slug)
        open_flags = meters.count_flags(connection, slug)
        counts = meters.submissions_by_hour(connection, slug, since=now - timedelta(hours=HOURS))
    is_counted = not live.mechanism.is_noisy
    yardstick = live.yardstick

    def bound(bits: float) -> float | None:
        return overfit_bound(bits, yardstick.hoeffding_units, yardstick.bounds) if is_counted else None

    return HoldoutHealth(
        status=status_of(live.rules, row, now),
        attempts=row.last_number,
        teams=teams,
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
