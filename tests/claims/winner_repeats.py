"""How often the winner's interval holds its true loss where each item was run a few times.

    python -m tests.claims.winner_repeats --runs 400

prints the table of docs/theory/winner.md: twelve equally good systems that fail with a probability of each item's own.
"""

import click
import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.inference.winner import winner_estimate

SYSTEMS = 12
SIZES = ((30, 2), (30, 4), (60, 4), (100, 4))
"""Items and runs."""
FAILURES = (0.4, 0.15)
OWN = 0.5
"""The spread on the logistic scale of a system's luck with an item, beside the item's difficulty of spread 1."""


def draw_board(rng: np.random.Generator, *, items: int, runs: int, failures: float) -> FloatArray:
    """Items × systems: the share of the runs that fail."""
    from scipy.special import expit, logit

    difficulty = rng.normal(size=(items, 1)) + OWN * rng.normal(size=(items, SYSTEMS))
    return np.asarray((rng.random((runs, items, SYSTEMS)) < expit(logit(failures) + difficulty)).mean(axis=0))


def find_true_loss(failures: float) -> float:
    """Of every system, by the quadrature of Gauss and Hermite."""
    from scipy.special import expit, logit

    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    return float(weights @ expit(logit(failures) + np.hypot(1.0, OWN) * nodes) / weights.sum())


def measure(*, items: int, runs: int, failures: float, boards: int, seed: int = 1) -> tuple[float, float]:
    """The coverage of the 95 % interval, and its mean width in standard errors of the observed winner."""
    true, covered, widths = find_true_loss(failures), 0, []
    for number in range(boards):
        board = draw_board(np.random.default_rng([seed, number]), items=items, runs=runs, failures=failures)
        winner = winner_estimate(board, replicates=2000, seed=number)
        low, high = winner.interval
        covered += low <= true <= high
        error = board[:, winner.column].std(ddof=1) / np.sqrt(items)
        widths += [(high - low) / error] if error > 0 else []
    return covered / boards, float(np.mean(widths))


@click.command()
@click.option("--runs", "boards", default=400, show_default=True)
def main(*, boards: int) -> None:
    click.echo("| items × runs | " + " | ".join(f"mean loss about {one:g}" for one in FAILURES) + " |")
    for items, runs in SIZES:
        found = [measure(items=items, runs=runs, failures=one, boards=boards) for one in FAILURES]
        click.echo(f"| {items} × {runs} | " + " | ".join(f"{cover:.1%} ({width:.1f})" for cover, width in found) + " |")


if __name__ == "__main__":
    main()
