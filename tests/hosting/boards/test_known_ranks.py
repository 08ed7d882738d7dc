"""What a process knows of a board: carried on from release to release, and never of a board that is not."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import event, select

from ladderboard.hosting.boards.baselines import add_baseline
from ladderboard.hosting.boards.standings import FAR_BEHIND, Ranks, place_of
from ladderboard.hosting.opening import enter
from ladderboard.hosting.submissions.incoming import Answer, IncomingSubmission
from ladderboard.hosting.submissions.referee import Referee
from ladderboard.store.schema import teams
from ladderboard.store.teams import renew_board
from tests.hosting.competitions import NOON, a_file, predictions
from tests.hosting.hosts import Begin, Stage, on_sqlite


def counts_of_teams(stage: Stage) -> list[str]:
    """Statements that count teams, as they come."""
    seen: list[str] = []

    def notice(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if "count(*)" in statement and "FROM teams" in statement:
            seen.append(statement)

    event.listen(stage.database.engine, "before_cursor_execute", notice)
    return seen


def assert_known_is_true(stage: Stage) -> None:
    with stage.database.reading() as connection:
        known, fresh = Ranks.remembered(connection, stage.live), Ranks.read(connection, stage.live)
        assert known.orders.tolist() == known.losses.tolist() == fresh.orders.tolist()
        assert (known.shown, known.teams) == (fresh.shown, fresh.teams)
        for team in connection.execute(select(teams).where(teams.c.board_order.is_not(None))):
            place = place_of(connection, stage.live, team)
            if team.kind == "team":
                assert place == fresh.place(team.board_order, team.board_value)


def assert_told_the_truth(stage: Stage, name: str, answer: Answer) -> None:
    with stage.database.reading() as connection:
        team = connection.execute(select(teams).where(teams.c.name == name)).one()
        place = Ranks.read(connection, stage.live).place(team.board_order, team.board_value)
    assert {"rank": answer.content["rank"], "rank_range": answer.content["rank_range"]} == place.to_dict()


def test_a_board_is_counted_once_and_followed_from_release_to_release(begin: Begin) -> None:
    stage = begin(rows=1000, deadline=NOON + timedelta(hours=1), late_submissions=True)
    baselines = [a_file(stage.competition, predictions(stage.competition, share)) for share in (0.55, 0.8)]
    add_baseline(stage.services, stage.slug, "majority", baselines[0])
    stage.send("foxes", 0.6)
    counts, answers = counts_of_teams(stage), []
    for seed, (name, share) in enumerate(
        [("owls", 0.7), ("foxes", 0.65), ("moles", 0.7), ("owls", 0.5), ("foxes", 0.95), ("owls", 0.93)], start=1
    ):
        answers.append((name, stage.send(name, share, seed=seed)))
    stage.send("owls", 0.93, seed=6)  # a duplicate
    add_baseline(stage.services, stage.slug, "majority", baselines[1])
    stage.pass_time(timedelta(hours=2))
    assert stage.send("moles", 0.9, seed=9).content["phase"] == "late"
    assert counts == []
    assert_known_is_true(stage)
    assert len(counts) == 1  # the fresh one, to compare with
    assert_told_the_truth(stage, *answers[-1])


@on_sqlite
def test_what_was_not_committed_is_not_known(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = begin(rows=1000)
    stage.send("foxes", 0.6)
    stage.send("owls", 0.7, seed=1)

    def fail(_connection: Any) -> None:
        raise RuntimeError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(stage.database, "_commit", fail)
        with pytest.raises(RuntimeError, match="disk"):
            stage.send("foxes", 0.95, seed=2)
    assert_known_is_true(stage)
    # Another process gives the number of the version that never was to a board of its own.
    other = enter(stage.database, stage.services.files, stage.competition)
    content = a_file(stage.competition, predictions(stage.competition, 0.9, seed=3))
    answer = Referee(stage.database).submit(other, IncomingSubmission(stage.team("moles"), content, NOON))
    assert answer.content["rank"] == 1
    assert_known_is_true(stage)


def test_releases_of_another_process_are_not_missed(begin: Begin) -> None:
    stage = begin(rows=1000)
    other, referee = enter(stage.database, stage.services.files, stage.competition), Referee(stage.database)
    stage.send("foxes", 0.6)
    stage.team("owls")
    for seed, share in enumerate([0.7, 0.8, 0.9], start=1):
        content = a_file(stage.competition, predictions(stage.competition, share, seed=seed))
        assert_told_the_truth(stage, "owls", referee.submit(other, IncomingSubmission("id-owls", content, NOON)))
        assert_told_the_truth(stage, "foxes", stage.send("foxes", share + 0.05, seed=10 + seed))
        assert_known_is_true(stage)


@on_sqlite
def test_a_board_that_others_changed_often_is_read_again(begin: Begin) -> None:
    stage = begin(rows=1000)
    stage.send("foxes", 0.6)
    counts = counts_of_teams(stage)
    with stage.database.transaction() as connection:
        renew_board(connection, stage.slug)
    stage.send("owls", 0.7, seed=1)
    assert len(counts) == 2  # how many there are, and where this one stands among them
    with stage.database.transaction() as connection:
        for _ in range(FAR_BEHIND):
            renew_board(connection, stage.slug)
    for seed in range(2, 5):
        stage.send("owls", 0.7, seed=seed)
    assert len(counts) == 3
    assert_known_is_true(stage)
