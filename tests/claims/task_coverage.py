"""How often all true ranks by the mean over tasks are covered where some tasks have few items.

python -m tests.claims.task_coverage
"""

import click
import numpy as np

from ladderboard import rank_over_tasks

SYSTEMS = 5
RUNS = 400
SIZES = ((100, 100, 100, 100, 100), (8, 15, 40, 100, 200), (5, 5), (3, 300, 300))


def measure(sizes: tuple[int, ...], *, runs: int, seed: int) -> float:
    """The share of boards of equally good systems with normal losses in which every rank is possible for each."""
    rng = np.random.default_rng(seed)
    tasks = np.repeat(np.arange(len(sizes)), sizes).tolist()
    covered = 0
    for _ in range(runs):
        board = rng.standard_normal((len(tasks), SYSTEMS))
        ranges = rank_over_tasks(board, "tasks", tasks=tasks, replicates=2000).ranges
        covered += all((one.best, one.worst) == (1, SYSTEMS) for one in ranges)
    return covered / runs


def main() -> None:
    """Print the numbers of docs/theory/tasks-and-battles.md."""
    for sizes in SIZES:
        click.echo(f"{', '.join(map(str, sizes))}: {100 * measure(sizes, runs=RUNS, seed=1):.1f} %")


if __name__ == "__main__":
    main()
