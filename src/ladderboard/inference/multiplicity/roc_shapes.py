"""The standard error of an AUC without its curve, over a family of ROC shapes.

In the binormal family the scores of negatives are N(0, 1) and those of positives N(a/b, 1/b²), so that
ROC(t) = Φ(a + b·Φ⁻¹(t)) and AUC = Φ(a/√(1+b²)). The AUC fixes a for every shape b: 1 is symmetric, below 1 the curve
leaves the left edge steeply and reaches the top late, above 1 the other way round.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ladderboard.core.errors import ParameterError
from ladderboard.core.records import FloatArray
from ladderboard.inference.checks import check_confidence, check_count

SHAPES = (1 / 3, 0.5, 2 / 3, 1.0, 1.5, 2.0, 3.0)
"""Ratios b of the two standard deviations: from a third to three, beyond what fitted ROC curves show."""


@dataclass(frozen=True)
class RocShape:
    """A member of the binormal family, and the distribution of an empirical AUC under it.

    The variance is the exact one of the Mann–Whitney statistic (which DeLong's method estimates):
    [A(1−A) + (n₁−1)(Q₁−A²) + (n₀−1)(Q₂−A²)]/(n₁n₀), Q₁ = P(two positives above one negative) and Q₂ = P(one positive
    above two negatives). Binormal: Q₁ = Φ₂(z, z; b²/(1+b²)) and Q₂ = Φ₂(z, z; 1/(1+b²)) with z = Φ⁻¹(A).

    >>> symmetric = RocShape(auc=0.9, shape=1.0, positives=53, negatives=2947)
    >>> round(symmetric.standard_error, 4), [round(end, 3) for end in symmetric.interval(0.95)]
    (0.0207, [0.851, 0.934])
    """

    auc: float
    shape: float
    positives: int
    negatives: int

    def __post_init__(self) -> None:
        if not 0 < self.auc < 1:
            raise ParameterError(f"auc is {self.auc}; an interval needs one strictly between 0 and 1")
        if not 0 < self.shape < math.inf:
            raise ParameterError(f"shape is {self.shape}; the ratio of the two spreads is a positive number")
        check_count(self.positives, "positives")
        check_count(self.negatives, "negatives")

    @cached_property
    def standard_error(self) -> float:
        """Of the empirical AUC of this many positives and negatives."""
        square = self.auc**2
        above_one = self._both_above(self.shape**2 / (1 + self.shape**2))
        above_two = self._both_above(1 / (1 + self.shape**2))
        pairs = self.positives * self.negatives
        excess = (self.positives - 1) * (above_one - square) + (self.negatives - 1) * (above_two - square)
        return math.sqrt((self.auc * (1 - self.auc) + excess) / pairs)

    def interval(self, confidence: float = 0.95, *, logit: bool = True) -> tuple[float, float]:
        """± z standard errors, on the logit scale unless said otherwise (there it cannot leave [0, 1])."""
        from scipy.special import expit, ndtri

        half = float(ndtri((1 + check_confidence(confidence)) / 2)) * self.standard_error
        if not logit:
            return self.auc - half, self.auc + half
        centre, half = math.log(self.auc / (1 - self.auc)), half / (self.auc * (1 - self.auc))
        return float(expit(centre - half)), float(expit(centre + half))

    def curve(self, false_positive_rates: npt.ArrayLike) -> FloatArray:
        """The true positive rates: Φ(a + b·Φ⁻¹(t))."""
        from scipy.special import ndtr, ndtri

        rates = np.asarray(false_positive_rates, dtype=np.float64)
        return np.asarray(ndtr(self.shape * (self._mean_positive + ndtri(rates))))

    def simulate(self, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Scores of the positives and of the negatives of one test set."""
        return rng.normal(self._mean_positive, 1 / self.shape, self.positives), rng.standard_normal(self.negatives)

    def positive_placements(self, deviates: FloatArray) -> FloatArray:
        """The share of negatives below a positive, which stands so many standard deviations from its class's mean."""
        from scipy.special import ndtr

        return np.asarray(ndtr(self._mean_positive + deviates / self.shape))

    def negative_placements(self, deviates: FloatArray) -> FloatArray:
        """The share of positives above a negative."""
        from scipy.special import ndtr

        return np.asarray(ndtr(self.shape * (self._mean_positive - deviates)))

    @property
    def _mean_positive(self) -> float:
        """a/b."""
        return self._distance * math.sqrt(1 + self.shape**2) / self.shape

    @property
    def _distance(self) -> float:
        from scipy.special import ndtri

        return float(ndtri(self.auc))

    def _both_above(self, correlation: float) -> float:
        """Φ₂(z, z; r) = Φ(z) − 2T(z, √((1−r)/(1+r))), T Owen's function."""
        from scipy.special import owens_t

        return self.auc - 2 * float(owens_t(self._distance, math.sqrt((1 - correlation) / (1 + correlation))))


@dataclass(frozen=True)
class AucReading:
    """The interpretation of an AUC without its curve: a `RocShape` for each shape, and the widest interval."""

    shapes: tuple[RocShape, ...]

    @property
    def auc(self) -> float:
        return self.shapes[0].auc

    @property
    def standard_errors(self) -> tuple[float, float]:
        """The smallest and the largest over the shapes."""
        each = [shape.standard_error for shape in self.shapes]
        return min(each), max(each)

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """An interval that is long enough whichever of the shapes it was."""
        ends = [shape.interval(confidence) for shape in self.shapes]
        return min(low for low, _ in ends), max(high for _, high in ends)

    def sentence(self, confidence: float = 0.95) -> str:
        low, high = self.interval(confidence)
        smallest, largest = self.standard_errors
        first = self.shapes[0]
        return (
            f"An AUC of {self.auc:.4f} on {first.positives} positives and {first.negatives} negatives has a standard "
            f"error between {smallest:.4f} and {largest:.4f}, by the shape of its ROC curve; the true AUC lies between "
            f"{low:.4f} and {high:.4f} with {100 * confidence:g} % confidence whichever shape it was."
        )


def auc_reading(auc: float, *, positives: int, negatives: int, shapes: npt.ArrayLike = SHAPES) -> AucReading:
    """The intervals of an AUC that is known only as a number, over a family of ROC shapes.

    Møllersen & Holsbø 2023 (arXiv 2303.07272) show for the melanoma challenge that the interval depends on the curve;
    here the family is binormal and the variance exact.

    >>> reading = auc_reading(0.949, positives=136, negatives=7551)
    >>> [round(error, 4) for error in reading.standard_errors]
    [0.0036, 0.0149]
    """
    ratios = np.atleast_1d(np.asarray(shapes, dtype=np.float64))
    if not len(ratios):
        raise ParameterError("give at least one shape")
    return AucReading(tuple(RocShape(auc, float(ratio), positives, negatives) for ratio in ratios))
