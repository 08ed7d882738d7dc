"""One iteration of the step-forward attack: all candidate regressions in one pass, against a loop of least squares."""

import time

import numpy as np

from benchmarks.row import Row, compare
from ladderboard_lab.planning.step_forward_fits import StepForwardFits
from ladderboard_lab.problems.regression import autoregressive

N, FEATURES, CHOSEN = 209, 300, (10, 120, 250)
ROUNDS = 20


def run() -> list[Row]:
    """Fit and predict for every candidate beside three chosen features, at n = 209 and p = 300."""
    rng = np.random.default_rng(1)
    train, items = (autoregressive(rng, n=N, features=FEATURES, correlation=0.9) for _ in range(2))
    response = rng.standard_normal(N)

    ready = [StepForwardFits(train, response, features=items) for _ in range(ROUNDS + 1)]
    for fits in ready:
        fits.choose(*CHOSEN[:-1])

    def together(number: int) -> None:
        ready[number].choose(CHOSEN[-1])
        ready[number].predictions_with_each()

    def one_by_one(_: int) -> None:
        for feature in range(FEATURES):
            if feature not in CHOSEN:
                columns = [*CHOSEN, feature]
                design = np.column_stack([np.ones(N), train[:, columns]])
                solution = np.linalg.lstsq(design, response, rcond=None)[0]
                np.column_stack([np.ones(N), items[:, columns]]) @ solution

    return [
        compare(
            "step-forward candidates of one iteration (n = 209, p = 300), against a loop of lstsq",
            together,
            one_by_one,
            target=1 / 30,
            rounds=ROUNDS,
            clock=time.process_time,
        )
    ]
