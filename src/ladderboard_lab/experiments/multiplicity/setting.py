"""The running example of the Multiplicity paper: 1000 classifiers that are truly 90 % correct, on 3000 test items."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

import ladderboard as lb
from ladderboard_lab.experiments.base import Check, Conditions, ResultTable, Verdict, check_number, self_consistent
from ladderboard_lab.experiments.deciding import PART_LEVEL
from ladderboard_lab.participant import FloatArray, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PAPER = "Multiplicity"
CLASSIFIERS, TEST_SIZE, ACCURACY, LEVEL = 1000, 3000, 0.9, 0.05
CORRELATION = 0.6
"""ρ₀ with the reference classifier, which the paper takes from Mania et al. 2019."""
FAILURES = np.arange(200, 301)
"""The failures its figures show."""
ACCURACIES = 1 - FAILURES / TEST_SIZE
"""The accuracy of each."""

Expected = Mapping[str, tuple[float, float, int]]
"""name → (found here, printed value, decimals that must agree)."""


OTHER_COUNT = "999 classifiers instead of 1000, accuracy .899 instead of .9"


def running_example(conditions: Conditions | None = None) -> "lb.BestScore":
    """The distribution of the fewest failures for independent, identical classifiers, or a control's."""
    if conditions is not None and conditions.control == OTHER_COUNT:
        return lb.sota(classifiers=CLASSIFIERS - 1, test_size=TEST_SIZE, accuracy=ACCURACY - 0.001)
    return lb.sota(classifiers=CLASSIFIERS, test_size=TEST_SIZE, accuracy=ACCURACY)


def upper_confidence_limit() -> float:
    """The upper Clopper–Pearson limit of one classifier with 2700 of 3000 right.

    >>> round(upper_confidence_limit(), 6)
    0.910508
    """
    from scipy.stats import binomtest

    found = binomtest(round(ACCURACY * TEST_SIZE), TEST_SIZE).proportion_ci(1 - LEVEL, method="exact")
    return float(found.high)


def agreement(expected: Expected, words: str, *checks: Check, exact: Expected | None = None) -> Verdict:
    """A verdict on printed numbers, each of which must agree in all its decimals, and on further checks.

    ``exact`` are numbers that no source prints, computed by other means.
    """
    printed = [check_number(*_compare(name, *numbers)) for name, numbers in expected.items()]
    computed = [self_consistent(*_compare(name, *numbers)) for name, numbers in (exact or {}).items()]
    found = {name: value for name, (value, _, _) in {**expected, **(exact or {})}.items()}
    return Verdict((*printed, *computed, *checks), words, found)


def _compare(name: str, found: float, right_one: float, decimals: int) -> tuple[str, bool]:
    return f"{name}: {right_one:.{decimals}f}", round(found, decimals) == right_one


def largest_distance(simulated: IntArray, best: "lb.BestScore") -> float:
    """Kolmogorov's distance between simulated fewest failures and the exact distribution."""
    failures = np.arange(simulated.min(), simulated.max() + 1)
    shares = np.searchsorted(np.sort(simulated), failures, side="right") / len(simulated)
    return float(np.abs(shares - best.cdf(failures)).max())


def tolerated_distance(runs: int) -> float:
    """Exceeded by a correct simulation with a probability below `PART_LEVEL` (Kolmogorov's limit; Z is discrete).

    >>> round(tolerated_distance(2000), 3)
    0.055
    """
    from scipy.stats import kstwobign

    return float(kstwobign.isf(PART_LEVEL) / np.sqrt(runs))


def failures_table(**columns: FloatArray) -> ResultTable:
    """A table with a row for each number of failures."""
    rows = zip(FAILURES.tolist(), *(column.tolist() for column in columns.values()), strict=True)
    return ResultTable(("failures", *columns), list(rows))


def failures_axis(axes: "Axes") -> None:
    """Accuracies below, as the paper has them, and failures above."""
    ticks = np.arange(FAILURES[0], FAILURES[-1] + 1, 30)
    axes.set(xlim=(FAILURES[0], FAILURES[-1]), xlabel="accuracy of the best classifier")
    axes.set_xticks(ticks, [f"{1 - failures / TEST_SIZE:.3f}" for failures in ticks])
    above = axes.secondary_xaxis("top")
    above.set_xticks(ticks, [str(failures) for failures in ticks])
    above.set_xlabel("failures z of the best classifier")
