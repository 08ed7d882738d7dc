"""The Multiplicity paper's Figure 4: failures of 1000 independent and of 1000 dependent classifiers."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ladderboard_lab.experiments.base import (
    Conditions,
    ExperimentResult,
    ResultTable,
    Verdict,
    check_claim,
    experiment,
    self_consistent,
)
from ladderboard_lab.experiments.drawing import BLUE, MUTED, title_left
from ladderboard_lab.experiments.multiplicity.setting import (
    ACCURACY,
    CLASSIFIERS,
    CORRELATION,
    PAPER,
    TEST_SIZE,
)
from ladderboard_lab.participant import IntArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INDEPENDENT = "independent classifiers instead of dependent ones"
SD_INDEPENDENT = float(np.sqrt(TEST_SIZE * ACCURACY * (1 - ACCURACY)))
BROKEN, REPAIRED = (1 - ACCURACY) * (1 - CORRELATION), ACCURACY * (1 - CORRELATION)
"""p(1→0) = .04 and p(0→1) = .36: how often a classifier of the reference's accuracy departs from it."""
SD_DEPENDENT = float(
    np.sqrt(TEST_SIZE * (ACCURACY * BROKEN * (1 - BROKEN) + (1 - ACCURACY) * REPAIRED * (1 - REPAIRED)))
)


@experiment(
    id="multiplicity-fig4",
    title="Failures of 1000 independent and of 1000 dependent classifiers",
    paper=PAPER,
    claim="In a simulated example the variance of 1000 classifiers with a correlation of .6 to a reference is smaller "
    "than that of 1000 independent ones.",
    controls=(INDEPENDENT,),
)
def multiplicity_fig4(conditions: Conditions) -> ExperimentResult:
    """One simulated board of each kind, as in (a) and (b)."""
    rng = np.random.default_rng([conditions.seed, 8])
    independent = rng.binomial(TEST_SIZE, 1 - ACCURACY, CLASSIFIERS)
    dependent = _dependent_failures(rng)
    if conditions.control == INDEPENDENT:
        dependent = rng.binomial(TEST_SIZE, 1 - ACCURACY, CLASSIFIERS)
    sds = [float(one.std(ddof=1)) for one in (independent, dependent)]
    checks = (
        check_claim(
            "the dependent classifiers vary less, by 10 % or more of the standard deviation", sds[1] < 0.9 * sds[0]
        ),
        self_consistent(
            "means and standard deviations are those of the model, to 4 standard errors",
            _is_as_expected(dependent, independent),
        ),
    )
    sentence = (
        f"Failures of 1000 independent classifiers: {independent.mean():.1f} on average, standard deviation "
        f"{sds[0]:.1f} (expected 300 and {SD_INDEPENDENT:.1f}); with a correlation of .6 to a reference with exactly "
        f"2700 right answers {dependent.mean():.1f} and {sds[1]:.1f} (expected 300 and {SD_DEPENDENT:.1f})."
    )
    table = ResultTable(
        ("classifier", "independent_failures", "dependent_failures"),
        [(j, int(a), int(b)) for j, (a, b) in enumerate(zip(independent, dependent, strict=True), 1)],
    )
    verdict = Verdict(checks, sentence, {"sd, independent": sds[0], "sd, dependent": sds[1]})
    return ExperimentResult(table, partial(_draw, failures=(independent, dependent)), verdict, size=(8.0, 3.6))


def _dependent_failures(rng: np.random.Generator) -> IntArray:
    """Failures of classifiers that each flip answers of one reference with exactly 2700 right."""
    right = round(ACCURACY * TEST_SIZE)
    wrong = rng.binomial(right, BROKEN, CLASSIFIERS) + rng.binomial(TEST_SIZE - right, 1 - REPAIRED, CLASSIFIERS)
    return np.asarray(wrong, dtype=np.intp)


def _is_as_expected(dependent: IntArray, independent: IntArray) -> bool:
    """Means within 4 standard errors and sds within 4 of theirs: a correct simulation fails once in 4000 seeds."""
    pairs = ((dependent, SD_DEPENDENT), (independent, SD_INDEPENDENT))
    means = all(abs(own.mean() - 300) <= 4 * sd / np.sqrt(CLASSIFIERS) for own, sd in pairs)
    return means and all(abs(own.std(ddof=1) - sd) <= 4 * sd / np.sqrt(2 * CLASSIFIERS) for own, sd in pairs)


def _draw(figure: "Figure", *, failures: tuple[IntArray, IntArray]) -> None:
    bins = np.arange(240, 366, 6).tolist()
    titles = ("(a) independent", "(b) correlation .6 with a reference")
    for axes, own, title, colour in zip(
        figure.subplots(1, 2, sharey=True), failures, titles, (MUTED, BLUE), strict=True
    ):
        axes.hist(own, bins, color=colour, alpha=0.7)
        axes.set(xlabel="failures of a classifier")
        title_left(axes, title)
    figure.axes[0].set_ylabel("classifiers")
