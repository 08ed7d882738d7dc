"""How often are all true ranks covered where items come in groups, and the winner's true loss?

    python -m tests.claims.group_coverage --runs 1000

prints the table of docs/theory/groups.md: 20 equally good systems, failures whose latent difficulty has a part that a
group's items share (its share of the variance: .6, for each system its own), analysed by groups and as if all items
were independent.
"""

from dataclasses import dataclass

import click
import numpy as np

from ladderboard.core.records import IntArray
from ladderboard.inference.covariance import paired_means
from ladderboard.inference.rank_ranges import rank_ranges
from ladderboard.inference.winner import winner_estimate
from ladderboard.metrics.inputs import Array

SYSTEMS, SHARED_VARIANCE, LOSS = 20, 0.6, 0.3
SIZES = {
    "100 groups of 5": (100, "equal"),
    "30 groups of 5": (30, "equal"),
    "10 groups of 5": (10, "equal"),
    "100 groups, mixed sizes": (100, "mixed"),
    "30 groups, mixed sizes": (30, "mixed"),
}


@dataclass(frozen=True)
class GroupCoverage:
    """Shares of boards."""

    ranks_missed: float
    """Some true rank lies outside its range."""
    winner_missed: float
    """The winner's true loss lies outside its interval."""


def draw_board(rng: np.random.Generator, groups: int, sizes: str) -> tuple[Array, IntArray]:
    """Failures, and each item's group; mixed sizes are lognormal with a mean of about eight."""
    from scipy.special import ndtri

    counts = np.full(groups, 5) if sizes == "equal" else 1 + rng.lognormal(1.5, 1.0, groups).astype(np.intp)
    codes = np.repeat(np.arange(groups), counts)
    shared = rng.standard_normal((groups, SYSTEMS))[codes]
    own = rng.standard_normal((len(codes), SYSTEMS))
    return np.sqrt(SHARED_VARIANCE) * shared + np.sqrt(1 - SHARED_VARIANCE) * own < ndtri(LOSS), codes


def measure(name: str, *, by_group: bool, runs: int, seed: int = 1) -> GroupCoverage:
    rng = np.random.default_rng(seed)
    ranks, winners = 0, 0
    for run in range(runs):
        board, codes = draw_board(rng, *SIZES[name])
        paired = paired_means(board, groups=codes.tolist() if by_group else None)
        found = rank_ranges(paired, replicates=1999, seed=run)
        ranks += any(one.best > 1 or one.worst < SYSTEMS for one in found)
        low, high = winner_estimate(paired, replicates=2000, seed=run).interval
        winners += not low <= LOSS <= high
    return GroupCoverage(ranks / runs, winners / runs)


@click.command()
@click.option("--runs", default=1000, show_default=True)
def main(*, runs: int) -> None:
    click.echo(
        "| board | a rank missed: by groups | as if independent | the winner missed: by groups | as if independent |"
    )
    for name in SIZES:
        cells = [measure(name, by_group=by_group, runs=runs) for by_group in (True, False)]
        ranks, winners = ([getattr(one, part) for one in cells] for part in ("ranks_missed", "winner_missed"))
        click.echo(f"| {name} | " + " | ".join(f"{share:.1%}" for share in (*ranks, *winners)) + " |")


if __name__ == "__main__":
    main()
