"""Print how often intervals and plausible ranks are true.

python -m benchmarks.coverage                          # the whole table: an hour on two cores
python -m benchmarks.coverage mse auc --repetitions 100
"""

import argparse
import itertools
import os
import sys

from joblib import Parallel, delayed
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.coverage.models import COVERED, DATA, Data
from benchmarks.coverage.situations import PROMISED, SITUATIONS, Cell, Situation, measure_coverage
from ladderboard.mechanisms import MECHANISMS

SIZES = (200, 1000)


def main() -> None:
    """Measure the cells asked for; exits with 1 where one is below what is promised.

    A cell in which few statements are made may be so by chance: measure it again with more repetitions.
    """
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("metrics", nargs="*", default=list(COVERED), metavar="METRIC")
    parser.add_argument("--repetitions", type=int, default=400)
    parser.add_argument("--situations", nargs="+", default=list(SITUATIONS), choices=SITUATIONS)
    parser.add_argument("--data", nargs="+", default=list(DATA), choices=DATA)
    parser.add_argument("--sizes", nargs="+", type=int, default=list(SIZES))
    parser.add_argument("--mechanism", default="witness_ladder", choices=sorted(MECHANISMS))
    given = parser.parse_args()
    cells = list(itertools.product(given.metrics, given.data, given.sizes, given.situations))
    run = delayed(_measure)
    found = Parallel(n_jobs=os.cpu_count(), return_as="generator")(
        run(*cell, repetitions=given.repetitions, mechanism=given.mechanism) for cell in cells
    )
    measured = dict(zip(cells, track(found, total=len(cells), console=Console(stderr=True)), strict=True))
    _print_table(measured, given.situations)
    missed = [" ".join(map(str, key)) for key, cell in measured.items() if cell.made and cell.share < PROMISED]
    if missed:
        sys.exit(f"below {PROMISED}: {'; '.join(missed)}")


def _measure(metric: str, data: Data, n: int, situation: Situation, *, repetitions: int, mechanism: str) -> Cell:
    rule = MECHANISMS[mechanism]()
    return measure_coverage(situation, metric, data, n, repetitions=repetitions, mechanism=rule)


def _print_table(measured: dict[tuple[str, Data, int, Situation], Cell], situations: list[Situation]) -> None:
    table = Table(
        title="True statements among those made, mean width in own standard errors (statements made in 100 test sets)"
    )
    for heading in ("metric", "data", "n", *situations):
        table.add_column(heading, justify="left" if heading in ("metric", "data") else "right")
    for metric, data, n in dict.fromkeys(key[:3] for key in measured):
        table.add_row(metric, data, f"{n:,}", *(_show(measured[metric, data, n, one]) for one in situations))
    Console(width=110).print(table)


def _show(cell: Cell) -> str:
    return f"{cell.share:.3f}, {cell.width:.1f} ({100 * cell.made / max(1, cell.runs):.0f})" if cell.made else "none"


if __name__ == "__main__":
    main()
