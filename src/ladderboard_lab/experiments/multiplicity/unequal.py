"""The Multiplicity paper's Figures 6 and 7: the fewest failures where accuracies differ.

Their distribution, and how many failures the best has.
"""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

import ladderboard as lb
from ladderboard_lab.experiments.base import Conditions, Outcome, Verdict, experiment
from ladderboard_lab.experiments.drawing import BLUE, MUTED, RED
from ladderboard_lab.experiments.multiplicity.setting import (
    ACCURACIES,
    FAILURES,
    LEVEL,
    PAPER,
    SPREAD,
    TEST_SIZE,
    failures_axis,
    failures_table,
    largest_distance,
    running_example,
    tolerated_distance,
)
from ladderboard_lab.participant import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@experiment(
    id="multiplicity-fig6",
    title="Figure 6: the distribution of the fewest failures, accuracies spread over .875 to .9",
    paper=PAPER,
    claim="Where classifiers are not equally good the best observed score is still too good, though by less.",
)
def multiplicity_fig6(conditions: Conditions) -> Outcome:
    """F(z) = 1 − ∏ (1 − P_z,j) for accuracies spread evenly over .875 to .9."""
    best, equal = lb.sota(test_size=TEST_SIZE, accuracies=SPREAD), running_example()
    boards = conditions.choose(full=20_000, quick=2000)
    simulated = best.simulate(np.random.default_rng([conditions.seed, 10]), boards)
    distance = largest_distance(simulated, best)
    limit, equal_limit = best.quantile(LEVEL / 2), equal.quantile(LEVEL / 2)
    verdict = Verdict(
        holds=distance <= tolerated_distance(boards) and limit > equal_limit,
        sentence=(
            f"With accuracies spread over .875 to .9 the best of 1000 has at most {limit} failures with probability "
            f"{LEVEL / 2:g} (accuracy {best.upper_limit():.5f}); where all are .9 it is {equal_limit} "
            f"({equal.upper_limit():.5f}). That is still {best.upper_limit() - 0.9:.4f} above the best true accuracy. "
            f"The cdf of {boards} simulated boards is within {distance:.4f}. (The figure's printed numbers were not at "
            f"hand: the comparison is with simulation.)"
        ),
        numbers={"failures at the upper limit": limit, "upper limit": best.upper_limit(), "largest distance": distance},
    )
    cdfs = best.cdf(FAILURES), equal.cdf(FAILURES)
    table = failures_table(accuracy=ACCURACIES, cdf_spread=cdfs[0], cdf_equal=cdfs[1])
    return Outcome(table, partial(_draw_fig6, cdfs=cdfs), verdict, size=(7.0, 4.2))


def _draw_fig6(figure: "Figure", *, cdfs: tuple[FloatArray, FloatArray]) -> None:
    axes = figure.subplots()
    for cdf, colour, text in zip(cdfs, (BLUE, MUTED), ("accuracies .875 to .9", "all .9"), strict=True):
        axes.step(FAILURES, cdf, where="post", color=colour, linewidth=1.5, label=text)
    axes.axhline(LEVEL / 2, color=MUTED, linewidth=1.0, linestyle="--")
    axes.set(ylabel="F(z)", ylim=(-0.03, 1.03))
    axes.legend(loc="upper left")
    failures_axis(axes)


@experiment(
    id="multiplicity-fig7",
    title="Figure 7: failures of the best, accuracies spread over .875 to .9",
    paper=PAPER,
    claim="The expected best score of classifiers spread over .875 to .9 exceeds the best true accuracy.",
)
def multiplicity_fig7(conditions: Conditions) -> Outcome:
    """f(z), exact, beside simulated boards and beside equal classifiers."""
    best, equal = lb.sota(test_size=TEST_SIZE, accuracies=SPREAD), running_example()
    boards = conditions.choose(full=20_000, quick=2000)
    simulated = best.simulate(np.random.default_rng([conditions.seed, 11]), boards)
    shares = np.bincount(simulated, minlength=TEST_SIZE + 1)[FAILURES] / boards
    mean, sd = 1 - float(simulated.mean()) / TEST_SIZE, float(simulated.std(ddof=1)) / TEST_SIZE
    verdict = Verdict(
        # Four standard errors, of a mean and of a standard deviation: a correct program fails once in 8000 seeds.
        holds=abs(mean - best.mean) <= 4 * best.sd / np.sqrt(boards)
        and abs(sd - best.sd) <= 4 * best.sd / np.sqrt(2 * boards)
        and 0.9 < best.mean < equal.mean,
        sentence=(
            f"The best of 1000 classifiers of .875 to .9 is expected to score {best.mean:.5f} (sd {best.sd:.6f}); "
            f"{boards} simulated boards give {mean:.5f} ({sd:.6f}). That is {best.luck:.4f} above the best true "
            f"accuracy; where all are .9 it is {equal.luck:.4f}. (The figure's printed numbers were not at hand: the "
            f"comparison is with simulation.)"
        ),
        numbers={"mean": best.mean, "sd": best.sd, "simulated mean": mean, "simulated sd": sd, "luck": best.luck},
    )
    pmfs = best.pmf(FAILURES), shares, equal.pmf(FAILURES)
    table = failures_table(pmf_spread=pmfs[0], simulated_spread=pmfs[1], pmf_equal=pmfs[2])
    return Outcome(table, partial(_draw_fig7, pmfs=pmfs), verdict, size=(7.0, 4.2))


def _draw_fig7(figure: "Figure", *, pmfs: tuple[FloatArray, FloatArray, FloatArray]) -> None:
    axes = figure.subplots()
    axes.vlines(FAILURES, 0, pmfs[0], color=BLUE, linewidth=2.0, label="accuracies .875 to .9")
    axes.plot(FAILURES, pmfs[1], "o", color=RED, markersize=2.5, label="simulated boards")
    axes.plot(FAILURES, pmfs[2], color=MUTED, linewidth=1.4, label="all .9")
    axes.set(ylabel="f(z)", ylim=(0, 1.1 * float(max(pmfs[0].max(), pmfs[2].max()))))
    axes.legend(loc="upper left")
    failures_axis(axes)
