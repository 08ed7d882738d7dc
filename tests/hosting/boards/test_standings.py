"""Places on the public board, on both databases: what an answer says is what the board shows."""

from typing import Any

import numpy as np
import pytest
from sqlalchemy import insert, select, update

from ladderboard.server.boards.board_page import read_board_page, stream_board
from ladderboard.server.boards.standings import Place, Ranks, find_place
from ladderboard.server.competitions.opening import enter
from ladderboard.server.db.columns import make_record
from ladderboard.server.db.schema import teams
from ladderboard.server.operations.rules import add_baseline
from ladderboard.server.submissions.records import Answer, IncomingSubmission
from ladderboard.server.submissions.referee import Referee
from ladderboard.server.teams.records import TeamRecord
from tests.hosting.competitions import NOON, a_file, predictions
from tests.hosting.hosts import Begin, Stage, on_sqlite


def fill(stage: Stage, values: Any, **more: Any) -> None:
    loss = stage.live.yardstick.loss
    rows = [
        {
            "id": f"id-{number}",
            "competition": "pets",
            "name": f"team {number}",
            "name_key": f"team {number}",
            "salt": "5a17",
            "created_at": NOON,
            "attempts": 1,
            "board_value": float(value),
            "board_order": loss(float(value)),
            "last_improvement": number,
            "last_improved_at": NOON,
            **more,
        }
        for number, value in enumerate(values)
    ]
    with stage.database.transaction() as connection:
        connection.execute(insert(teams), rows)


def test_a_teams_answer_and_the_board_say_the_same(begin: Begin) -> None:
    stage = begin(rows=1000)
    rng = np.random.default_rng(1)
    fill(stage, np.round(rng.uniform(0.5, 1.0, 150), 2))
    with stage.database.reading() as connection:
        ranks = Ranks.read(connection, stage.live)
        rows = connection.execute(select(teams)).all()
        places = {row.name: find_place(connection, stage.live, make_record(TeamRecord, row)) for row in rows}
    shown = {row.team: Place(row.rank, row.rank_range) for row in stream_board(stage.services, stage.live)}
    assert (
        places == shown == {row.name: ranks.place(row.board_order, row.board_value, row.standard_error) for row in rows}
    )
    values = np.array([row.board_value for row in rows])
    for row in rows:
        place = places[row.name]
        assert place.rank == 1 + (values > row.board_value).sum()
        assert place.rank is not None
        assert place.rank_range is not None
        assert 1 <= place.rank_range.best <= place.rank <= place.rank_range.worst <= len(rows)


def test_the_order_of_display_is_by_value_then_by_the_time_of_the_last_improvement(begin: Begin) -> None:
    stage = begin(metric="rmse")
    fill(stage, [2.0, 1.0, 2.0, 1.0])
    page = read_board_page(stage.services, stage.live, page=1, per_page=10)
    second = read_board_page(stage.services, stage.live, page=2, per_page=3)
    assert [(row.team, row.rank) for row in page.rows] == [
        ("team 1", 1),
        ("team 3", 1),
        ("team 0", 3),
        ("team 2", 3),
    ]
    assert [row.team for row in second.rows] == ["team 2"]
    assert second.total == 4


@on_sqlite
def test_where_ranks_are_the_instances_the_rung_is_the_rank(begin: Begin) -> None:
    stage = begin(instances="rank", ranks=3, mechanism="spending_ladder", rows=2000)
    for seed, (name, share) in enumerate([("a", 0.6), ("b", 0.75), ("c", 0.68), ("d", 0.9)]):
        answer = stage.send(name, share, seed=seed)
    assert answer.content["rank"] == 1
    assert answer.content["rank_range"] == {"best": 1, "worst": 1}
    rows = read_board_page(stage.services, stage.live, page=1, per_page=10).rows
    assert [(row.team, row.rank) for row in rows] == [("d", 1), ("b", 2), ("c", 3)]


@on_sqlite
def test_a_first_number_widens_nothing_until_the_teams_pass_a_power_of_two(begin: Begin) -> None:
    stage = begin(rows=1000)
    fill(stage, [0.8] * 60)
    seen = []
    for seed in range(8):
        stage.send(f"new {seed}", 0.85, seed=seed)
        with stage.database.reading() as connection:
            team = connection.execute(select(teams).where(teams.c.name == f"new {seed}")).one()
            assert find_place(connection, stage.live, make_record(TeamRecord, team)) == Ranks.read(
                connection, stage.live
            ).place(team.board_order, team.board_value, team.standard_error)
            seen.append(Ranks.read(connection, stage.live).reaches.plausibility.critical)
    assert seen == sorted(seen)
    assert len(set(seen)) == 2


def assert_told_the_truth(stage: Stage, name: str, answer: Answer) -> None:
    with stage.database.reading() as connection:
        team = connection.execute(select(teams).where(teams.c.name == name)).one()
        place = Ranks.read(connection, stage.live).place(team.board_order, team.board_value, team.standard_error)
    assert {"rank": answer.content["rank"], "rank_range": answer.content["rank_range"]} == place.to_dict()


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
    other = enter(stage.database, stage.services.files, stage.competition)
    content = a_file(stage.competition, predictions(stage.competition, 0.9, seed=3))
    answer = Referee(stage.database).submit(other, IncomingSubmission(stage.team("moles"), content, NOON))
    assert answer.content["rank"] == 1
    assert_told_the_truth(stage, "moles", answer)


def test_releases_of_another_process_are_not_missed(begin: Begin) -> None:
    stage = begin(rows=1000)
    other, referee = enter(stage.database, stage.services.files, stage.competition), Referee(stage.database)
    stage.send("foxes", 0.6)
    stage.team("owls")
    for seed, share in enumerate([0.7, 0.8, 0.9], start=1):
        content = a_file(stage.competition, predictions(stage.competition, share, seed=seed))
        assert_told_the_truth(stage, "owls", referee.submit(other, IncomingSubmission("id-owls", content, NOON)))
        assert_told_the_truth(stage, "foxes", stage.send("foxes", share + 0.05, seed=10 + seed))


def test_a_page_counts_baselines_among_its_rows_and_not_among_its_ranks(begin: Begin) -> None:
    stage = begin(rows=1000)
    fill(stage, [0.8, 0.7, 0.7])
    with stage.database.transaction() as connection:
        connection.execute(update(teams).where(teams.c.id == "id-1").values(kind="baseline"))
    page = read_board_page(stage.services, stage.live, page=1, per_page=10)
    past = read_board_page(stage.services, stage.live, page=3, per_page=10)
    # Of equal numbers the baseline comes first: whoever only equals it has not beaten it.
    assert [(row.team, row.rank, row.is_tied) for row in page.rows] == [
        ("team 0", 1, False),
        ("team 1", None, False),
        ("team 2", 2, False),
    ]
    assert (page.total, past.total, past.rows) == (3, 3, ())


@on_sqlite
@pytest.mark.parametrize("metric", ["accuracy", "error_rate"])
def test_where_ranks_are_the_instances_a_baseline_stands_where_its_number_puts_it(begin: Begin, metric: str) -> None:
    stage = begin(metric=metric, instances="rank", ranks=3, mechanism="spending_ladder", rows=2000)
    for seed, (name, share) in enumerate([("a", 0.6), ("b", 0.75), ("d", 0.9)]):
        stage.send(name, share, seed=seed)
    for seed, (name, share) in enumerate([("middling", 0.82), ("poor", 0.55), ("good", 0.99)], start=3):
        content = a_file(stage.competition, predictions(stage.competition, share, seed=seed))
        add_baseline(stage.services, stage.slug, name, content)
    page = read_board_page(stage.services, stage.live, page=1, per_page=10)
    second = read_board_page(stage.services, stage.live, page=2, per_page=4)
    found = read_board_page(stage.services, stage.live, page=1, per_page=10, search="d")
    names = [row.team for row in stream_board(stage.services, stage.live)]
    ranks = {"good": None, "d": 1, "middling": None, "b": 2, "a": 3, "poor": None}
    assert {row.team: row.rank for row in page.rows} == ranks
    assert names == [row.team for row in page.rows] == list(ranks)
    assert ([row.team for row in second.rows], second.total) == (["a", "poor"], 6)
    assert ([row.team for row in found.rows], found.total) == (["good", "d", "middling"], 3)


@on_sqlite
def test_the_next_submission_computes_no_interval_that_an_earlier_one_has_computed(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = begin(rows=1000)
    fill(stage, np.round(np.linspace(0.5, 1.0, 150), 3))
    kind, asked = type(stage.live.mechanism), []
    make_interval = kind.make_interval

    def count(*given: Any, **named: Any) -> Any:
        asked.append(given)
        return make_interval(*given, **named)

    monkeypatch.setattr(kind, "make_interval", count)
    with stage.database.reading() as connection:
        first = Ranks.read(connection, stage.live)
        computed = len(asked)
        again = Ranks.read(connection, stage.live)
    assert computed % 150 == 0  # once for each step down
    assert len(asked) == computed
    np.testing.assert_array_equal(first.reaches.rows, again.reaches.rows)
    assert np.all(np.diff(first.reaches.rows[:, 0]) >= 0)
