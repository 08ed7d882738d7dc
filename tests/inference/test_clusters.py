"""Items in groups: the covariance between groups, and statistics from the signs of whole groups."""

from itertools import product

import numpy as np
import pytest

from ladderboard.core.errors import InputError, ParameterError
from ladderboard.core.records import FloatArray
from ladderboard.evals import LossMatrix
from ladderboard.inference.best_set import best_set
from ladderboard.inference.clusters import read_groups
from ladderboard.inference.comparisons import compare_systems
from ladderboard.inference.contrasts import MANY_GROUPS, draw_contrasts
from ladderboard.inference.covariance import paired_means
from ladderboard.inference.rank_ranges import rank_ranges
from ladderboard.inference.winner import winner_estimate


def grouped(sizes: list[int], systems: int = 3, *, seed: int = 1, effect: float = 1.0) -> tuple[FloatArray, list[str]]:
    """Normal losses with an effect of each group on each system, and the groups' labels in mixed order."""
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    losses = effect * rng.normal(size=(len(sizes), systems))[codes] + rng.normal(size=(len(codes), systems))
    return losses, [f"passage {code}" for code in codes]


def test_the_means_are_those_over_items() -> None:
    losses, groups = grouped([1, 2, 30, 4])
    np.testing.assert_allclose(paired_means(losses, groups=groups).means, losses.mean(axis=0), rtol=1e-12)


def test_the_covariance_is_the_jackknifes_over_groups() -> None:
    losses, groups = grouped([1, 2, 30, 4, 5])
    names = sorted(set(groups))
    without = np.array([losses[[group != name for group in groups]].mean(axis=0) for name in names])
    spread = without - losses.mean(axis=0)
    expected = (len(names) - 1) / len(names) * spread.T @ spread
    np.testing.assert_allclose(paired_means(losses, groups=groups).covariance, expected, rtol=1e-10)


def test_groups_of_equal_size_are_as_items_of_their_means() -> None:
    losses, groups = grouped([5] * 40)
    means = np.array([losses[[group == name for group in groups]].mean(axis=0) for name in dict.fromkeys(groups)])
    found, simple = paired_means(losses, groups=groups), paired_means(means)
    np.testing.assert_allclose(found.covariance, simple.covariance, rtol=1e-10)
    # One divides by the sum of squares, the other by the variance: 1 + O(1/groups).
    np.testing.assert_allclose(found.statistics(), simple.statistics(), rtol=0.02)


def test_groups_of_one_item_change_nothing() -> None:
    losses, _ = grouped([1] * 50)
    labels = [str(row) for row in range(50)]
    assert rank_ranges(losses, groups=labels) == rank_ranges(losses)
    assert winner_estimate(losses, groups=labels) == winner_estimate(losses)


def test_a_loss_matrix_brings_its_groups() -> None:
    losses, groups = grouped([5] * 20)
    matrix = LossMatrix.of(losses, groups=groups)
    assert winner_estimate(matrix) == winner_estimate(losses, groups=groups)
    assert winner_estimate(matrix) != winner_estimate(losses)
    assert [one.best for one in rank_ranges(matrix)] == [one.best for one in rank_ranges(losses, groups=groups)]


def test_copies_of_every_item_in_its_group_do_not_sharpen_anything() -> None:
    rng = np.random.default_rng(3)
    losses = (rng.random((300, 4)) < [0.20, 0.25, 0.30, 0.35]).astype(float)
    labels = np.tile(np.arange(300), 5)
    copied = np.tile(losses, (5, 1))
    once, five = paired_means(losses), paired_means(copied, groups=labels)
    np.testing.assert_allclose(five.covariance, once.covariance, rtol=1e-10)
    # Negative control: taken as independent items, five copies make every error √5 times smaller.
    np.testing.assert_allclose(paired_means(copied).covariance, once.covariance / 5, rtol=0.01)


def test_with_few_groups_every_flip_of_signs_counts_the_same() -> None:
    losses, groups = grouped([3, 1, 4, 1, 5], systems=2, seed=4)
    paired = paired_means(losses, groups=groups)
    assert paired.shares is not None
    contrasts = draw_contrasts(paired, replicates=40_000, rng=np.random.default_rng(1))
    drawn = (contrasts.draws[0] - contrasts.draws[1]) * contrasts.reciprocals[0, 1]
    d = paired.shares[:, 0] - paired.shares[:, 1]
    exact = [np.dot(signs, d) / np.sqrt(d @ d) for signs in product([-1, 1], repeat=5)]
    values, counts = np.unique(drawn.round(9), return_counts=True)
    assert values == pytest.approx(sorted(set(np.round(exact, 9))))
    # Each of 32 equally likely flips: 1,250 of 40,000, four standard errors of 35.
    assert np.abs(counts - 1250 * np.array([np.sum(np.round(exact, 9) == v) for v in values])).max() < 4 * 35


def test_the_sum_of_the_shares_is_the_difference_of_the_means() -> None:
    losses, groups = grouped([3, 1, 4, 1, 5])
    paired = paired_means(1e6 + losses, groups=groups)
    assert paired.shares is not None
    assert paired.shares.sum(axis=0) == pytest.approx(losses.mean(axis=0) - losses.mean(), abs=1e-8)


def test_five_groups_never_tell_systems_apart_and_six_do() -> None:
    # The two flips of five groups that repeat the board have probability 1/16; those of six 1/32, below 5 %.
    for count, told_apart in ((5, False), (6, True)):
        losses = np.repeat(np.array([[0.0, 1.0]]) + 0.01 * np.arange(count)[:, None] * [1, 2], 4, axis=0)
        found = rank_ranges(losses, groups=np.repeat(np.arange(count), 4).tolist())
        assert ([one.best for one in found] == [1, 2]) == told_apart


def test_many_groups_are_drawn_from_the_normal_law() -> None:
    losses, groups = grouped([2] * MANY_GROUPS, systems=4, seed=5)
    paired = paired_means(losses, groups=groups)
    assert paired.shares is not None
    contrasts = draw_contrasts(paired, replicates=20_000, rng=np.random.default_rng(1))
    # Standard normal by construction: variances of 20,000 draws within four standard errors.
    drawn = (contrasts.draws[0] - contrasts.draws[1:]) * contrasts.reciprocals[0, 1:, None]
    assert drawn.var(axis=1) == pytest.approx(np.ones(3), abs=0.04)
    assert len(np.unique(drawn.round(9))) > 19_000


def test_few_systems_of_a_grouped_board_are_compared_as_on_their_own() -> None:
    losses, groups = grouped([4] * 30, systems=5)
    part = paired_means(losses, groups=groups).of([3, 1])
    alone = paired_means(losses[:, [3, 1]], groups=groups)
    np.testing.assert_allclose(part.statistics(), alone.statistics(), rtol=1e-9)


def test_comparisons_are_students_over_groups() -> None:
    from scipy.stats import ttest_1samp

    losses, groups = grouped([5] * 12, systems=2)
    means = np.array([losses[[group == name for group in groups]].mean(axis=0) for name in dict.fromkeys(groups)])
    assert compare_systems(losses, groups=groups)[0].p_value == pytest.approx(
        ttest_1samp(means[:, 0] - means[:, 1], 0).pvalue
    )
    with pytest.raises(ParameterError, match="Student's t"):
        compare_systems(losses > 0, groups=groups, test="mcnemar")


def test_groups_of_different_sizes_have_fewer_degrees_of_freedom() -> None:
    losses, groups = grouped([50, 1, 1, 1, 1])
    found = paired_means(losses, groups=groups)
    assert found.degrees_of_freedom == pytest.approx(54**2 / (50**2 + 4) - 1)
    assert paired_means(*grouped([5] * 4)[:1], groups=grouped([5] * 4)[1]).degrees_of_freedom == pytest.approx(3)


def test_the_best_set_of_a_grouped_board_is_wider() -> None:
    losses, groups = grouped([20] * 10, systems=6, seed=2, effect=2.0)
    assert set(best_set(losses).columns) < set(best_set(losses, groups=groups).columns)


@pytest.mark.parametrize(
    ("groups", "message"),
    [(["a"] * 3, "3 group labels for 4 items"), (["a"] * 4, "all items are in one group"),
     (["a", "b", "", "b"], "item 3 has no group"), (["a", "b", float("nan"), "b"], "item 3 has no group"),
     (["a", None, "b", "b"], "item 2 has no group")],
)  # fmt: skip
def test_groups_that_cannot_be_used_are_refused(groups: list[object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_groups(groups, 4)


def test_a_missing_loss_is_refused() -> None:
    losses, groups = grouped([5] * 4)
    losses[3, 1] = np.nan
    with pytest.raises(InputError, match="not a finite number"):
        paired_means(losses, groups=groups)


def test_a_perfect_winner_gets_an_interval_by_groups() -> None:
    wrong = np.zeros((100, 2), dtype=bool)
    wrong[:30, 1] = True
    winner = winner_estimate(wrong, groups=np.repeat(np.arange(20), 5).tolist())
    assert (1 - winner.interval[1]) ** 20 == pytest.approx(0.05 / 2)
