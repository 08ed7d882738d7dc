"""The true AUC behind an observed best AUC of many classifiers: the sober estimate.

Reference
---------
Møllersen & Holsbø 2023 (arXiv 2303.07272), section 5: "If we assume i.i.d. classifiers", which AUC has the observed one
at the upper end of its interval?
"""

from dataclasses import dataclass

import numpy as np

from ladderboard.core.errors import ParameterError
from ladderboard.inference.checks import check_confidence, check_count
from ladderboard.inference.multiplicity.best_auc import auc_survival
from ladderboard.inference.multiplicity.roc_shapes import SHAPES, RocShape

STEP = 0.25
"""Of the search for the ends, on the logit scale."""


@dataclass(frozen=True)
class SoberAuc:
    """The AUC that m equal, independent classifiers may truly have when the best of them reaches ``observed``.

    ``estimates`` and `interval` reach over the shapes of the ROC curve that were asked about.

    Guarantee
    ---------
    The interval inverts the law of the best AUC (`BestAuc`): at its lower end an AUC this high is reached with
    probability α/2, at its upper end one this low. It is as good as that law's approximation, for each shape; with the
    shape unknown it is longer than needed.

    >>> sober = SoberAuc(0.949, classifiers=3308, positives=136, negatives=7551, shapes=(1.0,))
    >>> [round(sober.estimates[0], 3), *(round(end, 3) for end in sober.interval(0.95))]
    [0.912, 0.902, 0.917]
    """

    observed: float
    classifiers: int
    positives: int
    negatives: int
    shapes: tuple[float, ...] = SHAPES

    def __post_init__(self) -> None:
        if not 0 < self.observed < 1:
            raise ParameterError(f"the observed AUC is {self.observed}; an estimate needs one between 0 and 1")
        check_count(self.classifiers, "classifiers")

    @property
    def estimates(self) -> tuple[float, float]:
        """The AUC that makes the observed one the median of the best: the smallest and the largest over the shapes."""
        return self._solve_for_shapes(0.5)

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """The true AUCs that the observed one is compatible with, whichever of the shapes it was."""
        tail = (1 - check_confidence(confidence)) / 2
        return self._solve_for_shapes(tail)[0], self._solve_for_shapes(1 - tail)[1]

    def reached_by_luck(self, auc: float) -> tuple[float, float]:
        """P(best ≥ observed) where all classifiers truly have this AUC: smallest and largest over the shapes."""
        singles = np.array([self._survival(auc, shape) for shape in self.shapes])
        found = -np.expm1(self.classifiers * np.log1p(-np.minimum(singles, 1 - 1e-16)))
        return float(found.min()), float(found.max())

    def _solve_for_shapes(self, reached: float) -> tuple[float, float]:
        found = [self._solve(reached, shape) for shape in self.shapes]
        return min(found), max(found)

    def _solve(self, reached: float, shape: float) -> float:
        """The AUC at which the best reaches the observed one with this probability; it grows with the AUC."""
        from scipy.optimize import brentq
        from scipy.special import expit, logit

        single = -np.expm1(np.log1p(-reached) / self.classifiers)

        def excess(position: float) -> float:
            return self._survival(float(expit(position)), shape) - float(single)

        # Outwards in steps: far beyond the observed AUC the law of an AUC so near to 1 is 0/0.
        low = high = float(logit(self.observed))
        while excess(low) > 0:
            low -= STEP
        while excess(high) < 0:
            high += STEP
        return float(expit(brentq(excess, low, high, xtol=1e-6)))

    def _survival(self, auc: float, shape: float) -> float:
        return float(auc_survival(RocShape(auc, shape, self.positives, self.negatives), np.array([self.observed]))[0])
