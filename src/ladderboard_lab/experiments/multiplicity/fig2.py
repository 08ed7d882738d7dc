"""The Multiplicity paper's Figure 2: the probability that at least one of 1000 classifiers has at most z failures."""

from functools import partial
from typing import TYPE_CHECKING

from ladderboard_lab.experiments.base import Conditions, Experiment, Outcome, Table
from ladderboard_lab.experiments.drawing import BLUE, MUTED
from ladderboard_lab.experiments.multiplicity.setting import (
    FAILURES,
    LEVEL,
    PAPER,
    TEST_SIZE,
    Expected,
    agreement,
    failures_axis,
    running_example,
)
from ladderboard_lab.participant import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def run(_: Conditions) -> Outcome:
    """F(z) for 200 to 300 failures."""
    best = running_example()
    cdf = best.cdf(FAILURES)
    expected: Expected = {
        "failures at the upper limit": (best.quantile(LEVEL / 2), 236, 0),
        "upper limit": (best.upper_limit(), 0.92133, 5),
        "F(235)": (best.cdf(235), 0.02475, 5),
        "F(236)": (best.cdf(236), 0.03253, 5),
    }
    words = (
        f"The multiplicity-adjusted upper limit is {best.quantile(LEVEL / 2)} failures, an accuracy of "
        f"{best.upper_limit():.5f}; F(235) = {best.cdf(235):.5f} and F(236) = {best.cdf(236):.5f} are on either side "
        f"of .025."
    )
    rows = [(int(z), 1 - float(z) / TEST_SIZE, float(f)) for z, f in zip(FAILURES, cdf, strict=True)]
    table = Table(("failures", "accuracy", "cdf"), rows)
    return Outcome(table, partial(_draw, cdf=cdf), agreement(expected, words), size=(7.0, 4.2))


def _draw(figure: "Figure", *, cdf: FloatArray) -> None:
    axes = figure.subplots()
    axes.step(FAILURES, cdf, where="post", color=BLUE, linewidth=1.5)
    axes.axhline(LEVEL / 2, color=MUTED, linewidth=1.0, linestyle="--")
    axes.plot(236, cdf[36], "o", color=BLUE, markersize=5)
    axes.annotate("z = 236: F = .0325", (236, cdf[36]), xytext=(-8, 14), textcoords="offset points", size=8, ha="right")
    axes.annotate("α/2 = .025", (201, LEVEL / 2), xytext=(0, 4), textcoords="offset points", size=8, color=MUTED)
    axes.set(ylabel="F(z)", ylim=(-0.05, 1.03))
    failures_axis(axes)


MULTIPLICITY_FIG2 = Experiment(
    id="multiplicity-fig2",
    title="Figure 2: the distribution of the fewest failures among 1000 classifiers",
    paper=PAPER,
    claim="With 1000 classifiers of 90 % on 3000 items there is a probability of 2.5 % that the best has at most 236 "
    "failures, an accuracy of 92.13 %.",
    run=run,
)
