"""The Multiplicity paper's Figures 2 and 3: the fewest failures among 1000 independent classifiers.

The probability that at least one of them has at most z failures, and the probability of each number of failures of the
best.
"""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ladderboard_lab.experiments.base import (
    Conditions,
    ExperimentResult,
    experiment,
    list_repetitions,
    self_consistent,
)
from ladderboard_lab.experiments.drawing import BLUE, MUTED, RED
from ladderboard_lab.experiments.multiplicity.setting import (
    ACCURACIES,
    FAILURES,
    LEVEL,
    OTHER_COUNT,
    PAPER,
    TEST_SIZE,
    Expected,
    agreement,
    failures_axis,
    failures_table,
    largest_distance,
    running_example,
    tolerated_distance,
)
from ladderboard_lab.participant import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ONE_FAILURE_MORE = "one failure more on every simulated board"


@experiment(
    id="multiplicity-fig2",
    title="The distribution of the fewest failures among 1000 classifiers",
    paper=PAPER,
    claim="With 1000 classifiers of 90 % on 3000 items there is a probability of 2.5 % that the best has at most 236 "
    "failures, an accuracy of 92.13 %.",
    controls=(OTHER_COUNT,),
)
def multiplicity_fig2(conditions: Conditions) -> ExperimentResult:
    """F(z) for 200 to 300 failures."""
    best = running_example(conditions)
    cdf = best.cdf(FAILURES)
    expected: Expected = {
        "failures at the upper limit": (best.quantile(LEVEL / 2), 236, 0),
        "upper limit": (best.upper_limit(), 0.9213, 4),
    }
    exact: Expected = {"F(235)": (best.cdf(235), 0.02475, 5), "F(236)": (best.cdf(236), 0.03253, 5)}
    words = (
        f"The multiplicity-adjusted upper limit is {best.quantile(LEVEL / 2)} failures, an accuracy of "
        f"{best.upper_limit():.5f}; F(235) = {best.cdf(235):.5f} and F(236) = {best.cdf(236):.5f} are on either side "
        f"of .025."
    )
    table = failures_table(accuracy=ACCURACIES, cdf=cdf)
    verdict = agreement(expected, words, exact=exact)
    return ExperimentResult(table, partial(_draw_fig2, cdf=cdf), verdict, size=(7.0, 4.2))


def _draw_fig2(figure: "Figure", *, cdf: FloatArray) -> None:
    axes = figure.subplots()
    axes.step(FAILURES, cdf, where="post", color=BLUE, linewidth=1.5)
    axes.axhline(LEVEL / 2, color=MUTED, linewidth=1.0, linestyle="--")
    axes.plot(236, cdf[36], "o", color=BLUE, markersize=5)
    axes.annotate("z = 236: F = .0325", (236, cdf[36]), xytext=(-8, 14), textcoords="offset points", size=8, ha="right")
    axes.annotate("α/2 = .025", (201, LEVEL / 2), xytext=(0, 4), textcoords="offset points", size=8, color=MUTED)
    axes.set(ylabel="F(z)", ylim=(-0.05, 1.03))
    failures_axis(axes)


@experiment(
    id="multiplicity-fig3",
    title="How many failures the best of 1000 classifiers has",
    paper=PAPER,
    claim="The expected best score is 91.73 % with a standard deviation of .0018, though every classifier is truly "
    "90 % correct.",
    controls=(OTHER_COUNT, ONE_FAILURE_MORE),
)
def multiplicity_fig3(conditions: Conditions) -> ExperimentResult:
    """f(z) for 200 to 300 failures, beside simulated boards."""
    best = running_example(conditions)
    boards = conditions.repeat(full=20_000, quick=3000)
    simulated = best.simulate(np.random.default_rng([conditions.seed, 7]), boards)
    simulated = simulated + (conditions.control == ONE_FAILURE_MORE)
    pmf, shares = best.pmf(FAILURES), np.bincount(simulated, minlength=TEST_SIZE + 1)[FAILURES] / boards
    expected: Expected = {
        "mean": (best.mean, 0.9173, 4),
        "sd": (best.sd, 0.001817, 6),
    }
    distance = largest_distance(simulated, best)
    words = (
        f"The best of 1000 scores {100 * best.mean:.2f} % on average, with a standard deviation of {best.sd:.6f}; the "
        f"cdf of {boards} simulated boards is within {distance:.4f} of the exact one."
    )
    close = self_consistent("simulated boards follow the exact distribution", distance <= tolerated_distance(boards))
    verdict = agreement(expected, words, close)
    table = failures_table(accuracy=ACCURACIES, pmf=pmf, simulated=shares)
    draw = partial(_draw_fig3, pmf=pmf, shares=shares, mean=best.mean_failures)
    raw = list_repetitions(simulated, "fewest_failures")
    return ExperimentResult(table, draw, verdict, size=(7.0, 4.2), raw=raw)


def _draw_fig3(figure: "Figure", *, pmf: FloatArray, shares: FloatArray, mean: float) -> None:
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
