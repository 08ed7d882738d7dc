"""The laboratory's largest figure of a paper, against the time a reader will wait for it."""

import time

from benchmarks.row import Row
from ladderboard_lab.experiments import Conditions, experiment_named

PATIENCE_SECONDS = 20.0


def run() -> list[Row]:
    """The Ladder paper's Figure 1 at the paper's scale and on to 10,000 submissions, two workers."""
    start = time.perf_counter()
    experiment_named("ladder-fig1").run(Conditions(workers=2))
    elapsed = time.perf_counter() - start
    return [Row("Ladder Figure 1, 45 runs of two mechanisms, two workers", elapsed, PATIENCE_SECONDS, target=1.0)]
