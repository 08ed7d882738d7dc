"""The Multiplicity paper's Figure 3: the probability of each number of failures of the best of 1000 classifiers."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ladderboard_lab.experiments.base import Conditions, Experiment, Outcome, Table
from ladderboard_lab.experiments.drawing import BLUE, RED
from ladderboard_lab.experiments.multiplicity.setting import (
    FAILURES,
    PAPER,
    TEST_SIZE,
    Expected,
    agreement,
    failures_axis,
    largest_distance,
    running_example,
    tolerated_distance,
)
from ladderboard_lab.participant import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def run(conditions: Conditions) -> Outcome:
    """f(z) for 200 to 300 failures, beside simulated boards."""
    best = running_example()
    boards = conditions.choose(full=20_000, quick=3000)
    simulated = best.simulate(np.random.default_rng([conditions.seed, 7]), boards)
    pmf, shares = best.pmf(FAILURES), np.bincount(simulated, minlength=TEST_SIZE + 1)[FAILURES] / boards
    expected: Expected = {
        "mean": (best.mean, 0.9173, 4),
        "sd": (best.sd, 0.001817, 6),
        "sum over z": (float(best.pmf(np.arange(TEST_SIZE + 1)).sum()), 1.0, 9),
    }
    distance = largest_distance(simulated, best)
    words = (
        f"The best of 1000 scores {100 * best.mean:.2f} % on average, with a standard deviation of {best.sd:.6f}; the "
        f"cdf of {boards} simulated boards is within {distance:.4f} of the exact one."
    )
    verdict = agreement(expected, words, also=distance <= tolerated_distance(boards))
    table = Table(
        ("failures", "accuracy", "pmf", "simulated"),
        [(int(z), 1 - float(z) / TEST_SIZE, float(f), float(s)) for z, f, s in zip(FAILURES, pmf, shares, strict=True)],
    )
    return Outcome(table, partial(_draw, pmf=pmf, shares=shares, mean=best.mean_failures), verdict, size=(7.0, 4.2))


def _draw(figure: "Figure", *, pmf: FloatArray, shares: FloatArray, mean: float) -> None:
    axes = figure.subplots()
    axes.vlines(FAILURES, 0, pmf, color=BLUE, linewidth=2.0, label="exact")
    axes.plot(FAILURES, shares, "o", color=RED, markersize=2.5, label="simulated boards")
    axes.axvline(mean, color=RED, linewidth=0.9, linestyle=":")
    axes.annotate(
        f"E[Z] = {mean:.1f}", (mean, float(pmf.max())), xytext=(-5, 6), textcoords="offset points", size=8, ha="right"
    )
    axes.set(ylabel="f(z)", ylim=(0, 1.15 * float(pmf.max())))
    axes.legend(loc="upper left")
    failures_axis(axes)


MULTIPLICITY_FIG3 = Experiment(
    id="multiplicity-fig3",
    title="Figure 3: how many failures the best of 1000 classifiers has",
    paper=PAPER,
    claim="The expected best score is 91.73 % with a standard deviation of .0018, though every classifier is truly "
    "90 % correct.",
    run=run,
)
