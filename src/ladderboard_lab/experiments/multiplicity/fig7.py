"""The Multiplicity paper's Figure 7: how many failures the best has where accuracies differ."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

import ladderboard as lb
from ladderboard_lab.experiments.base import Conditions, Experiment, Outcome, Table, Verdict
from ladderboard_lab.experiments.drawing import BLUE, MUTED, RED
from ladderboard_lab.experiments.multiplicity.setting import (
    FAILURES,
    PAPER,
    SPREAD,
    TEST_SIZE,
    failures_axis,
    running_example,
)
from ladderboard_lab.participant import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def run(conditions: Conditions) -> Outcome:
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
    table = Table(
        ("failures", "pmf_spread", "simulated_spread", "pmf_equal"),
        [(int(z), float(a), float(b), float(c)) for z, a, b, c in zip(FAILURES, *pmfs, strict=True)],
    )
    return Outcome(table, partial(_draw, pmfs=pmfs), verdict, size=(7.0, 4.2))


def _draw(figure: "Figure", *, pmfs: tuple[FloatArray, FloatArray, FloatArray]) -> None:
    axes = figure.subplots()
    axes.vlines(FAILURES, 0, pmfs[0], color=BLUE, linewidth=2.0, label="accuracies .875 to .9")
    axes.plot(FAILURES, pmfs[1], "o", color=RED, markersize=2.5, label="simulated boards")
    axes.plot(FAILURES, pmfs[2], color=MUTED, linewidth=1.4, label="all .9")
    axes.set(ylabel="f(z)", ylim=(0, 1.1 * float(max(pmfs[0].max(), pmfs[2].max()))))
    axes.legend(loc="upper left")
    failures_axis(axes)


MULTIPLICITY_FIG7 = Experiment(
    id="multiplicity-fig7",
    title="Figure 7: failures of the best, accuracies spread over .875 to .9",
    paper=PAPER,
    claim="The expected best score of classifiers spread over .875 to .9 exceeds the best true accuracy.",
    run=run,
)
