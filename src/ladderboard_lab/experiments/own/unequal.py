"""The fewest failures where accuracies differ: spread evenly over .875 to .9, beside all .9."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

import ladderboard as lb
from ladderboard_lab.experiments.base import (
    Conditions,
    ExperimentResult,
    Verdict,
    experiment,
    list_repetitions,
    self_consistent,
)
from ladderboard_lab.experiments.drawing import BLUE, MUTED, RED
from ladderboard_lab.experiments.multiplicity.setting import (
    ACCURACIES,
    CLASSIFIERS,
    FAILURES,
    LEVEL,
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

SPREAD = np.linspace(0.875, 0.9, CLASSIFIERS)
EQUAL = "equal accuracies instead of spread ones"
ONE_FAILURE_MORE = "one failure more on every simulated board"


@experiment(
    id="own-unequal",
    title="The fewest failures where accuracies are spread over .875 to .9",
    claim="How much luck is in the best score where classifiers are not equally good?",
    controls=(EQUAL, ONE_FAILURE_MORE),
)
def own_unequal(conditions: Conditions) -> ExperimentResult:
    """F(z) = 1 − ∏ (1 − P_z,j) and f(z), exact, beside simulated boards and beside equal classifiers."""
    equal = running_example()
    best = equal if conditions.control == EQUAL else lb.sota(test_size=TEST_SIZE, accuracies=SPREAD)
    boards = conditions.repeat(full=20_000, quick=2000)
    simulated = best.simulate(np.random.default_rng([conditions.seed, 10]), boards)
    simulated = simulated + (conditions.control == ONE_FAILURE_MORE)
    distance = largest_distance(simulated, best)
    checks = (
        self_consistent("simulated boards follow the exact distribution", distance <= tolerated_distance(boards)),
        self_consistent("the best score is less lucky than that of equal classifiers", best.mean < equal.mean - 0.001),
    )
    sentence = (
        f"The best of 1000 classifiers of .875 to .9 is expected to score {best.mean:.5f} (sd {best.sd:.6f}), "
        f"{best.mean - 0.9:.4f} above the best true accuracy; where all are .9 it is {equal.luck:.4f}. The upper "
        f"limit is {best.quantile(LEVEL / 2)} failures ({best.upper_limit():.5f}), where all are .9 "
        f"{equal.quantile(LEVEL / 2)}. {boards} simulated boards are within {distance:.4f} of the exact distribution."
    )
    verdict = Verdict(checks, sentence, {"mean": best.mean, "sd": best.sd, "largest distance": distance})
    shares = np.bincount(simulated, minlength=TEST_SIZE + 1)[FAILURES] / boards
    pmfs = best.pmf(FAILURES), shares, equal.pmf(FAILURES)
    table = failures_table(accuracy=ACCURACIES, pmf_spread=pmfs[0], simulated_spread=pmfs[1], pmf_equal=pmfs[2])
    raw = list_repetitions(simulated, "fewest_failures")
    return ExperimentResult(table, partial(_draw, pmfs=pmfs), verdict, size=(7.0, 4.2), raw=raw)


def _draw(figure: "Figure", *, pmfs: tuple[FloatArray, FloatArray, FloatArray]) -> None:
    axes = figure.subplots()
    axes.vlines(FAILURES, 0, pmfs[0], color=BLUE, linewidth=2.0, label="accuracies .875 to .9")
    axes.plot(FAILURES, pmfs[1], "o", color=RED, markersize=2.5, label="simulated boards")
    axes.plot(FAILURES, pmfs[2], color=MUTED, linewidth=1.4, label="all .9")
    axes.set(ylabel="f(z)", ylim=(0, 1.1 * float(max(pmfs[0].max(), pmfs[2].max()))))
    axes.legend(loc="upper left")
    failures_axis(axes)
