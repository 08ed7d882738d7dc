"""The life of a competition: its status at every moment, freezing, finalizing and revealing, by hand and by itself."""

from datetime import timedelta
from threading import Barrier, Thread

import pytest
from sqlalchemy import select

from ladderboard.core.errors import ConflictError, DeadlinePassedError, NotFoundError
from ladderboard.server.competitions.schedule import advance, advance_all
from ladderboard.server.db.schema import competitions, private_results, teams
from ladderboard.server.lifecycle import GRACE, freeze, reveal, status, unfreeze
from ladderboard.server.results import finalizing
from ladderboard.server.results.finalizing import finalize, find_board
from ladderboard.server.results.private_scores import PrivateScores, score_finals
from ladderboard.server.results.steps import Steps
from tests.hosting.competitions import NOON
from tests.hosting.hosts import Begin, Stage

HOUR = timedelta(hours=1)


def dates(stage: Stage) -> dict[str, object]:
    with stage.database.reading() as connection:
        row = connection.execute(select(competitions)).one()
    return {name: getattr(row, name) for name in ("frozen_at", "finalized_at", "revealed_at")}


def test_the_status_follows_the_clock(begin: Begin) -> None:
    stage = begin(opens=NOON + HOUR, deadline=NOON + 2 * HOUR)
    assert status(stage.services, "pets") == "upcoming"
    stage.pass_time(HOUR)
    assert status(stage.services, "pets") == "open"
    stage.pass_time(HOUR)
    assert status(stage.services, "pets") == "open", "the deadline itself is still in time"
    stage.pass_time(timedelta(microseconds=1))
    assert status(stage.services, "pets") == "closed"


def test_the_opening_is_told_once(begin: Begin) -> None:
    stage = begin(opens=NOON + HOUR)
    assert advance(stage.services, "pets") == "upcoming"
    stage.pass_time(HOUR)
    assert [advance(stage.services, "pets"), advance(stage.services, "pets")] == ["open", "open"]
    assert stage.ledger_kinds() == ["created", "opened"]


def test_freezing_by_hand_keeps_what_arrived_before_it(begin: Begin) -> None:
    stage = begin()
    stage.team("a")
    arrived = stage.moment
    stage.pass_time(HOUR)
    freeze(stage.services, "pets")
    stage.pass_time(HOUR)
    with pytest.raises(DeadlinePassedError):
        stage.send("a", 0.9)
    stage.moment = arrived  # its upload and scoring took until after the freeze
    assert stage.send("a", 0.9).status == 201
    stage.pass_time(3 * HOUR)
    assert status(stage.services, "pets") == "closed"
    with pytest.raises(ConflictError, match="has been closed since"):
        freeze(stage.services, "pets")
    unfreeze(stage.services, "pets")
    assert status(stage.services, "pets") == "open"
    assert stage.ledger_kinds() == ["created", "frozen", "submission", "unfrozen"]


def test_nothing_is_finalized_before_it_is_closed_and_all_is_scored(begin: Begin) -> None:
    stage = begin(deadline=NOON + HOUR)
    stage.send("a", 0.9)
    with pytest.raises(ConflictError, match="not closed"):
        finalize(stage.services, "pets")
    stage.pass_time(HOUR + GRACE / 2)
    with pytest.raises(ConflictError, match="may still be in progress"):
        finalize(stage.services, "pets")
    stage.pass_time(GRACE)
    finalize(stage.services, "pets")
    assert status(stage.services, "pets") == "finalized"
    with pytest.raises(ConflictError, match="was finalized"):
        finalize(stage.services, "pets")


def test_after_the_end_nothing_enters_the_board_any_more(begin: Begin) -> None:
    stage = begin(deadline=NOON + HOUR)
    stage.send("a", 0.8)
    stage.pass_time(2 * HOUR)
    finalize(stage.services, "pets")
    stage.moment = NOON + HOUR / 2  # a request from before the deadline that took two hours
    with pytest.raises(DeadlinePassedError, match="final"):
        stage.send("a", 0.95, seed=1)


def test_the_private_board_is_hidden_until_the_reveal_by_hand(begin: Begin) -> None:
    stage = begin()
    stage.send("a", 0.9)
    freeze(stage.services, "pets")
    stage.pass_time(HOUR)
    with pytest.raises(ConflictError, match="finalize"):
        reveal(stage.services, "pets")
    finalize(stage.services, "pets")
    with stage.database.reading() as connection:
        with pytest.raises(NotFoundError):
            find_board(connection, "pets", sees_all=False)
        assert find_board(connection, "pets", sees_all=True).result["rows"][0]["team"] == "a"
    reveal(stage.services, "pets")
    with stage.database.reading() as connection:
        assert find_board(connection, "pets", sees_all=False).result["rows"][0]["team"] == "a"
    assert status(stage.services, "pets") == "revealed"
    assert stage.ledger_kinds()[-3:] == ["frozen", "finalized", "revealed"]
    with pytest.raises(ConflictError, match="was revealed"):
        reveal(stage.services, "pets")


def test_at_the_deadline_everything_happens_by_itself(begin: Begin) -> None:
    stage = begin(deadline=NOON + HOUR, reveal="deadline")
    stage.send("a", 0.9)
    stage.pass_time(HOUR + GRACE / 2)
    assert advance(stage.services, "pets") == "closed"
    stage.pass_time(GRACE)
    advance_all(stage.services)
    assert status(stage.services, "pets") == "revealed"
    assert stage.ledger_kinds()[-2:] == ["finalized", "revealed"]


def test_at_an_announced_time_and_not_before(begin: Begin) -> None:
    stage = begin(deadline=NOON + HOUR, reveal=NOON + 24 * HOUR)
    stage.send("a", 0.9)
    stage.pass_time(2 * HOUR)
    finalize(stage.services, "pets")
    with pytest.raises(ConflictError, match="announce"):
        reveal(stage.services, "pets")
    assert advance(stage.services, "pets") == "finalized"
    stage.pass_time(22 * HOUR)
    assert advance(stage.services, "pets") == "revealed"


def test_a_standing_benchmark_never_reveals(begin: Begin) -> None:
    stage = begin(deadline=NOON + HOUR, reveal="never")
    stage.send("a", 0.9)
    stage.pass_time(1000 * HOUR)
    assert advance(stage.services, "pets") == "closed"
    finalize(stage.services, "pets")
    with pytest.raises(ConflictError, match="never"):
        reveal(stage.services, "pets")
    assert advance(stage.services, "pets") == "finalized"


def test_several_processes_finalize_once(begin: Begin) -> None:
    stage = begin(deadline=NOON + HOUR, reveal="deadline")
    stage.send("a", 0.9)
    stage.pass_time(2 * HOUR)
    together, found = Barrier(4), []

    def look() -> None:
        together.wait()
        found.append(advance(stage.services, "pets"))

    threads = [Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == ["revealed"] * 4
    assert len(stage.rows(private_results)) == 1
    assert stage.ledger_kinds()[-2:] == ["finalized", "revealed"]


def test_what_happens_while_the_private_board_is_computed_is_in_it(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = begin(deadline=NOON + HOUR)
    stage.send("a", 0.8)
    stage.send("b", 0.9)
    stage.pass_time(2 * HOUR)
    computed: list[object] = []

    def slowly(*args: object, **more: object) -> Steps[PrivateScores]:
        scores = yield from score_finals(*args, **more)  # type: ignore[arg-type]
        if not computed:
            with stage.database.transaction() as connection:
                connection.execute(teams.update().where(teams.c.name == "b").values(status="disqualified"))
                connection.execute(competitions.update().values(ledger_length=competitions.c.ledger_length + 1))
        computed.append(scores)
        return scores

    monkeypatch.setattr(finalizing, "score_finals", slowly)
    board = finalize(stage.services, "pets")
    assert len(computed) == 2
    assert [row.team for row in board.rows] == ["a"]
    assert dates(stage)["finalized_at"] == stage.moment
