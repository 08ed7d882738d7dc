"""How often the winner's interval covers where losses are skewed and items few, and whether the estimate says so.

python -m tests.claims.winner_skewness
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import click
import numpy as np

from ladderboard import winner_estimate
from ladderboard.core.records import FloatArray

SYSTEMS = 20
RUNS = 400

Draw = Callable[[np.random.Generator, tuple[int, int]], FloatArray]
LOSSES: dict[str, tuple[Draw, float]] = {
    "absolute errors": (lambda rng, size: np.abs(rng.standard_normal(size)), math.sqrt(2 / math.pi)),
    "squared errors": (lambda rng, size: rng.standard_normal(size) ** 2, 1.0),
    "waiting times": (lambda rng, size: rng.exponential(size=size), 1.0),
    "lognormal, σ = 1": (lambda rng, size: rng.lognormal(0, 1, size), math.exp(0.5)),
    "lognormal, σ = 2": (lambda rng, size: rng.lognormal(0, 2, size), math.exp(2.0)),
}
"""Of equally good systems: how they are drawn, and their mean."""
ITEMS = (30, 100, 400, 1600)


@dataclass(frozen=True)
class Found:
    """Shares of the boards: where the interval covered, and where the estimate called itself rough."""

    covered: float
    rough: float


def measure(losses: str, items: int, *, runs: int, seed: int) -> Found:
    draw, truth = LOSSES[losses]
    rng = np.random.default_rng(seed)
    covered = rough = 0
    for _ in range(runs):
        found = winner_estimate(draw(rng, (items, SYSTEMS)), replicates=2000)
        covered += found.interval[0] <= truth <= found.interval[1]
        rough += found.is_rough
    return Found(covered / runs, rough / runs)


def print_table(measure: Callable[..., Found], rows: Iterable[str] = tuple(LOSSES)) -> None:
    """Print how often the truth was covered and, in brackets, how often the board was called rough."""
    click.echo("| losses | " + " | ".join(f"{items} items" for items in ITEMS) + " |")
    click.echo("|---|" + "---|" * len(ITEMS))
    for losses in rows:
        row = [measure(losses, items, runs=RUNS, seed=1) for items in ITEMS]
        cells = " | ".join(f"{100 * one.covered:.0f} % ({100 * one.rough:.0f} %)" for one in row)
        click.echo(f"| {losses} | {cells} |")


if __name__ == "__main__":  # the table of docs/theory/winner.md
    print_table(measure)
