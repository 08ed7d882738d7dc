"""Numbers printed in the text of the Multiplicity paper: coins, intervals, similarity and correlation."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

import ladderboard as lb
from ladderboard_lab.experiments.base import Conditions, ExperimentResult, ResultTable, experiment, self_consistent
from ladderboard_lab.experiments.drawing import BLUE, title_left
from ladderboard_lab.experiments.multiplicity.setting import (
    ACCURACY,
    CLASSIFIERS,
    PAPER,
    TEST_SIZE,
    Expected,
    agreement,
    upper_confidence_limit,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIMILARITY, SIMILAR_ACCURACY = 0.85, 0.756
"""What the paper takes from Mania et al. 2019: two ImageNet models are right or wrong together on 85 % of items."""
UNFAIR = "a coin and classifiers with .51 instead of .5"
ONE = "one experiment instead of 1000"


@experiment(
    id="multiplicity-text",
    title="Numbers in the text: coin flips, intervals, similarity",
    paper=PAPER,
    claim="15 or more heads of 20: .02, at least once in 1000 experiments: close to 1; at least one of 1000 "
    "classifiers with 18 or more of 20: .18. The interval of 2700 of 3000 is .8887 to .9105, and some of 1000 "
    "classifiers is almost certainly above it. With a correlation of 1 the best score is unbiased, with 0 as for "
    "independent ones. Two independent classifiers of .9 agree on .82; similarity .85 at .756 is said "
    "to be a correlation of .36.",
    controls=(UNFAIR, ONE),
)
def multiplicity_text(conditions: Conditions) -> ExperimentResult:
    """Every number that no figure or table shows."""
    from scipy.stats import binomtest

    fair = 0.51 if conditions.control == UNFAIR else 0.5
    shift = fair - 0.5
    low = float(binomtest(round((ACCURACY + shift) * TEST_SIZE), TEST_SIZE).proportion_ci(0.95, method="exact").low)
    correlation = similarity_to_correlation(SIMILARITY, SIMILAR_ACCURACY + shift)
    accuracy = ACCURACY + shift
    m = 1 if conditions.control == ONE else CLASSIFIERS
    above = int(np.floor(TEST_SIZE * (1 - upper_confidence_limit())))
    equal, apart = (lb.sota(m, TEST_SIZE, accuracy, correlation=rho) for rho in (1.0, 0.0))
    expected: Expected = {
        "15 or more heads of 20": (lb.sota(1, 20, fair).cdf(5), 0.02, 2),
        "15 or more heads of 20 at least once in 1000": (lb.sota(m, 20, fair).cdf(5), 1.0, 4),
        "one of 1000 with 18 or more of 20": (lb.sota(m, 20, fair).cdf(2), 0.18, 2),
        "lower limit of 2700 of 3000": (low, 0.8887, 4),
        "upper limit of 2700 of 3000": (upper_confidence_limit() + shift, 0.9105, 4),
        "one of 1000 above the upper limit": (lb.sota(m, TEST_SIZE, ACCURACY).cdf(above), 1.0, 4),
        "expected best with a correlation of 1": (equal.mean, 0.9, 4),
        "expected best with a correlation of 0": (apart.mean, 0.9173, 4),
        "similarity of two independent classifiers of .9": (accuracy**2 + (1 - accuracy) ** 2, 0.82, 2),
    }
    alike = lb.sota(CLASSIFIERS, TEST_SIZE, SIMILAR_ACCURACY, similarity=SIMILARITY)
    outright = lb.sota(CLASSIFIERS, TEST_SIZE, SIMILAR_ACCURACY, correlation=float(np.sqrt(correlation)))
    same = self_consistent(
        "similarity .85 at .756 is a correlation of .593 of two classifiers (ρ₀ = .77), and `sota` takes it so",
        round(correlation, 3) == 0.593 and abs(alike.mean - outright.mean) < 1e-9,
    )
    agree = sum(round(found, decimals) == printed for found, printed, decimals in expected.values())
    words = (
        f"{agree} of {len(expected)} printed numbers agree. Similarity .85 at accuracy .756 is a correlation of "
        f"{correlation:.3f}; the printed .36 is a slip. Independence given a reference then needs ρ₀ = "
        f"{np.sqrt(correlation):.2f}."
    )
    table = ResultTable(
        ("number", "found", "printed"), [(name, found, printed) for name, (found, printed, _) in expected.items()]
    )
    return ExperimentResult(table, partial(_draw), agreement(expected, words, same), size=(6.0, 3.4))


def similarity_to_correlation(similarity: float, accuracy: float) -> float:
    """ρ from similarity = p² + (1−p)² + 2ρp(1−p).

    >>> round(similarity_to_correlation(0.85, 0.756), 3)
    0.593
    """
    return (similarity - accuracy**2 - (1 - accuracy) ** 2) / (2 * accuracy * (1 - accuracy))


def _draw(figure: "Figure") -> None:
    axes = figure.subplots()
    correct = np.arange(8, 21)
    axes.bar(correct, [lb.sota(CLASSIFIERS, 20, 0.5).pmf(20 - int(k)) for k in correct], color=BLUE, alpha=0.7)
    axes.set(xlabel="right answers of 20", ylabel="probability that the best has so many")
    title_left(axes, "the best of 1000 coin-flip classifiers")
