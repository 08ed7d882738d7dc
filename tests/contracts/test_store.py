"""The promises of `ladderboard.server.db`, on both databases: all or nothing, nothing twice, nothing lost."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, select

from ladderboard.core.errors import QuotaExceededError
from ladderboard.server.db.database import Database
from ladderboard.server.db.files import TableFiles
from ladderboard.server.db.rows import instances as instances_rows
from ladderboard.server.db.rows.instances import StateMovedError
from ladderboard.server.db.schema import competitions, idempotency, instances, submissions
from tests.contracts.store_cases import QUOTA, Served, everything, race_processes

Serve = Callable[..., Served]


@pytest.fixture
def serve(database: Database, tmp_path: Path) -> Serve:
    return lambda **settings: Served(database, tmp_path, **settings)


def address(database: Database) -> str:
    return database.url.render_as_string(hide_password=False)


class FaultError(Exception):
    """What a test lets happen."""


def in_threads(threads: int, work: Callable[[int], list[dict[str, Any]]]) -> list[dict[str, Any]]:
    with ThreadPoolExecutor(threads) as pool:
        return [answer for answers in pool.map(work, range(threads)) for answer in answers]


# -- nothing is spent twice -------------------------------------------------------------------------------------------


def test_threads_that_race_for_one_state_spend_it_once_each(serve: Serve) -> None:
    served = serve(total=QUOTA)
    served.add_teams("a")
    answers = in_threads(8, lambda thread: served.send_all("a", range(4 * thread, 4 * thread + 4)))
    assert len(answers) == QUOTA
    served.check(acknowledged=answers)


def test_servers_that_race_for_one_state_spend_it_once_each(serve: Serve) -> None:
    # Each thread is a server of its own: nothing but the database keeps them apart.
    servers = [serve(total=QUOTA) for _ in range(8)]
    servers[0].add_teams("a")
    answers = in_threads(8, lambda thread: servers[thread].send_all("a", range(4 * thread, 4 * thread + 4)))
    assert len(answers) == QUOTA
    servers[0].check(acknowledged=answers)


def test_processes_that_race_for_one_state_spend_it_once_each(serve: Serve, database: Database, tmp_path: Path) -> None:
    served = serve(total=QUOTA)
    served.add_teams("a")
    work = [("a", range(10 * number, 10 * number + 10)) for number in range(3)]
    answers = race_processes(address(database), tmp_path, {"total": QUOTA}, work)
    assert len(answers) == QUOTA
    served.check(acknowledged=answers)


@pytest.mark.parametrize("settings", [{}, {"instances": "rank", "ranks": 3, "mechanism": "spending_ladder"}])
def test_teams_that_submit_at_once_all_get_what_one_process_would_have_told(
    serve: Serve, settings: dict[str, Any]
) -> None:
    servers = [serve(**settings) for _ in range(4)]
    names = [f"team-{number}" for number in range(4)]
    servers[0].add_teams(*names)
    answers = in_threads(4, lambda thread: servers[thread].send_all(names[thread], range(thread, 80, 8)))
    assert len(answers) == 40
    servers[0].check(acknowledged=answers)


def test_a_state_that_moved_on_is_not_written_over(serve: Serve, database: Database) -> None:
    served = serve()
    served.add_teams("a")
    with database.transaction() as connection:
        instances_rows.replace_state(connection, "pets", "a", state_version=0, state="first", bits=1.0)
    for version in (0, 2):
        before = everything(database)
        with pytest.raises(StateMovedError), database.transaction() as connection:
            instances_rows.replace_state(connection, "pets", "a", state_version=version, state="second", bits=2.0)
        assert everything(database) == before
    with database.transaction() as connection:
        instances_rows.replace_state(connection, "pets", "a", state_version=1, state="second", bits=3.0)
    with database.reading() as connection:
        stored = connection.execute(select(instances.c.state, instances.c.state_version, instances.c.bits)).one()
    assert tuple(stored) == ("second", 2, 3.0)


def test_servers_that_start_at_once_make_one_competition(database: Database, tmp_path: Path) -> None:
    made = in_threads(6, lambda _: [{"secret": Served(database, tmp_path).live.secret}])
    assert len({one["secret"] for one in made}) == 1
    with database.reading() as connection:
        assert [row.ledger_length for row in connection.execute(select(competitions))] == [1]


# -- all or nothing ---------------------------------------------------------------------------------------------------


def test_a_fault_at_any_statement_leaves_nothing(serve: Serve, database: Database) -> None:
    served = serve(total=5)
    served.add_teams("a")
    acknowledged = [served.send("a", 1, idempotency_key="one").content]
    before = everything(database)
    faults = 0
    while True:
        with fault_at(database, faults) as struck:
            try:
                answer = served.send("a", 40, idempotency_key="two", note="again")
            except FaultError:
                assert everything(database) == before, f"something was stored before statement {faults}"
            if not struck:
                break
        faults += 1
    assert faults > 10
    acknowledged.append(answer.content)
    assert answer.content["quota"]["used"] == 2
    served.check(acknowledged=acknowledged)


def test_a_fault_at_the_commit_leaves_nothing(serve: Serve, database: Database) -> None:
    served = serve()
    served.add_teams("a")
    before = everything(database)

    def fail(_connection: Any) -> None:
        raise FaultError

    event.listen(database.engine, "commit", fail)
    with pytest.raises(FaultError):
        served.send("a", 1)
    event.remove(database.engine, "commit", fail)
    assert everything(database) == before
    served.check(acknowledged=[served.send("a", 1).content])


class fault_at:
    """Raise instead of running the statement of that index, counted from 0; true afterwards if there was one."""

    def __init__(self, database: Database, index: int) -> None:
        self._engine, self._left, self._struck = database.engine, index, False

    def _count(self, *_: Any) -> None:
        self._left -= 1
        if self._left == -1:
            self._struck = True
            raise FaultError

    def __bool__(self) -> bool:
        return self._struck

    def __enter__(self) -> "fault_at":
        event.listen(self._engine, "before_cursor_execute", self._count)
        return self

    def __exit__(self, *_: object) -> None:
        event.remove(self._engine, "before_cursor_execute", self._count)


# -- the same request, the same predictions ---------------------------------------------------------------------------


def test_a_request_that_is_repeated_at_once_is_stored_once(serve: Serve, database: Database) -> None:
    servers = [serve() for _ in range(6)]
    servers[0].add_teams("a")
    answers = in_threads(6, lambda thread: [servers[thread].send("a", 3, idempotency_key="k").content])
    assert all(answer == answers[0] for answer in answers)
    with database.reading() as connection:
        assert len(connection.execute(select(idempotency)).all()) == 1
    servers[0].check(acknowledged=answers)


def test_the_same_predictions_at_once_cost_one_attempt(serve: Serve) -> None:
    servers = [serve() for _ in range(6)]
    servers[0].add_teams("a")
    answers = in_threads(6, lambda thread: [servers[thread].send("a", 3).content])
    assert len({answer["id"] for answer in answers}) == 1
    assert sorted(answer["duplicate"] for answer in answers) == [False] + [True] * 5
    servers[0].check(acknowledged=answers)


def test_a_repeated_request_is_answered_over_quota_and_by_another_server(serve: Serve) -> None:
    served = serve(total=1)
    served.add_teams("a")
    first = served.send("a", 3, idempotency_key="k")
    assert serve(total=1).send("a", 3, idempotency_key="k") == first
    with pytest.raises(QuotaExceededError):
        served.send("a", 4, idempotency_key="another")
    served.check(acknowledged=[first.content])


def test_what_is_refused_leaves_no_row(serve: Serve, database: Database) -> None:
    served = serve(total=1)
    served.add_teams("a")
    served.send("a", 3)
    before = everything(database)
    with pytest.raises(QuotaExceededError):
        served.send("a", 4, idempotency_key="k")
    assert everything(database) == before


# -- files ------------------------------------------------------------------------------------------------------------


def test_every_submission_has_its_original_file(serve: Serve, database: Database) -> None:
    served = serve()
    served.add_teams("a", "b")
    for team in "ab":
        served.send_all(team, range(3))
    with database.reading() as connection:
        digests = [row.file_digest for row in connection.execute(select(submissions))]
    assert len(digests) == 6
    assert len(set(digests)) == 3  # the same bytes are kept once
    assert all(served.live.files.read(digest).startswith(b"id,label\n") for digest in digests)
    assert isinstance(served.live.files, TableFiles) == (not database.is_sqlite)
