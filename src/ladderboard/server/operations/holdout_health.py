"""The health of a holdout: information released, the overfitting it allows, and the rate of submissions."""

from datetime import timedelta

from ladderboard.core.bounds import overfit_bound
from ladderboard.server.competitions import sql as competitions
from ladderboard.server.db.columns import EPOCH
from ladderboard.server.lifecycle import find_status
from ladderboard.server.moderation.sql import flags
from ladderboard.server.operations.records import HoldoutHealthBody, HourBody
from ladderboard.server.services import Services
from ladderboard.server.submissions.sql import attempts, submissions
from ladderboard.server.teams.sql import teams

HOURS = 7 * 24


def measure_health(services: Services, slug: str) -> HoldoutHealthBody:
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

    return HoldoutHealthBody(
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
        hours=[HourBody(EPOCH + timedelta(hours=hour), number) for hour, number in counts],
    )
