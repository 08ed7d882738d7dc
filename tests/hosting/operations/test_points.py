"""Rules for points, worked by hand, and what is refused in them."""

import pytest

from ladderboard.core.errors import ParameterError
from ladderboard.server.operations.points import MOST_POINTS, GradedScore, GradingBoard, count_points, read_rule

HIGHER = GradingBoard(False, {"Majority class": 0.6, "Forest": 0.8, "Unscored": None})
LOWER = GradingBoard(True, {"Majority class": 0.4, "Forest": 0.2})


def points(rule: str, score: float | None, rank: int | None = None, board: GradingBoard = HIGHER) -> float:
    [counted] = count_points(read_rule(rule), [GradedScore(score, rank)], board)
    return counted


@pytest.mark.parametrize(
    ("score", "expected"), [(0.5, 0.0), (0.6, 0.0), (0.75, 50.0), (0.87, 90.0), (0.9, 100.0), (1.0, 100.0), (None, 0.0)]
)
def test_linear_points_are_on_a_line_and_level_beyond_its_ends(score: float | None, expected: float) -> None:
    assert points("linear 0.6=0 0.9=100", score) == expected
    assert points("linear 0.9=100 0.6=0", score) == expected
    if score is not None:
        assert points("linear 0.4=0 0.1=100", 1 - score, board=LOWER) == expected


@pytest.mark.parametrize(("rank", "expected"), [(1, 100), (2, 80), (5, 80), (6, 50), (None, 50)])
def test_points_by_rank_hold_up_to_each_limit(rank: int | None, expected: float) -> None:
    assert points("ranks 5=80 rest=50 1=100", 0.9, rank) == expected
    assert points("ranks 1=100 5=80", 0.9, 6) == 0


@pytest.mark.parametrize(("score", "expected"), [(0.5, 0), (0.6, 0), (0.61, 40), (0.8, 40), (0.81, 90.5), (None, 0)])
def test_a_baseline_is_beaten_by_a_better_score_only(score: float | None, expected: float) -> None:
    rule = 'baselines "Majority class"=40 Forest=90.5'
    assert points(rule, score) == expected
    if score is not None:
        assert points(rule, round(1 - score, 2), board=LOWER) == expected


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ("", "cannot be read"),
        ('baselines "open=4', "cannot be read"),
        ("curve 1=2", "no rule 'curve'"),
        ("linear 0.6=0", "this one has 1"),
        ("linear 0.6=0 0.60=10", "must differ"),
        ("linear 0,6=0 0,9=100", "'0,6' is not a score"),
        ("linear nan=0 0.9=100", "'nan' is not a score"),
        ("linear 0.6=0 0.9=inf", "'inf' is not a number of points"),
        ("linear 0.6 = 0 0.9 = 100", "has no points"),
        ("linear 0.6=0 0.9=-5", "not possible"),
        (f"linear 0.6=0 0.9={MOST_POINTS + 1}", "not possible"),
        ("ranks rest=5", "needs a rank"),
        ("ranks 0=5", "'0' is not a rank"),
        ("ranks first=5", "'first' is not a rank"),
        ("ranks 1=50 5=80", "a worse rank more points"),
        ("ranks 1=50 rest=80", "a worse rank more points"),
        ("ranks 1=50 1=80", "twice"),
        ("baselines", "names one"),
        ("x" * 2001, "2,001 characters"),
    ],
)
def test_a_rule_that_could_be_misread_is_refused(rule: str, told: str) -> None:
    with pytest.raises(ParameterError, match=told):
        read_rule(rule)


@pytest.mark.parametrize(
    ("rule", "board", "told"),
    [
        ("linear 0.6=100 0.9=0", HIGHER, "higher scores are better here"),
        ("linear 0.1=0 0.4=100", LOWER, "lower scores are better here"),
        ("baselines Tree=4", HIGHER, "the baselines are: Forest, Majority class, Unscored"),
        ("baselines Unscored=4", HIGHER, "has no final score"),
    ],
)
def test_a_rule_that_does_not_fit_the_board_is_refused(rule: str, board: GradingBoard, told: str) -> None:
    with pytest.raises(ParameterError, match=told):
        points(rule, 0.7, board=board)


def test_the_most_points_are_those_possible() -> None:
    for rule in ("linear 0.6=0 0.9=90", "ranks 5=50 1=90 rest=10", "baselines a=90 b=20"):
        assert read_rule(rule).most == 90
