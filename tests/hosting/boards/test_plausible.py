"""Plausible ranks: right all at once, right at the ends of a metric, and no wider than they need be."""

import math

import numpy as np
import pytest

import ladderboard as lb
from ladderboard.core.records import FloatArray
from ladderboard.hosting.boards.plausible_ranks import Plausibility, PlausibleLimits
from ladderboard.mechanisms import MECHANISMS, make_mechanism
from ladderboard.metrics import METRICS, find_metric
from ladderboard.metrics.answer_key import AnswerKey

BOARDS = 300
MOST_MISSES = 30
"""Of 300 boards at most 5 % may be wrong; a correct program would have more than 30 wrong ones once in 3,000 runs."""


def plausibility(labels: object, metric: str, mechanism: str = "witness_ladder", teams: int = 20) -> Plausibility:
    key = AnswerKey(labels, find_metric(metric))  # type: ignore[arg-type]
    return Plausibility(key.yardstick, make_mechanism(mechanism), teams)


def is_covered(shown: FloatArray, truths: FloatArray, found: Plausibility) -> bool:
    """Whether every true rank (of ties: every rank of the tie) is in its range; values and truths as losses."""
    for value, truth in zip(shown, truths, strict=True):
        limits = found.limits(found.yardstick.score(value))
        best, worst = 1 + (shown < limits.better).sum(), (shown <= limits.worse).sum()
        if best > 1 + (truths < truth).sum() or worst < (truths <= truth).sum():
            return False
    return True


@pytest.mark.claim
@pytest.mark.parametrize("gap", [0.0, 0.002, 0.02])
def test_all_true_ranks_are_in_their_ranges(gap: float) -> None:
    rng = np.random.default_rng(3)
    found = plausibility([0, 1] * 250, "error_rate", "full_disclosure", teams=40)
    truths = np.array([0.05 + gap * j for j in range(40)])
    misses = sum(not is_covered(rng.binomial(500, truths) / 500, truths, found) for _ in range(BOARDS))
    assert misses <= MOST_MISSES


@pytest.mark.claim
def test_they_are_right_for_what_the_witness_ladder_releases() -> None:
    rng = np.random.default_rng(4)
    truths = np.repeat([0.1, 0.12, 0.2], 8)
    misses = 0
    for run in range(60):
        labels = rng.integers(0, 2, 400)
        board = lb.Leaderboard(labels, "error_rate", seed=run)
        shown = [board.submit(str(j), labels ^ (rng.random(400) < truth)).board_value for j, truth in enumerate(truths)]
        found = plausibility(labels, "error_rate", teams=24)
        misses += not is_covered(np.array(shown, dtype=float), truths, found)
    assert misses <= 9  # of 60 at 5 %; once in 1,000 runs


@pytest.mark.claim
def test_they_are_right_for_an_auc_near_one() -> None:
    rng = np.random.default_rng(5)
    labels = np.repeat([0, 1], 50)
    shifts = np.repeat([3.0, 3.2, 4.0], 5)
    truths = -0.5 * (1 + np.vectorize(math.erf)(shifts / 2))
    found = plausibility(labels, "auc", "full_disclosure", teams=15)
    auc = METRICS["auc"].score
    misses = 0
    for _ in range(100):
        scores = rng.normal(size=(len(shifts), len(labels))) + shifts[:, None] * labels
        misses += not is_covered(np.array([-auc(labels, one) for one in scores]), truths, found)
    assert misses <= 13  # of 100 at 5 %; once in 1,000 runs


def test_teams_far_apart_are_told_apart() -> None:
    found = plausibility([0, 1] * 500, "accuracy")
    limits = found.limits(0.7)
    assert limits.better < -0.7 < limits.worse
    assert limits.better > -0.9, "an accuracy of .9 on 1,000 items is certainly better than .7"
    assert limits.worse < -0.5


def test_more_teams_make_wider_ranges_by_powers_of_two() -> None:
    few, more, most = (plausibility([0, 1] * 500, "accuracy", teams=m).limits(0.7) for m in (17, 32, 33))
    assert few == more
    assert most.better < more.better
    assert most.worse > more.worse


@pytest.mark.parametrize("metric", ["error_rate", "auc", "pearson", "rmse", "r2", "brier", "smape", "f1", "mcc"])
@pytest.mark.parametrize("mechanism", ["witness_ladder", "full_disclosure", "ladder_boot"])
def test_limits_rise_with_the_value_and_enclose_it_up_to_the_ends(metric: str, mechanism: str) -> None:
    takes_numbers = metric in ("pearson", "rmse", "r2", "smape")
    labels = np.random.default_rng(1).normal(5, 1, 300) if takes_numbers else [0, 1] * 150
    found = plausibility(labels, metric, mechanism)
    low, high = (max(found.yardstick.bounds[0], -20.0), min(found.yardstick.bounds[1], 20.0))
    losses = np.sort([found.yardstick.loss(value) for value in np.linspace(low, high, 201)])
    limits = [found.limits(found.yardstick.score(loss)) for loss in losses]
    assert all(one.better <= loss <= one.worse for one, loss in zip(limits, losses, strict=True))
    assert np.all(np.diff([one.better for one in limits if one.better > -math.inf]) >= 0)
    assert np.all(np.diff([one.worse for one in limits if one.worse < math.inf]) >= 0)


def test_a_perfect_score_is_not_certainly_better_than_one_failure() -> None:
    limits = plausibility([0, 1] * 50, "accuracy").limits(1.0)
    assert limits.better == -math.inf
    assert limits.worse > -0.9


def test_nobody_is_certainly_worse_than_a_score_at_the_bad_end() -> None:
    assert plausibility([0, 1] * 50, "accuracy").limits(0.0).worse == math.inf


def test_noise_makes_wider_ranges() -> None:
    plain, noisy, resampled = (
        plausibility([0, 1] * 500, "accuracy", name).limits(0.7)
        for name in ("full_disclosure", "shaky_ladder", "ladder_boot")
    )
    assert noisy.better < plain.better
    assert resampled.better < plain.better


@pytest.mark.parametrize("mechanism", sorted(MECHANISMS))
def test_every_mechanism_has_ranges(mechanism: str) -> None:
    limits = plausibility([0, 1] * 500, "error_rate", mechanism).limits(0.3)
    assert isinstance(limits, PlausibleLimits)
    assert limits.better < 0.3 < limits.worse
