"""The end of a competition of 10,000 teams with two finals each, and the pages of its organiser.

`ladderboard serve` in a process of its own, asked over HTTP. Processor time of the server, so that a busy machine
changes little. Pages are compared with those of a board of 100 teams, which are as long; one team of ten is flagged
on the large board, every team on the small one.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks._filled import fill
from benchmarks._served import Served, serving
from benchmarks.hosting_http import PASSWORD, write_competition
from benchmarks.leaderboard_reads import connection_to, processor_seconds
from benchmarks.row import Row
from ladderboard.client import Client
from ladderboard.server.people.accounts import Accounts, Registry
from ladderboard.server.people.identities import begin_session
from ladderboard.server.services import open_services
from ladderboard.server.settings import Settings

ROWS = 1_000
FEW, MANY = 100, 10_000
FINALS = 2
READS, TURNS = 10, 5
FINALIZE_SECONDS, MEGABYTES = 30, 1_000
ADDRESSES = {
    "the health of the holdout": "/api/v1/competitions/{}/organise/health",
    "the flags": "/api/v1/competitions/{}/organise/flags",
    "the flags counted by team": "/api/v1/competitions/{}/organise/flags/counts",
    "the dashboard": "/competitions/{}/organise",
    "the page of teams": "/competitions/{}/organise/teams",
    "the page of flags": "/competitions/{}/organise/flags",
    "the page of the ledger": "/competitions/{}/organise/ledger",
}


def run() -> list[Row]:
    """All rows."""
    labels = np.random.default_rng(0).integers(0, 2, ROWS)
    with TemporaryDirectory() as name:
        folder = Path(name)
        competitions = [write_competition(folder / f"board-{count}", labels) for count in (FEW, MANY)]
        session = _prepare(folder / f"data-of-{'-'.join(one.name for one in competitions)}", competitions)
        with serving(folder, *competitions) as server, _organiser(server, session) as olga:
            return [*_page_rows(server, olga), *_finalize_rows(server, olga)]


def _prepare(data: Path, folders: list[Path]) -> str:
    """Fill both boards; returns the secret of a session of their organiser."""
    services = open_services(Settings(data=data), folders)
    try:
        for count in (FEW, MANY):
            live = services.competition(f"board-{count}")
            fill(services.database, live, count=count, each=FINALS, flagged=max(FEW, count // 10))
        account = Registry(Accounts(services.database, services.settings)).add("olga", PASSWORD, role="organiser")
        return begin_session(services.database, account)
    finally:
        services.close()


@dataclass(frozen=True)
class Organiser:
    """A connection that speaks for the organiser: with a token to the API, with a session to pages."""

    http: HTTPConnection
    token: str
    session: str

    def ask(self, method: str, address: str) -> int:
        """Send a request and read all of its answer; returns how many bytes it had."""
        is_api = address.startswith("/api/")
        headers = {"Authorization": f"Bearer {self.token}"} if is_api else {"Cookie": f"session={self.session}"}
        self.http.request(method, address, headers=headers)
        answer = self.http.getresponse()
        length = 0
        while part := answer.read(1 << 20):
            length += len(part)
        assert answer.status == 200, (address, answer.status)
        return length


@contextmanager
def _organiser(server: Served, session: str) -> Iterator[Organiser]:
    with Client(server.url) as client:
        token = client.create_token("olga", PASSWORD, scopes=["read", "organise"]).token
    with connection_to(server) as http:
        yield Organiser(http, token, session)


def _page_rows(server: Served, olga: Organiser) -> Iterator[Row]:
    for what, address in ADDRESSES.items():
        lengths = {count: olga.ask("GET", address.format(f"board-{count}")) for count in (FEW, MANY)}
        spent = dict.fromkeys((FEW, MANY), 0.0)
        for _ in range(TURNS):
            for count in (FEW, MANY):
                before = processor_seconds(server)
                for _ in range(READS):
                    olga.ask("GET", address.format(f"board-{count}"))
                spent[count] += (processor_seconds(server) - before) / (READS * TURNS)
        size = f"{lengths[MANY] / 1000:.0f} kB and {lengths[FEW] / 1000:.0f} kB"
        yield Row(f"{what} with {MANY:,} teams against one with {FEW} ({size})", spent[MANY], spent[FEW], 3.0)


def _finalize_rows(server: Served, olga: Organiser) -> Iterator[Row]:
    base = f"/api/v1/competitions/board-{MANY}"
    olga.ask("POST", f"{base}/organise/freeze")
    server.forget_peak()
    finalized = _spent(server, partial(olga.ask, "POST", f"{base}/organise/finalize?at_once=true"))
    peak = server.peak_megabytes
    what = f"finalizing {MANY:,} teams with two finals each of {ROWS:,} rows"
    yield Row(f"{what}, processor time of the server, against {FINALIZE_SECONDS} s", finalized, FINALIZE_SECONDS, 1.0)
    yield Row(f"{what}, peak memory of the server, against 1 GB", peak, MEGABYTES, 1.0, unit="MB")
    for words, query in (("", ""), (" with all files", "?files=true")):
        server.forget_peak()
        exported = _spent(server, partial(olga.ask, "GET", f"{base}/export{query}"))
        yield Row(f"exporting them{words}, against finalizing them", exported, finalized, 3.0)
        yield Row(f"exporting them{words}, peak memory", server.peak_megabytes, MEGABYTES, 1.0, unit="MB")


def _spent(server: Served, work: Callable[[], object]) -> float:
    before = processor_seconds(server)
    work()
    return processor_seconds(server) - before
