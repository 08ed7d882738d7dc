"""What the database knows of this installation, as gauges: the same whichever process is asked.

Counts only; nothing here depends on a score.
"""

from collections.abc import Iterator

from sqlalchemy import func, select

from ladderboard.hosting.operations.metrics import Family, gauge
from ladderboard.hosting.services import Services
from ladderboard.store import webhooks
from ladderboard.store.schema import competitions, flags, teams


def gauges(services: Services) -> Iterator[Family]:
    """Competitions, teams, submissions, queues, and this process's connections to the database."""
    with services.database.reading() as connection:
        numbers = {row.slug: row for row in connection.execute(select(competitions))}
        active = select(teams.c.competition, func.count()).where(teams.c.status == "active")
        counted: dict[str, int] = dict(connection.execute(active.group_by(teams.c.competition)).all())
        unseen = select(flags.c.competition, func.count()).where(flags.c.dismissed_at.is_(None))
        flagged: dict[str, int] = dict(connection.execute(unseen.group_by(flags.c.competition)).all())
        waiting = webhooks.count_waiting(connection)
    slugs = sorted(set(services.competitions) & set(numbers))
    yield _by_competition("submissions", "Submissions scored.", {slug: numbers[slug].last_number for slug in slugs})
    yield _by_competition("teams", "Active teams.", {slug: counted.get(slug, 0) for slug in slugs})
    yield _by_competition("flags", "Flags to look at.", {slug: flagged.get(slug, 0) for slug in slugs})
    yield _by_competition("ledger_entries", "Length of the ledger.", {one: numbers[one].ledger_length for one in slugs})
    yield gauge("ladderboard_webhook_deliveries_waiting", "Deliveries on their way.", float(waiting))


def pool_gauge(services: Services, process: str) -> Family:
    """Connections to the database that this process is using; -1 where the pool does not count."""
    pool = services.database.engine.pool
    used = getattr(pool, "checkedout", lambda: -1)()
    words = "Connections to the database in use."
    return gauge("ladderboard_database_connections_used", words, {(("process", process),): float(used)})


def _by_competition(name: str, words: str, values: dict[str, int]) -> Family:
    return gauge(
        f"ladderboard_{name}", words, {(("competition", slug),): float(value) for slug, value in values.items()}
    )
