"""The shake-up of public and private scores."""

import numpy as np
import pytest
from scipy import stats

from ladderboard.analysis.shake_up import shake_up
from ladderboard.core.errors import InputError


def test_the_numbers_agree_with_scipy() -> None:
    rng = np.random.default_rng(2)
    public = rng.normal(size=50)
    private = 0.4 * public + rng.normal(size=50)
    found = shake_up(public, private)
    assert found.slope == pytest.approx(stats.linregress(public, private).slope)
    assert found.rank_correlation == pytest.approx(stats.spearmanr(public, private).statistic)
    moved = np.abs(stats.rankdata(-public, "min") - stats.rankdata(-private, "min"))
    assert found.mean_change == pytest.approx(moved.mean())
    assert found.mean_drop == pytest.approx((public - private).mean())


def test_lower_is_better_turns_the_ranks_and_the_drop() -> None:
    found = shake_up([0.1, 0.2, 0.3], [0.3, 0.2, 0.35], teams=["a", "b", "c"], lower_is_better=True)
    assert [(move.team, move.public_rank, move.private_rank) for move in found.moves] == [
        ("a", 1, 2),
        ("b", 2, 1),
        ("c", 3, 3),
    ]
    assert found.mean_drop == pytest.approx(0.25 / 3)
    assert found.kept_top == 3


def test_the_interval_of_the_slope_covers() -> None:
    """100 boards of 60 teams: at a coverage of .93, 86 or fewer have probability .01."""
    inside = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        skill = rng.normal(size=60)
        public, private = skill + rng.normal(size=60), skill + rng.normal(size=60)
        low, high = shake_up(public, private, seed=seed).slope_interval
        inside += low <= 0.5 <= high  # var(skill) / var(public)
    assert inside > 86


def test_luck_alone_is_worth_nothing_in_private() -> None:
    rng = np.random.default_rng(3)
    found = shake_up(rng.normal(size=300), rng.normal(size=300))
    assert found.slope_interval[0] < 0 < found.slope_interval[1]
    assert "A public lead of 1 was worth" in found.sentence()


def test_pairs_that_are_none_are_refused() -> None:
    with pytest.raises(InputError, match="3 public and 2 private scores"):
        shake_up([1, 2, 3], [1, 2])
    with pytest.raises(InputError, match="the private scores must be a list of finite numbers"):
        shake_up([1, 2, 3], [1, 2, np.nan])
    assert np.isnan(shake_up([1, 1, 1], [1, 2, 3]).slope)
