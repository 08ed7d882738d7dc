"""How far is the winner's corrected loss from the truth, and how often does its interval hold it?

    python -m tests.claims.winner_coverage --runs 2000

prints the table of docs/theory/winner.md: boards of 20 systems, independent or strongly correlated, whose winner's true
loss is known.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import click
import numpy as np
import numpy.typing as npt

from ladderboard.core.records import FloatArray
from ladderboard.inference.winner import winner_estimate

SYSTEMS = 20
SITUATIONS = {
    "all equal": np.full(SYSTEMS, 0.3),
    "half a point apart": 0.3 + 0.005 * np.arange(SYSTEMS),
    "two close at the top": np.r_[0.3, 0.301, np.full(SYSTEMS - 2, 0.45)],
    "one far ahead": np.r_[0.2, np.full(SYSTEMS - 1, 0.4)],
    "few failures": np.full(SYSTEMS, 0.02),
}
CORRELATIONS = (0.0, 0.9)


@dataclass(frozen=True)
class Performance:
    """Over many boards, in the winner's true standard errors; a negative bias: the loss looks better than it is."""

    naive_bias: float
    bias: float
    error_ratio: float
    """The root mean square error of the corrected loss, in that of the naive one."""
    naive_coverage: float
    coverage: float
    width: float
    """The mean width of the interval, in widths of one without any selection and with the true standard error."""


def boards(
    losses: FloatArray, *, items: int, correlation: float, runs: int, seed: int
) -> Iterator[npt.NDArray[np.bool_]]:
    """Failures where a latent normal difficulty exceeds a threshold; any two systems' have this correlation."""
    from scipy.special import ndtri

    rng = np.random.default_rng(seed)
    thresholds = ndtri(losses)
    for _ in range(runs):
        shared, own = rng.standard_normal((items, 1)), rng.standard_normal((items, len(losses)))
        yield math.sqrt(correlation) * shared + math.sqrt(1 - correlation) * own < thresholds


def measure(losses: FloatArray, *, correlation: float, runs: int, items: int = 500, seed: int = 1) -> Performance:
    rows = []
    for number, board in enumerate(boards(losses, items=items, correlation=correlation, runs=runs, seed=seed)):
        winner = winner_estimate(board, replicates=4000, seed=number)
        true = losses[winner.column]
        error = math.sqrt(true * (1 - true) / items)
        rows.append(
            (
                (winner.naive - true) / error,
                (winner.value - true) / error,
                winner.naive_interval[0] <= true <= winner.naive_interval[1],
                winner.interval[0] <= true <= winner.interval[1],
                (winner.interval[1] - winner.interval[0]) / (2 * 1.96 * error),
            )
        )
    naive, corrected, naive_covers, covers, width = np.array(rows, dtype=np.float64).T
    return Performance(
        naive_bias=float(naive.mean()),
        bias=float(corrected.mean()),
        error_ratio=float(np.sqrt(np.square(corrected).mean() / np.square(naive).mean())),
        naive_coverage=float(naive_covers.mean()),
        coverage=float(covers.mean()),
        width=float(width.mean()),
    )


@click.command()
@click.option("--runs", default=2000, show_default=True)
@click.option("--items", default=500, show_default=True)
def main(*, runs: int, items: int) -> None:
    click.echo(
        "| board | ρ | bias, naive → corrected | error, corrected / naive | coverage, naive → corrected | width |"
    )
    for correlation in CORRELATIONS:
        for name, losses in SITUATIONS.items():
            found = measure(losses, correlation=correlation, runs=runs, items=items)
            click.echo(
                f"| {name} | {correlation:g} | {found.naive_bias:+.2f} → {found.bias:+.2f} | "
                f"{found.error_ratio:.2f} | {found.naive_coverage:.1%} → {found.coverage:.1%} | {found.width:.2f} |"
            )


if __name__ == "__main__":
    main()
