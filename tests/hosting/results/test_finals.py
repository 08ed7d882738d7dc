"""Finals and the private board: what counts, what it says, and what it does where something is missing."""

from datetime import timedelta

import numpy as np
import pytest

import ladderboard as lb
from ladderboard.core.errors import ConflictError, NotFoundError, ParameterError
from ladderboard.server.db.schema import ledger, private_results, teams
from ladderboard.server.lifecycle import freeze
from ladderboard.server.results.finalizing import finalize, preview
from ladderboard.server.results.finals import pick_finals, read_finals
from ladderboard.server.results.private_board import PrivateBoard
from ladderboard.server.submissions.records import RankRangeBody
from tests.hosting.competitions import NOON, predictions
from tests.hosting.hosts import Begin, Stage, on_sqlite

pytestmark = on_sqlite

HOUR = timedelta(hours=1)


def end(stage: Stage) -> PrivateBoard:
    freeze(stage.services, "pets")
    stage.pass_time(HOUR)
    return finalize(stage.services, "pets")


def private_accuracy(stage: Stage, share: float, seed: int) -> float:
    rows = stage.competition.solution.rows("Private")
    right = predictions(stage.competition, share, seed=seed) == stage.competition.solution.labels
    return float(np.mean(right[rows]))


# -- picking ----------------------------------------------------------------------------------------------------------


def test_by_default_the_incumbent_and_the_latest_count(begin: Begin) -> None:
    stage = begin()
    stage.send("a", 0.6, seed=1)
    best = stage.send("a", 0.9, seed=2).content["id"]
    stage.send("a", 0.55, seed=3)
    latest = stage.send("a", 0.5, seed=4).content["id"]
    finals = read_finals(stage.services, "pets", "id-a")
    assert [one.id for one in finals.submissions] == [best, latest]
    assert not finals.are_picked


def test_where_one_counts_it_is_the_incumbent_and_without_any_accept_the_latest(begin: Begin) -> None:
    stage = begin(finals=1)
    best = stage.send("a", 0.9).content["id"]
    stage.send("a", 0.5, seed=1)
    assert [one.id for one in read_finals(stage.services, "pets", "id-a").submissions] == [best]
    stage.send("b", 0.3, seed=2)
    latest = stage.send("b", 0.3, seed=3).content["id"]
    assert [one.id for one in read_finals(stage.services, "pets", "id-b").submissions] == [latest]


def test_the_rung_a_team_holds_is_its_incumbent(begin: Begin) -> None:
    stage = begin(instances="rank", ranks=3, mechanism="spending_ladder", rows=2000, finals=1)
    stage.send("a", 0.6, seed=1)
    best = stage.send("a", 0.9, seed=2).content["id"]
    stage.send("b", 0.75, seed=3)
    stage.send("a", 0.5, seed=4)
    assert [one.id for one in read_finals(stage.services, "pets", "id-a").submissions] == [best]


def test_a_team_picks_its_own_and_changes_its_mind(begin: Begin) -> None:
    stage = begin()
    ids = [stage.send("a", 0.6, seed=seed).content["id"] for seed in range(4)]
    others = stage.send("b", 0.6, seed=9).content["id"]
    assert pick_finals(stage.services, "pets", "id-a", [ids[2], ids[0], ids[2]]).are_picked
    assert [one.id for one in read_finals(stage.services, "pets", "id-a").submissions] == [ids[0], ids[2]]
    with pytest.raises(ParameterError, match="at most 2"):
        pick_finals(stage.services, "pets", "id-a", ids[:3])
    with pytest.raises(NotFoundError):
        pick_finals(stage.services, "pets", "id-a", [others])
    assert [one.id for one in read_finals(stage.services, "pets", "id-a").submissions] == [ids[0], ids[2]]
    pick_finals(stage.services, "pets", "id-a", [])
    assert not read_finals(stage.services, "pets", "id-a").are_picked
    entry = next(row for row in stage.rows(ledger) if row.kind == "finals_picked")
    assert ids[0] not in str(entry.body), "which ones were picked is sealed until the reveal"
    assert entry.opening == {"submissions": [ids[2], ids[0]]}


def test_late_entries_cannot_be_picked_and_nothing_can_after_the_end(begin: Begin) -> None:
    stage = begin(deadline=NOON + HOUR, late_submissions=True)
    first = stage.send("a", 0.9).content["id"]
    stage.pass_time(2 * HOUR)
    late = stage.send("a", 0.95, seed=1).content["id"]
    with pytest.raises(NotFoundError):
        pick_finals(stage.services, "pets", "id-a", [late])
    board = finalize(stage.services, "pets")
    assert board.rows[0].submission == first
    with pytest.raises(ConflictError):
        pick_finals(stage.services, "pets", "id-a", [first])


# -- the private board ------------------------------------------------------------------------------------------------


def test_the_better_of_two_picks_counts_on_the_private_rows_alone(begin: Begin) -> None:
    stage = begin()
    ids = [stage.send("a", share, seed=seed).content["id"] for seed, share in enumerate((0.7, 0.8, 0.9))]
    stage.send("b", 0.6, seed=7)
    pick_finals(stage.services, "pets", "id-a", ids[:2])
    board = end(stage)
    first = board.rows[0]
    assert (first.team, first.rank, first.submission) == ("a", 1, ids[1])
    assert first.value == round(private_accuracy(stage, 0.8, 1), 4)
    assert first.finals_are_picked
    assert [row.team for row in board.rows] == ["a", "b"]


def test_ranges_groups_and_the_winner_are_those_of_the_inference(begin: Begin) -> None:
    stage = begin(rows=1000, finals=1)
    shares = {"a": 0.95, "b": 0.95, "c": 0.7, "d": 0.5}
    for seed, (team, share) in enumerate(shares.items()):
        stage.send(team, share, seed=seed)
    board = end(stage)
    rows = stage.competition.solution.rows("Private")
    failures = np.array(
        [
            (predictions(stage.competition, share, seed=seed) != stage.competition.solution.labels)[rows]
            for seed, share in enumerate(shares.values())
        ]
    ).T
    expected = dict(zip(shares, lb.rank_ranges(failures), strict=True))
    for row in board.rows:
        found = expected[row.team]
        assert row.rank_range == RankRangeBody(found.best, found.worst)
        assert (row.rank, row.group) == (found.rank, found.group)
        assert row.could_be_best == (found.best == 1)
    assert board.luck is not None
    winner = lb.winner_estimate(failures)
    assert board.luck.winner == list(shares)[winner.column]
    assert board.luck.corrected == pytest.approx(1 - winner.value, abs=1e-3)
    assert board.luck.contenders == sum(row.could_be_best for row in board.rows) == 2
    assert "2 of the 4 teams could truly be the best" in board.statement


def test_equal_teams_share_a_rank_and_a_baseline_has_none(begin: Begin) -> None:
    stage = begin()
    values = predictions(stage.competition, 0.9)
    for team in ("a", "b"):
        stage.send_values(team, values)
    stage.send("c", 0.6, seed=3)
    stage.team("majority", kind="baseline")
    stage.send("majority", 0.8, seed=5, is_baseline=True)
    board = end(stage)
    assert [(row.team, row.rank) for row in board.rows] == [("a", 1), ("b", 1), ("majority", None), ("c", 3)]
    assert [row.is_tied for row in board.rows] == [True, True, False, False]
    assert board.rows[2].value is not None


def test_the_shake_up_is_told_in_ranks(begin: Begin) -> None:
    stage = begin(rows=2000, mechanism="full_disclosure", finals=1)
    labels, public = stage.competition.solution.labels, stage.competition.solution.rows("Public")
    lucky = predictions(stage.competition, 0.6, seed=1)
    lucky[public] = labels[public]  # knows the public part by heart
    stage.send_values("lucky", lucky)
    stage.send("honest", 0.8, seed=2)
    board = end(stage)
    moved = {row.team: (row.public_rank, row.rank, row.moved) for row in board.rows}
    assert moved == {"honest": (2, 1, 1), "lucky": (1, 2, -1)}
    assert "moved by 1.0 ranks on average" in board.statement


def test_a_team_whose_metric_is_undefined_on_the_private_rows_is_shown_and_not_ranked(begin: Begin) -> None:
    stage = begin(metric="pearson", finals=1)
    stage.send("a", 0.8)
    values = predictions(stage.competition, 0.9, seed=1)
    values[stage.competition.solution.rows("Private")] = 0.5
    stage.send_values("flat", values)
    board = end(stage)
    assert [(row.team, row.rank, row.value is None) for row in board.rows] == [("a", 1, False), ("flat", None, True)]
    assert "1 team has no score and no rank" in board.statement


def test_a_perfect_winner_keeps_its_value(begin: Begin) -> None:
    stage = begin(finals=1)
    stage.send("a", 1.0)
    stage.send("b", 0.7, seed=1)
    board = end(stage)
    assert board.luck is not None
    assert (board.luck.score, board.luck.corrected) == (1.0, 1.0)
    assert board.rows[0].rank_range == RankRangeBody(1, 1)


@pytest.mark.parametrize("metric", ["accuracy", "auc", "rmse", "pearson"])
def test_a_single_team_has_a_board_under_every_metric(begin: Begin, metric: str) -> None:
    stage = begin(metric=metric)
    stage.send("a", 0.9)
    board = end(stage)
    assert [(row.rank, row.rank_range) for row in board.rows] == [(1, RankRangeBody(1, 1))]
    assert board.luck is not None
    assert board.luck.interval is not None
    assert board.luck.interval[0] <= board.luck.score <= board.luck.interval[1]


@pytest.mark.parametrize(("tail", "is_rough"), [(1.0, False), (8.0, True)])
def test_a_winner_by_few_skewed_losses_is_told_with_care(begin: Begin, tail: float, is_rough: bool) -> None:
    stage = begin(metric="rmse")
    labels = np.asarray(stage.competition.solution.labels)
    noise = np.random.default_rng(2).uniform(0, 1, len(labels)) ** tail
    stage.send_values("a", labels + noise)
    board = end(stage)
    assert board.luck is not None
    assert board.luck.sentence.endswith("so the truth may lie outside the interval.") == is_rough


def test_without_any_submission_the_board_is_empty(begin: Begin) -> None:
    stage = begin()
    stage.team("a")
    board = end(stage)
    assert board.rows == ()
    assert "No team" in board.statement


def test_without_private_rows_the_public_board_is_final(begin: Begin) -> None:
    stage = begin(private=False)
    stage.send("a", 0.9)
    stage.send("b", 0.6, seed=1)
    board = end(stage)
    assert not board.has_private_rows
    assert "no private rows" in board.statement
    shown = {row.name: row.board_value for row in stage.rows(teams)}
    assert [(row.team, row.rank, row.value) for row in board.rows] == [("a", 1, shown["a"]), ("b", 2, shown["b"])]


def test_who_is_disqualified_is_not_on_the_private_board(begin: Begin) -> None:
    stage = begin()
    stage.send("a", 0.9)
    stage.team("cheat")
    stage.send("cheat", 0.99, seed=1)
    with stage.database.transaction() as connection:
        connection.execute(teams.update().where(teams.c.name == "cheat").values(status="disqualified"))
    assert [row.team for row in end(stage).rows] == ["a"]


def test_a_preview_stores_nothing(begin: Begin) -> None:
    stage = begin()
    stage.send("a", 0.9)
    assert preview(stage.services, "pets").rows[0].team == "a"
    assert stage.rows(private_results) == []
    assert "finalized" not in stage.ledger_kinds()


def test_the_stored_board_is_what_was_returned_and_its_digest_is_sealed(begin: Begin) -> None:
    stage = begin()
    stage.send("a", 0.9)
    board = end(stage)
    (row,) = stage.rows(private_results)
    assert row.result["rows"][0]["value"] == board.rows[0].value
    entry = next(one for one in stage.rows(ledger) if one.kind == "finalized")
    assert entry.sealed is not None
    assert "result" not in entry.body
