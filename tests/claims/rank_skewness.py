"""How often all true ranks are covered where differences are skewed and items few, and whether the data check says so.

python -m tests.claims.rank_skewness
"""

import numpy as np

from ladderboard import LossMatrix, rank_ranges
from ladderboard.analysis.data_check import check_data
from tests.claims.winner_skewness import LOSSES, Draw, Found, print_table

SYSTEMS = 6
COMPARED: dict[str, tuple[Draw, float]] = {
    **LOSSES,
    "Student's t, ν = 2.2": (lambda rng, size: rng.standard_t(2.2, size), 0.0),
}


def measure(losses: str, items: int, *, runs: int, seed: int) -> Found:
    """Boards of equally good systems: half of them with such losses, half with normal ones of the same mean."""
    draw, truth = COMPARED[losses]
    rng = np.random.default_rng(seed)
    covered = rough = 0
    for _ in range(runs):
        even = truth + 0.5 * rng.standard_normal((items, SYSTEMS // 2))
        board = np.column_stack([draw(rng, (items, SYSTEMS // 2)), even])
        covered += all((one.best, one.worst) == (1, SYSTEMS) for one in rank_ranges(board, replicates=2000))
        rough += any("a few items decide" in finding for finding in check_data(LossMatrix.of(board)))
    return Found(covered / runs, rough / runs)


if __name__ == "__main__":  # the table of docs/theory/rank-ranges.md
    print_table(measure, COMPARED)
