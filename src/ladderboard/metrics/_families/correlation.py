"""The base class of correlations: no value for constants, 0 without skill, Fisher's z as the scale."""

import math
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from ladderboard.core.errors import LabelsError, UndefinedMetricError
from ladderboard.core.scales import FISHER_Z
from ladderboard.metrics.base import Metric
from ladderboard.metrics.inputs import Array, Numbers, Target


class VaryingNumbers(Numbers):
    """Real labels that are not all the same; real predictions."""

    def read_labels(self, labels: npt.ArrayLike) -> Target:
        target = super().read_labels(labels)
        if is_constant(target.values):
            raise LabelsError(f"all {len(target)} labels are equal; this metric needs labels that differ")
        return target


class Correlation(Metric):
    """A correlation of labels and predictions, between -1 and 1; 0 without skill.

    Constant labels or predictions have none: neither the ratio nor a default is given for them.
    """

    kind = VaryingNumbers()
    lower_is_better = False
    bounds = (-1.0, 1.0)
    scale = FISHER_Z
    paired_test = "t"
    takes_real_weights = True
    degree = 0
    relative_cost = 1

    def compute_baseline(self, y: Array) -> Array | float:
        return 0.0

    def compute_null_standard_error(self, y: Array) -> float:
        """1/√(n − 1): the exact sd over all permutations of the labels, of Pearson's and of Spearman's correlation.

        And of Lin's, since shuffled labels have the labels' mean and variance.
        """
        return 1 / math.sqrt(len(y) - 1)

    def refuse_undefined(self, p: Array) -> None:
        if is_constant(p):
            raise UndefinedMetricError(
                f"all {len(p)} predictions are equal, so {self.name} has no value; predict at least two numbers"
            )

    def raise_undefined(self) -> NoReturn:
        """For the items at hand; says nothing of whether labels or predictions are to blame."""
        raise UndefinedMetricError(
            f"all labels or all predictions of these items are equal, so {self.name} has no value; "
            "score items whose labels differ with predictions that differ"
        )


def is_constant(values: Array) -> bool:
    """Whether all values are exactly the same number."""
    return bool((values == values[0]).all())


def clip_correlations(correlations: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Rounding may carry a perfect correlation past ±1 by a few units in the last place."""
    return np.clip(correlations, -1.0, 1.0)
