"""Rankings over tasks: against brute force, and how often all true ranks are covered."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import ttest_ind

from ladderboard.core.errors import InputError, ParameterError
from ladderboard.core.records import FloatArray
from ladderboard.evals import LossMatrix
from ladderboard.inference.covariance import paired_means
from ladderboard.inference.measure import ACCURACY
from ladderboard.inference.rank_ranges import rank_ranges
from ladderboard.inference.tasks.ranking import compare_aggregates, describe_aggregates, rank_over_tasks
from ladderboard.inference.tasks.task_means import average_tasks, read_tasks
from ladderboard.inference.tasks.task_ranks import count_points, smallest_difference
from ladderboard.metrics.inputs import Array


def board(by_task: FloatArray, sizes: list[int], *, seed: int = 1) -> tuple[Array, list[str]]:
    """Failures with the given rate for each task and system."""
    rng = np.random.default_rng(seed)
    parts = [rng.random((n, len(rates))) < rates for n, rates in zip(sizes, by_task, strict=True)]
    losses = np.concatenate(parts)
    return losses, [f"task {t}" for t, n in enumerate(sizes) for _ in range(n)]


RATES = np.array([[0.1, 0.3, 0.5], [0.5, 0.3, 0.4]])


def test_every_task_counts_the_same_in_the_mean_over_tasks() -> None:
    losses, tasks = board(RATES, [100, 900])
    means = np.array([losses[:100].mean(axis=0), losses[100:].mean(axis=0)])
    assert rank_over_tasks(losses, tasks=tasks).scores == pytest.approx(means.mean(axis=0))
    assert rank_over_tasks(losses, "items", tasks=tasks).scores == pytest.approx(losses.mean(axis=0))


def test_the_covariance_of_the_mean_over_tasks_is_that_of_independent_strata() -> None:
    losses, tasks = board(RATES, [100, 900])
    parts = [np.cov(part.astype(float).T) / len(part) for part in (losses[:100], losses[100:])]
    found = average_tasks(read_tasks(losses, tasks, None))
    np.testing.assert_allclose(found.covariance, (parts[0] + parts[1]) / 4, rtol=1e-10)


def test_a_small_task_leaves_few_degrees_of_freedom() -> None:
    """Of two tasks and two systems they are those of Welch's test between the tasks' differences."""
    rng = np.random.default_rng(3)
    losses, tasks = rng.normal(size=(46, 2)), ["small"] * 6 + ["large"] * 40
    differences = losses[:, 0] - losses[:, 1]
    welch = ttest_ind(differences[:6], differences[6:], equal_var=False).df
    assert average_tasks(read_tasks(losses, tasks, None)).degrees_of_freedom == pytest.approx(welch)


def test_tasks_of_equal_size_have_smaller_errors_than_items_drawn_from_all() -> None:
    # What tasks differ by is no luck of the items.
    losses, tasks = board(np.array([[0.05, 0.06], [0.9, 0.91]]), [200, 200])
    assert (average_tasks(read_tasks(losses, tasks, None)).variances < 0.5 * paired_means(losses).variances).all()


def test_groups_of_one_item_and_one_task_twice_are_as_without() -> None:
    losses, _ = board(RATES, [300, 300])
    tasks = ["a", "b"] * 300
    free = average_tasks(read_tasks(losses, tasks, None))
    grouped = average_tasks(read_tasks(losses, tasks, [row // 2 for row in range(600)]))
    # Pairs of an item of each task: the covariance between groups has the same mean, and a relative error of √(2/300).
    np.testing.assert_allclose(np.diag(grouped.covariance), np.diag(free.covariance), rtol=0.3)
    assert grouped.shares is not None
    np.testing.assert_allclose(grouped.shares.sum(axis=0), grouped.means - grouped.means.mean(), atol=1e-12)


def test_mean_rank_win_rate_and_borda_are_one_order_in_three_units() -> None:
    losses, tasks = board(np.random.default_rng(3).uniform(0.2, 0.5, (5, 6)), [80] * 5)
    ranks, wins, borda = (rank_over_tasks(losses, name, tasks=tasks) for name in ("mean_rank", "win_rate", "borda"))
    points = np.array(borda.scores) / 5
    assert ranks.scores == pytest.approx(6 - points)
    assert wins.scores == pytest.approx(points / 5)
    spans = [[(one.rank, one.best, one.worst) for one in found.ranges] for found in (ranks, wins, borda)]
    assert spans[0] == spans[1] == spans[2]


def test_points_count_level_systems_half() -> None:
    by_task = np.array([[0.1, 0.1, 0.3], [0.2, 0.4, 0.1]])
    assert count_points(by_task) == pytest.approx([(1.5 + 1) / 2, (1.5 + 0) / 2, (0 + 2) / 2])


def all_orders(systems: int) -> list[FloatArray]:
    """Every order of the systems, ties included."""
    return [np.array(levels, dtype=float) for levels in product(range(systems), repeat=systems)]


@pytest.mark.parametrize("seed", range(12))
def test_no_order_that_fits_has_a_smaller_difference_of_points(seed: int) -> None:
    # Certain pairs are drawn from one true order, so that at least one order fits.
    rng = np.random.default_rng(seed)
    truth = rng.permutation(4).astype(float)
    worse = (truth[:, None] > truth[None, :]) & (rng.random((4, 4)) < 0.5)
    bound = smallest_difference(worse)
    smallest = np.full((4, 4), np.inf)
    for losses in all_orders(4):
        if ((losses[:, None] > losses[None, :]) | ~worse).all():
            points = count_points(losses[None, :])
            smallest = np.minimum(smallest, points[:, None] - points[None, :])
    assert (bound <= smallest + 1e-12).all()
    assert (bound == smallest).mean() > 0.4  # it is no empty bound: equal where third systems leave no choice


def missed(aggregate: str, by_task: FloatArray, *, runs: int, sizes: list[int]) -> float:
    """In how many boards some true rank by the aggregation lies outside of its range."""
    true = by_task.mean(axis=0) if aggregate == "tasks" else -count_points(by_task)
    low = 1 + (true[None, :] < true[:, None] - 1e-12).sum(axis=1)
    high = len(true) - (true[None, :] > true[:, None] + 1e-12).sum(axis=1)
    count = 0
    for run in range(runs):
        losses, tasks = board(by_task, sizes, seed=run)
        found = rank_over_tasks(losses, aggregate, tasks=tasks, replicates=499, seed=run).ranges  # type: ignore[arg-type]
        count += any(one.best > a or one.worst < b for one, a, b in zip(found, low, high, strict=True))
    return count / runs


@pytest.mark.claim
@pytest.mark.parametrize("aggregate", ["tasks", "borda"])
def test_all_true_ranks_are_covered_at_once(aggregate: str) -> None:
    # Equal systems in tasks of different sizes and hardness, 200 boards; above 10 % by chance in 1 of 500 runs where
    # 5 % are missed (by Borda fewer).
    by_task = np.repeat([[0.1], [0.3], [0.6]], 6, axis=1)
    assert missed(aggregate, by_task, runs=200, sizes=[60, 150, 40]) <= 0.10


@pytest.mark.claim
def test_the_observed_order_by_points_is_hardly_ever_the_true_one() -> None:
    # Negative control: ranges of one rank each, as a table of win rates without ranges claims, miss almost always.
    by_task = np.repeat([[0.1], [0.3], [0.6]], 6, axis=1)
    orders = [count_points(read_tasks(*board(by_task, [60, 150, 40], seed=run), None).means()) for run in range(50)]
    assert np.mean([len(set(points)) == 1 for points in orders]) < 0.05


def test_the_table_says_where_the_aggregation_decides() -> None:
    # The first is far ahead in one small task, the second a little ahead in two large ones.
    losses, tasks = board(np.array([[0.05, 0.6], [0.30, 0.2], [0.30, 0.2]]), [60, 900, 900])
    found = {one.aggregate: one for one in compare_aggregates(losses, tasks=tasks)}
    assert found["items"].winners == ("system 2",)
    assert found["tasks"].winners == ("system 1",)
    assert found["win_rate"].winners == ("system 2",)
    said = describe_aggregates(tuple(found.values()))
    assert said.startswith("The aggregation decides the winner: system 2 by mean over all items, mean rank")
    assert "no system could be first by all of them" in said


def test_one_winner_by_all_is_said() -> None:
    losses, tasks = board(np.array([[0.1, 0.6], [0.1, 0.6]]), [200, 200])
    assert describe_aggregates(compare_aggregates(losses, tasks=tasks)).startswith(
        "Every aggregation names the same winner, system 1; could be first by every aggregation: system 1."
    )


def test_a_loss_matrix_brings_tasks_names_and_measure() -> None:
    losses, tasks = board(RATES, [100, 100])
    matrix = LossMatrix.of(losses, systems=["a", "b", "c"], tasks=tasks, measure=ACCURACY)
    found = rank_over_tasks(matrix)
    assert [one.system for one in found.ranges] == ["a", "b", "c"]
    assert found.scores == pytest.approx(1 - np.array(rank_over_tasks(losses, tasks=tasks).scores))


def test_the_mean_over_items_is_that_of_rank_ranges() -> None:
    losses, tasks = board(RATES, [100, 300])
    assert list(rank_over_tasks(losses, "items", tasks=tasks).ranges) == rank_ranges(losses)


def test_systems_far_apart_in_every_task_have_one_rank_by_every_aggregation() -> None:
    losses, tasks = board(np.array([[0.1, 0.5, 0.9]] * 3), [150] * 3)
    for one in compare_aggregates(losses, tasks=tasks):
        assert [(r.best, r.worst) for r in one.ranges] == [(1, 1), (2, 2), (3, 3)], one.aggregate


@pytest.mark.parametrize(
    ("tasks", "message"),
    [(None, "one task only"), (["a"] * 4, "all items are of the task 'a'"), (["a", "a", "a", "b"], "'b' has one item"),
     (["a", "b"], "2 task labels for 4 items")],
)  # fmt: skip
def test_tasks_that_cannot_be_aggregated_are_refused(tasks: list[str] | None, message: str) -> None:
    with pytest.raises(InputError, match=message):
        rank_over_tasks(np.eye(4), tasks=tasks)


def test_an_unknown_aggregate_is_refused() -> None:
    with pytest.raises(ParameterError, match="must be one of items, tasks, mean_rank"):
        rank_over_tasks(np.eye(4), "median", tasks=["a", "a", "b", "b"])  # type: ignore[arg-type]
