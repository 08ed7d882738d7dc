"""Prometheus gauges read from the database: the same numbers whichever process is asked. None depends on a score."""

import os
from collections.abc import Iterator

from prometheus_client.core import GaugeMetricFamily

from ladderboard.server.competitions.records import CompetitionCounts
from ladderboard.server.competitions.sql import count_by_competition
from ladderboard.server.services import Services
from ladderboard.server.webhooks import sql as webhooks

BY_COMPETITION = {
    "submissions": "Submissions scored.",
    "teams": "Active teams.",
    "flags": "Flags to review.",
    "ledger_entries": "Entries in the ledger.",
}
"""Fields of `CompetitionCounts`, and the help text of their gauges."""


class DatabaseGauges:
    """Sizes of the competitions, webhook deliveries that wait, and this process's database connections."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def collect(self) -> Iterator[GaugeMetricFamily]:
        database = self._services.database
        with database.reading() as connection:
            counts = [one for one in count_by_competition(connection) if one.slug in self._services.competitions]
            waiting = webhooks.count_waiting(connection)
        for name, text in BY_COMPETITION.items():
            yield _gauge_by_competition(name, text, counts)
        yield GaugeMetricFamily("ladderboard_webhook_deliveries_waiting", "Deliveries that wait.", value=waiting)
        used = GaugeMetricFamily(
            "ladderboard_database_connections_used", "Connections to the database in use.", labels=["process"]
        )
        used.add_metric([str(os.getpid())], database.count_connections_in_use())
        yield used


def _gauge_by_competition(name: str, text: str, counts: list[CompetitionCounts]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(f"ladderboard_{name}", text, labels=["competition"])
    for one in counts:
        family.add_metric([one.slug], getattr(one, name))
    return family
