"""Plausible ranks: right all at once, right at the ends of a metric, and no wider than they need be."""

import math

import numpy as np
import pytest

import ladderboard as lb
from ladderboard.core.records import FloatArray, IntArray
from ladderboard.mechanisms import MECHANISMS, make_mechanism
from ladderboard.metrics import find_metric
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.server.boards.plausible_ranks import UNKNOWN, Plausibility, Reaches, _is_better


def plausibility(labels: object, metric: str, mechanism: str = "witness_ladder", teams: int = 20) -> Plausibility:
    key = AnswerKey(labels, find_metric(metric))  # type: ignore[arg-type]
    return Plausibility(key.yardstick, make_mechanism(mechanism), teams)


def find_ranges(found: Plausibility, releases: list[lb.Release]) -> tuple[IntArray, IntArray]:
    shown = [(one.board_value or 0.0, one.standard_error) for one in releases]
    board = Reaches.compute(found, shown, [1] * len(shown))
    reaches = [board.plausibility.find_reach(*one) or UNKNOWN for one in shown]
    best = np.array([1 + board.count_better(one) for one in reaches])
    return best, np.array([len(shown) - board.count_worse(one) for one in reaches])


def is_covered(found: Plausibility, releases: list[lb.Release], truths: FloatArray) -> bool:
    """Whether every true rank (of ties: every rank of the tie) is in its range; truths as losses."""
    best, worst = find_ranges(found, releases)
    first = 1 + np.array([(truths < one).sum() for one in truths])
    last = np.array([(truths <= one).sum() for one in truths])
    return bool(np.all(best <= first) and np.all(last <= worst))


@pytest.mark.claim
@pytest.mark.parametrize("mechanism", ["witness_ladder", "spending_ladder", "ladder"])
def test_all_true_ranks_are_in_their_ranges(mechanism: str) -> None:
    rng = np.random.default_rng(4)
    truths = np.repeat([0.1, 0.12, 0.2], 8)
    misses = 0
    for run in range(60):
        labels = rng.integers(0, 2, 400)
        board = lb.Leaderboard(labels, "error_rate", mechanism=mechanism, seed=run)
        releases = [board.submit(str(j), labels ^ (rng.random(400) < truth)) for j, truth in enumerate(truths)]
        misses += not is_covered(plausibility(labels, "error_rate", mechanism, teams=24), releases, truths)
    assert misses <= 9  # of 60 at 5 %; once in 1,000 runs


@pytest.mark.claim
def test_an_interval_a_tenth_as_wide_would_not_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control of the claim above."""
    rng = np.random.default_rng(4)
    truths, misses = np.repeat(0.2, 8), 0
    monkeypatch.setattr(Plausibility, "critical", 0.3)
    for run in range(20):
        labels = rng.integers(0, 2, 400)
        board = lb.Leaderboard(labels, "error_rate", seed=run)
        releases = [board.submit(str(j), labels ^ (rng.random(400) < truth)) for j, truth in enumerate(truths)]
        found = plausibility(labels, "error_rate", teams=8)
        misses += not is_covered(found, releases, truths)
    assert misses >= 15


@pytest.mark.claim
def test_they_are_right_for_an_auc_near_one() -> None:
    rng = np.random.default_rng(5)
    shifts = np.repeat([3.0, 3.2, 4.0], 5)
    truths = -0.5 * (1 + np.vectorize(math.erf)(shifts / 2))
    labels, misses = np.repeat([0, 1], 50), 0
    for run in range(40):
        board = lb.Leaderboard(labels, "auc", seed=run)
        scores = rng.normal(size=(len(shifts), len(labels))) + shifts[:, None] * labels
        releases = [board.submit(str(j), one) for j, one in enumerate(scores)]
        misses += not is_covered(plausibility(labels, "auc", teams=15), releases, truths)
    assert misses <= 7  # of 40 at 5 %; once in 1,000 runs


def test_teams_are_told_apart_by_their_difference_not_by_overlapping_whiskers() -> None:
    found = plausibility([0, 1] * 500, "accuracy", teams=2)
    # √(.21/667) = .0177 is the standard error of .70 on the witnesses: 1.96·√2 of it are .049, two whiskers .07.
    for other, is_apart in ((0.74, False), (0.76, True)):
        board = Reaches.compute(found, [(0.7, None), (other, None)], [1, 1])
        assert board.count_possible_winners() == (1 if is_apart else 2)
    narrow, wide = (found.mechanism.make_interval(value, None, found.yardstick) for value in (0.7, 0.76))
    assert narrow is not None
    assert wide is not None
    assert narrow[1] > wide[0], "the whiskers overlap"


def test_what_was_told_apart_makes_the_next_bound_smaller() -> None:
    found = plausibility([0, 1] * 500, "accuracy", teams=8)
    spread, crowd = [(value, None) for value in (0.55, 0.65, 0.75, 0.85)], [(0.7, None)]
    step_down, single = (Reaches.compute(found, shown, [8 // len(shown)] * len(shown)) for shown in (spread, crowd))
    assert single.plausibility.critical == found.critical
    assert 1.96 < step_down.plausibility.critical < found.critical


def test_more_teams_make_wider_ranges_by_powers_of_two() -> None:
    few, more, most = (plausibility([0, 1] * 500, "accuracy", teams=m).find_reach(0.7, None) for m in (17, 32, 33))
    assert few == more
    assert more is not None
    assert most is not None
    assert most.below > more.below
    assert most.above > more.above


@pytest.mark.parametrize("metric", ["error_rate", "auc", "pearson", "rmse", "r2", "brier", "smape", "f1", "mcc"])
def test_brackets_enclose_the_value_and_widen_with_the_standard_error(metric: str) -> None:
    takes_numbers = metric in ("pearson", "rmse", "r2", "smape")
    labels = np.random.default_rng(1).normal(5, 1, 300) if takes_numbers else [0, 1] * 150
    found = plausibility(labels, metric)
    low, high = (max(found.yardstick.bounds[0], -20.0), min(found.yardstick.bounds[1], 20.0))
    for value in np.linspace(low, high, 41)[1:-1]:
        narrow, wide = (found.find_reach(float(value), found.yardstick.null_standard_error * k) for k in (0.5, 2))
        assert narrow is not None
        assert wide is not None
        assert narrow.loss == found.yardstick.loss(float(value))
        assert wide.below >= narrow.below >= 0 <= narrow.above <= wide.above


@pytest.mark.parametrize("mechanism", sorted(MECHANISMS))
def test_ranges_exist_where_the_numbers_on_the_board_are_honest(mechanism: str) -> None:
    found = plausibility([0, 1] * 500, "error_rate", mechanism).find_reach(0.3, None)
    assert (found is not None) == MECHANISMS[mechanism].has_intervals


def test_a_number_without_a_standard_error_has_no_range() -> None:
    assert plausibility([0.0, 1.0] * 50, "rmse").find_reach(0.3, None) is None


@pytest.mark.parametrize("name", ["witness_ladder", "ladder", "full_disclosure"])
@pytest.mark.parametrize("numbers", [0, 1, 2, 5, 60, 400])
def test_ties_and_winners_are_those_of_all_pairs(name: str, numbers: int) -> None:
    rng = np.random.default_rng(numbers)
    key = AnswerKey(np.arange(1000) % 2, find_metric("error_rate"))
    mechanism = make_mechanism(name, **({"step_size": 0.02} if name == "ladder" else {}))
    shown = [
        (float(value), float(rng.choice([0.01, 0.012, 0.02])))
        for value in np.unique(rng.uniform(0.1, 0.45, numbers).round(4))
    ]
    counts = rng.integers(1, 5, len(shown))
    board = Reaches.compute(Plausibility(key.yardstick, mechanism, max(2, int(counts.sum()))), shown, counts)
    is_better = [[bool(_is_better(one, other)) for other in board.rows] for one in board.rows]
    pairs = np.array(is_better, dtype=bool).reshape(len(shown), len(shown))
    assert board.count_possible_winners() == board.counts[~pairs.any(axis=0)].sum()
    ties = [board.counts[place:][~pairs[place, place:]].sum() for place in range(len(shown))]
    careful = [_count_tied_with_the_farthest(board, place) for place in range(len(shown))]
    assert max(ties, default=0) <= board.find_largest_tie() == max(careful, default=0)


def _count_tied_with_the_farthest(board: Reaches, place: int) -> int:
    """The teams from a place on that are not told apart from it, each taken to reach as far as any of them."""
    rest = board.rows[place:].copy()
    arm, rounding = (rest[:, 1] - rest[:, 3]).max(), rest[:, 3].max()
    rest[:, 1], rest[:, 3] = arm + rounding, rounding
    is_apart = _is_better(board.rows[place], rest)
    return int(board.counts[place:][~is_apart].sum())


def test_who_is_worse_than_a_surer_second_cannot_have_won() -> None:
    first, sure, third = (0.10, 0.09, 0.09, 0.0), (0.12, 0.01, 0.01, 0.0), (0.18, 0.02, 0.02, 0.0)
    board = Reaches(plausibility([0, 1] * 50, "error_rate"), np.array([first, sure, third]), np.array([1, 1, 1]))
    assert not _is_better(np.array(first), np.array(third))
    assert board.count_possible_winners() == 2


@pytest.mark.parametrize("name", ["witness_ladder", "spending_ladder", "ladder"])
@pytest.mark.parametrize("metric", ["error_rate", "rmse", "auc"])
def test_who_lies_wholly_below_the_leaders_interval_cannot_have_won(name: str, metric: str) -> None:
    """The intervals are those that hold for all teams at once."""
    rng = np.random.default_rng(len(name) + len(metric))
    labels = rng.normal(size=400) if metric == "rmse" else np.arange(400) % 2
    key = AnswerKey(labels, find_metric(metric))
    mechanism = make_mechanism(name, **({"step_size": 0.02} if name == "ladder" else {}))
    apart = 0
    for teams in (2, 3, 8, 50):
        shown = [(float(rng.uniform(0.05, 0.95)), float(rng.choice([0.01, 0.03, 0.1]))) for _ in range(teams)]
        board = Reaches.compute(Plausibility(key.yardstick, mechanism, teams), shown, [1] * teams)
        for leader in board.rows:
            below = board.rows[:, 0] - board.rows[:, 1] > leader[0] + leader[2]
            apart += below.sum()
            assert _is_better(leader, board.rows)[below].all()
    assert apart > 20 or not mechanism.make_interval(0.5, 0.01, key.yardstick)


def test_the_board_of_a_sure_leader_has_one_possible_winner() -> None:
    found = plausibility([0, 1] * 500, "accuracy", teams=8)
    shown = [(0.95, None), *((0.7 + 0.01 * place, None) for place in range(7))]
    assert Reaches.compute(found, shown, [1] * 8).count_possible_winners() == 1
