"""Prometheus metrics of the server processes: requests, their durations, uploads and webhook deliveries.

One process keeps its numbers in memory. Several workers of one `ladderboard serve` share a folder of files, which the
environment variable `PROMETHEUS_MULTIPROC_DIR` names, and each worker answers for all of them: counters include the
workers that have ended, gauges only those that run.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

from ladderboard.server.competitions.records import CompetitionCounts
from ladderboard.server.monitoring import sql
from ladderboard.server.monitoring.sql import count_by_competition
from ladderboard.server.services import Services

FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
"""Read by prometheus-client when it is imported, so set it before a worker starts."""

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper bounds of the histogram's buckets, in seconds."""

disable_created_metrics()  # the time a series began, which several workers cannot agree on


class ProcessMetrics:
    """The counters of one server process."""

    def __init__(self) -> None:
        self._registry = own = CollectorRegistry()
        self.requests = Counter(
            "ladderboard_requests_total",
            "Requests answered, by route and status.",
            ["route", "method", "status"],
            registry=own,
        )
        self.durations = Histogram(
            "ladderboard_request_duration_seconds",
            "Time to answer a request, by route.",
            ["route", "method"],
            registry=own,
            buckets=BUCKETS,
        )
        self.uploads = Counter("ladderboard_uploads_total", "Uploads answered, by status.", ["status"], registry=own)
        self.deliveries = Counter(
            "ladderboard_webhook_tries_total", "Attempts to deliver a webhook, by outcome.", ["outcome"], registry=own
        )
        self.open = Gauge(
            "ladderboard_requests_open", "Requests in progress.", multiprocess_mode="livesum", registry=own
        )

    def collect(self) -> Iterable[Metric]:
        """The numbers of this process, or of all workers where they share a folder."""
        folder = os.environ.get(FOLDER_VARIABLE)
        if folder is None:
            return self._registry.collect()
        _forget_ended_workers(Path(folder))
        shared: Collector = MultiProcessCollector(None, path=folder)
        return shared.collect()


def write_exposition(*sources: Collector) -> bytes:
    """The metrics of all sources in the text format of Prometheus."""
    registry = CollectorRegistry()
    for source in sources:
        registry.register(source)
    return generate_latest(registry)


@contextmanager
def share_metrics() -> Iterator[None]:
    """A fresh folder for the metrics of the workers that are started inside; removed at the end."""
    with TemporaryDirectory(prefix="ladderboard-metrics-") as folder:
        os.environ[FOLDER_VARIABLE] = folder
        try:
            yield
        finally:
            del os.environ[FOLDER_VARIABLE]


def _forget_ended_workers(folder: Path) -> None:
    # A worker that was killed cannot take its requests in progress back.
    for pid in {path.stem.rpartition("_")[2] for path in folder.glob("gauge_live*_*.db")}:
        if pid.isdecimal() and not _is_running(int(pid)):
            mark_process_dead(int(pid), path=str(folder))


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # it belongs to somebody else
        return True
    return True


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
            waiting = sql.count_waiting(connection)
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
