"""Submissions through the referee with durable commits: how many a second, and whether a long history slows them down.

Both databases where PostgreSQL's programs are installed; all in one process, one submission after the other.
"""

import hashlib
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from sqlalchemy import Connection, insert, select, update

from benchmarks.row import Row, compare
from ladderboard.competition import Competition, Limits
from ladderboard.core.ledger import Entry
from ladderboard.core.records import Release, State
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.competitions.opening import enter
from ladderboard.server.db.columns import new_id
from ladderboard.server.db.database import Database
from ladderboard.server.db.migrations import upgrade
from ladderboard.server.db.schema import competitions, instances, ledger, submissions, teams
from ladderboard.server.services import files_for
from ladderboard.server.settings import Settings
from ladderboard.server.submissions.records import IncomingSubmission
from ladderboard.server.submissions.referee import Referee
from tests.hosting.competitions import a_competition, a_file, predictions
from tests.postgres import Cluster, binaries

ROWS = 1_000
PER_SECOND = 60
SUBMITTED, ROUNDS = 300, 99
EARLY, LATE = (100, 100), (10_000, 100_000)
"""(teams, submissions) of a young board and of an old one."""
ROWS_AT_ONCE = 5_000
NOW = datetime(2026, 3, 14, 12, tzinfo=UTC)


def run() -> list[Row]:
    """All rows."""
    rows = []
    for kind in ["SQLite"] + ["PostgreSQL"] * (binaries() is not None):
        with TemporaryDirectory() as folder, _databases(kind, Path(folder)) as (one, young, old):
            rows += [sustained_row(kind, one, Path(folder)), growth_row(kind, young, old, Path(folder))]
    return rows


def sustained_row(kind: str, database: Database, folder: Path) -> Row:
    """One new submission after another, of ten teams in turn, each on disk before the next begins."""
    board = Board(database, folder / "one", count=10, history=10)
    contents = [board.file(number) for number in range(SUBMITTED + 10)]
    for number in range(10):
        board.submit(number % 10, contents[number])
    start = time.perf_counter()
    for number in range(10, SUBMITTED + 10):
        board.submit(number % 10, contents[number])
    each = (time.perf_counter() - start) / SUBMITTED
    what = f"a submission of 1,000 rows, {kind}: file to durable release, against {PER_SECOND} a second"
    return Row(what, each, 1 / PER_SECOND, 1.0)


def growth_row(kind: str, young: Database, old: Database, folder: Path) -> Row:
    """The 100,000th submission on a board of 10,000 teams against the 100th on a board of 100."""
    boards = [
        Board(database, folder / name, count=size[0], history=size[1])
        for database, name, size in ((old, "old", LATE), (young, "young", EARLY))
    ]
    contents = [boards[0].file(number) for number in range(ROUNDS + 1)]
    # Spread over the whole board, each time another team: its state and its incumbent were not asked for before. With
    # the round that is not counted these are as many rounds as the young board has teams.
    return compare(
        f"the 100,000th submission, 10,000 teams, against the 100th of 100 teams, {kind}",
        lambda number: boards[0].submit(number * (LATE[0] // (ROUNDS + 1)), contents[number]),
        lambda number: boards[1].submit(number % EARLY[0], contents[number]),
        target=1.3,
        rounds=ROUNDS,
    )


class Board:
    """A competition on a database that has teams and a history, written straight into its tables."""

    def __init__(self, database: Database, folder: Path, *, count: int, history: int) -> None:
        self.competition: Competition = a_competition(rows=ROWS, limits=Limits(per_day=None))
        upgrade(database)
        self.live = enter(database, files_for(Settings(data=folder), database), self.competition)
        self._referee = Referee(database)
        first = self.file(-1)
        digest = self.live.files.put(first)
        with database.transaction() as connection:
            self.live.files.record(connection, digest, first, NOW)
            _write_history(connection, self.live, digest, count=count, history=history)
        if not database.is_sqlite:
            with database.engine.connect() as own:
                # As the server itself does from time to time.
                own.execution_options(isolation_level="AUTOCOMMIT").exec_driver_sql("VACUUM ANALYZE")

    def file(self, number: int) -> bytes:
        return a_file(self.competition, predictions(self.competition, 0.6 + 0.0003 * number, seed=number + 1))

    def submit(self, team: int, content: bytes) -> None:
        answer = self._referee.submit(self.live, IncomingSubmission(_team_id(team), content, NOW))
        assert answer.status == 201


def _team_id(number: int) -> str:
    return f"team-{number:06}"


def _write_history(connection: Connection, live: LiveCompetition, digest: str, *, count: int, history: int) -> None:
    """Teams and their attempts in turn: the first of each was accepted and is its incumbent."""
    values = np.round(np.random.default_rng(0).uniform(0.5, 0.7, count), 3).tolist()
    firsts = [new_id(NOW) for _ in range(count)]
    start = live.memory("a team", None)
    assert isinstance(start, State)
    for part in _parts(range(count)):
        team_rows, memories = [], []
        for number in part:
            attempts = len(range(number, history, count))
            state = replace(start, attempts=attempts, accepts=1, released=values[number], incumbent=firsts[number])
            memories.append(
                {"competition": live.slug, "key": _team_id(number), "state": state.to_json(), "state_version": attempts}
            )
            team_rows.append(_team_row(live, number, attempts, values[number]))
        connection.execute(insert(teams), team_rows)
        connection.execute(insert(instances), memories)
    for part in _parts(range(history)):
        connection.execute(insert(submissions), [_submission_row(live, digest, n, values, firsts) for n in part])
    _write_ledger(connection, live, history)


def _team_row(live: LiveCompetition, number: int, attempts: int, value: float) -> dict[str, Any]:
    name = _team_id(number)
    row = {"id": name, "competition": live.slug, "name": name, "name_key": name, "salt": "5a17", "created_at": NOW}
    board = {"board_value": value, "board_order": live.yardstick.loss(value), "last_improvement": number + 1}
    return row | board | {"attempts": attempts, "accepts": 1}


def _submission_row(
    live: LiveCompetition, digest: str, place: int, values: Sequence[float], firsts: Sequence[str]
) -> dict[str, Any]:
    round_number, team = divmod(place, len(firsts))
    accepted, value = round_number == 0, values[team]
    return {
        "id": firsts[team] if accepted else new_id(NOW),
        "competition": live.slug,
        "team_id": _team_id(team),
        "number": place + 1,
        "attempt": round_number + 1,
        "noise_epoch": 0,
        "phase": "live",
        "received_at": NOW,
        "scored_at": NOW,
        "file_digest": digest,
        "file_name": "predictions.csv",
        "file_size": 10_000,
        "fingerprint": hashlib.sha256(str(place).encode()).hexdigest(),
        "release": Release(value, value, accepted, accepted, round_number + 1, None).to_dict(),
        "scoring_version": 1,
        "accepted": accepted,
        "improved": accepted,
        "board_value": value,
    }


def _write_ledger(connection: Connection, live: LiveCompetition, history: int) -> None:
    (row,) = connection.execute(select(competitions.c.ledger_head, competitions.c.ledger_length)).all()
    head, length = row.ledger_head, row.ledger_length
    for part in _parts(range(history)):
        rows = []
        for number in part:
            length += 1
            entry = Entry.following(head, seq=length, at=NOW, kind="submission", body={"number": number}, sealed=None)
            head = entry.hash
            rows.append({"competition": live.slug, **vars(entry), "team_id": None, "opening": None})
        connection.execute(insert(ledger), rows)
    connection.execute(update(competitions).values(ledger_head=head, ledger_length=length, last_number=history))


def _parts(numbers: range) -> Iterator[range]:
    for start in range(0, len(numbers), ROWS_AT_ONCE):
        yield numbers[start : start + ROWS_AT_ONCE]


@contextmanager
def _databases(kind: str, folder: Path) -> Iterator[list[Database]]:
    """Three new databases of one kind."""
    with ExitStack() as stack:
        if kind == "SQLite":
            urls = [f"sqlite:///{folder}/{number}.db" for number in range(3)]
        else:
            cluster = stack.enter_context(Cluster())
            urls = [cluster.address(cluster.create()) for _ in range(3)]
        made = [Database(url) for url in urls]
        for database in made:
            stack.callback(database.close)
        yield made
