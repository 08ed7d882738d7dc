"""How often are all true ranks covered at once, and how wide are the ranges?

    python -m tests.claims.rank_coverage --runs 2000

prints the table of docs/theory/rank-ranges.md: boards of 20 independent systems on 500 items whose true error rates lie
the given gap apart, ranked by `ladderboard.rank_ranges`, by the percentile bootstrap of ranks, and by an oracle that
knows the true covariance.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import click
import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.inference.rank_ranges import rank_ranges
from ladderboard.metrics.inputs import Array

Intervals = tuple[FloatArray, FloatArray]

SYSTEMS, ITEMS, BEST_LOSS = 20, 500, 0.3
GAPS = (0.0005, 0.005, 0.02)


@dataclass(frozen=True)
class Coverage:
    """Over many boards: the share in which every true rank was covered, and the mean number of ranks in a range."""

    all_covered: float
    width: float


def true_losses(gap: float, systems: int = SYSTEMS) -> FloatArray:
    return np.asarray(BEST_LOSS + gap * np.arange(systems), dtype=np.float64)


def boards(losses: FloatArray, *, items: int = ITEMS, runs: int, seed: int) -> Iterator[Array]:
    """Failures of independent systems: items × systems of booleans."""
    rng = np.random.default_rng(seed)
    for _ in range(runs):
        yield rng.random((items, len(losses))) < losses


def measure(rank: Callable[[Array], Intervals], losses: FloatArray, *, runs: int, seed: int) -> Coverage:
    """Coverage of a method that turns a board into the best and worst rank of each system."""
    lowest, highest = true_ranks(losses)
    covered, widths = [], []
    for board in boards(losses, runs=runs, seed=seed):
        best, worst = rank(board)
        covered.append(bool((best <= lowest).all() and (worst >= highest).all()))
        widths.append(float(np.mean(worst - best + 1)))
    return Coverage(float(np.mean(covered)), float(np.mean(widths)))


def true_ranks(losses: FloatArray) -> Intervals:
    """The lowest and highest rank of each system; they differ where losses are equal."""
    better = (losses[None, :] < losses[:, None]).sum(axis=1)
    worse = (losses[None, :] > losses[:, None]).sum(axis=1)
    return better + 1.0, len(losses) - worse.astype(np.float64)


def ours(board: Array, *, replicates: int = 2000, stepwise: bool = True) -> Intervals:
    # A seed for each board: with one for all of them the Monte Carlo error of the critical value would not average out.
    ranges = rank_ranges(board, replicates=replicates, stepwise=stepwise, seed=abs(int(1000 * board.sum())))
    return np.array([one.best for one in ranges], float), np.array([one.worst for one in ranges], float)


def percentile_bootstrap(board: Array, *, replicates: int = 2000) -> Intervals:
    """For each system on its own the 2.5 % and 97.5 % percentile of its rank when items are resampled."""
    from scipy.stats import rankdata

    rng = np.random.default_rng(0)
    counts = rng.multinomial(len(board), np.full(len(board), 1 / len(board)), size=replicates)
    ranks = rankdata(counts.astype(np.float64) @ board.astype(np.float64), method="min", axis=1)
    return (
        np.percentile(ranks, 2.5, axis=0, method="lower"),
        np.percentile(ranks, 97.5, axis=0, method="higher"),
    )


class Oracle:
    """Knows the true covariance, and so the exact critical value; optionally the true order as well.

    With the order only the pairs that could be decided wrongly need protection: no method of this kind that keeps the
    promise can have narrower ranges.
    """

    def __init__(self, losses: FloatArray, *, items: int = ITEMS, knows_order: bool, draws: int = 50_000) -> None:
        variances = losses * (1 - losses) / items
        self.spread = np.sqrt(variances[:, None] + variances[None, :])
        errors = np.random.default_rng(1).standard_normal((draws, len(losses))) * np.sqrt(variances)
        largest = np.zeros(draws)
        for j in range(len(losses)):
            contrasts = (errors - errors[:, [j]]) / self.spread[:, j]
            allowed = losses <= losses[j] if knows_order else np.ones(len(losses), dtype=bool)
            np.maximum(largest, contrasts[:, allowed].max(axis=1), out=largest)
        self.critical_value = float(np.quantile(largest, 0.95))

    def __call__(self, board: Array) -> Intervals:
        means = board.mean(axis=0)
        worse = (means[:, None] - means[None, :]) / self.spread > self.critical_value
        return 1.0 + worse.sum(axis=1), len(means) - worse.sum(axis=0).astype(np.float64)


def table(runs: int, seed: int = 1) -> Iterator[tuple[str, list[Coverage]]]:
    """A row for each method, a column for each gap."""
    by_gap: dict[str, Callable[[FloatArray], Callable[[Array], Intervals]]] = {
        "percentile bootstrap": lambda _: percentile_bootstrap,
        "rank_ranges": lambda _: ours,
        "rank_ranges, one step": lambda _: lambda board: ours(board, stepwise=False),
        "oracle: true covariance": lambda losses: Oracle(losses, knows_order=False),
        "oracle: covariance and order": lambda losses: Oracle(losses, knows_order=True),
    }
    for name, method in by_gap.items():
        yield name, [measure(method(losses), losses, runs=runs, seed=seed) for losses in map(true_losses, GAPS)]


@click.command()
@click.option("--runs", default=2000, show_default=True)
def main(*, runs: int) -> None:
    click.echo("| method | " + " | ".join(f"gap {100 * gap:g} points" for gap in GAPS) + " |")
    for name, row in table(runs):
        click.echo(f"| {name} | " + " | ".join(f"{one.all_covered:.1%}, {one.width:.2f}" for one in row) + " |")


if __name__ == "__main__":
    main()
