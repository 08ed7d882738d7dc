"""The distribution of a best score: the state of the art if entries differed only by luck.

Møllersen & Holsbø 2023 (arXiv 2303.07272). Z is the number of failures of the best among m classifiers on one test set
of n items, so the best score is 1 − Z/n. Members of the family differ in how classifiers depend on each other; each
knows the probabilities of Z, and everything a reader wants follows here.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np
import numpy.typing as npt

from ladderboard.core.errors import ParameterError
from ladderboard.core.records import FloatArray, IntArray
from ladderboard.inference.checks import check_confidence
from ladderboard.inference.multiplicity.binomial import failures_cdf

NEGLIGIBLE = 1e-20
"""Mass beyond the support that mean, sd and quantiles are computed on."""
SCORE_TOLERANCE = 1e-9
"""Scores this close, in items, are the same number of failures: 236/3000 has no exact decimal."""


@dataclass(frozen=True, eq=False)
class Support:
    """Z's probabilities on the consecutive failures that carry all but a negligible part of its mass."""

    failures: IntArray
    cdf: FloatArray
    survival: FloatArray


class BestScore(ABC):
    """The best score of ``classifiers`` on ``test_size`` items.

    ``mean``, ``sd``, ``interval`` and scores are shares of correct answers; ``cdf``, ``pmf`` and ``quantile`` count
    failures, as the paper does.
    """

    test_size: int

    # -- what a member of the family knows --------------------------------------------------------------------------

    @property
    @abstractmethod
    def classifiers(self) -> int:
        """m, the number of classifiers."""

    @property
    @abstractmethod
    def true_best(self) -> float:
        """The true accuracy of the best classifier: what the best score is an estimate of."""

    @cached_property
    @abstractmethod
    def support(self) -> Support:
        """The failures that matter, with their probabilities."""

    @abstractmethod
    def cdf_at(self, failures: FloatArray) -> FloatArray:
        """F at whole numbers of failures."""

    @abstractmethod
    def pmf_at(self, failures: FloatArray) -> FloatArray:
        """f at whole numbers of failures."""

    @abstractmethod
    def simulate(self, rng: np.random.Generator, runs: int) -> IntArray:
        """The fewest failures in each of ``runs`` simulated boards; memory does not grow with ``runs`` × m."""

    @abstractmethod
    def describe(self) -> str:
        """The classifiers in words, for `sentence`: "1000 classifiers that are all truly 90.00 % correct"."""

    # -- in failures ------------------------------------------------------------------------------------------------

    @overload
    def cdf(self, failures: float) -> float: ...
    @overload
    def cdf(self, failures: npt.ArrayLike) -> FloatArray: ...
    def cdf(self, failures: npt.ArrayLike) -> float | FloatArray:
        """F(z): the probability that at least one classifier has at most z failures."""
        z = np.floor(np.asarray(failures, dtype=np.float64))
        found = self.cdf_at(np.atleast_1d(z).ravel()).reshape(z.shape)
        return found if z.ndim else float(found)

    @overload
    def pmf(self, failures: float) -> float: ...
    @overload
    def pmf(self, failures: npt.ArrayLike) -> FloatArray: ...
    def pmf(self, failures: npt.ArrayLike) -> float | FloatArray:
        """f(z) = F(z) − F(z−1): the probability that the best classifier has exactly z failures."""
        z = np.asarray(failures, dtype=np.float64)
        found = np.where(z.ravel() == np.floor(z.ravel()), self.pmf_at(np.floor(np.atleast_1d(z).ravel())), 0.0)
        return found.reshape(z.shape) if z.ndim else float(found[0])

    def quantile(self, probability: float) -> int:
        """The smallest z with F(z) ≥ probability."""
        if not 0 < probability < 1:
            raise ParameterError(f"probability is {probability}; it must lie between 0 and 1")
        place = int(np.searchsorted(self.support.cdf, probability, side="left"))
        return int(self.support.failures[min(place, len(self.support.failures) - 1)])

    @cached_property
    def mean_failures(self) -> float:
        """E[Z] = Σ_z P(Z > z)."""
        return float(self.support.failures[0] + self.support.survival[:-1].sum())

    @cached_property
    def sd_failures(self) -> float:
        """From E[K²] = Σ_k (2k+1)·P(K > k), K counted from the first failures of the support."""
        survival = self.support.survival[:-1]
        square = float((2 * np.arange(len(survival)) + 1) @ survival)
        return math.sqrt(max(0.0, square - float(survival.sum()) ** 2))

    # -- in accuracy ------------------------------------------------------------------------------------------------

    @property
    def mean(self) -> float:
        """The expected best score, 1 − E[Z]/n."""
        return 1 - self.mean_failures / self.test_size

    @property
    def sd(self) -> float:
        """The standard deviation of the best score."""
        return self.sd_failures / self.test_size

    @property
    def luck(self) -> float:
        """By how much the best score is expected to exceed the true accuracy of the best classifier."""
        return self.mean - self.true_best

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Where the best score falls with probability ``confidence``, with equal tails on both sides."""
        tail = (1 - check_confidence(confidence)) / 2
        return self._score(self.quantile(1 - tail)), self._score(self.quantile(tail))

    def upper_limit(self, confidence: float = 0.95) -> float:
        """The upper end of `interval`: the multiplicity-adjusted limit, reached by luck with half of 1 − confidence."""
        return self.interval(confidence)[1]

    @overload
    def beats(self, score: float, *, better_by: float = 0.0) -> float: ...
    @overload
    def beats(self, score: npt.ArrayLike, *, better_by: npt.ArrayLike = 0.0) -> FloatArray: ...
    def beats(self, score: npt.ArrayLike, *, better_by: npt.ArrayLike = 0.0) -> float | FloatArray:
        """P(a classifier truly better than the best by ``better_by`` has a higher score than ``score``).

        Strictly higher: with x failures behind ``score`` this is P(X ≤ x − 1). `reaches` is P(X ≤ x).
        """
        allowed = np.ceil(self._failures(score) - SCORE_TOLERANCE) - 1
        return self._newcomer_cdf(allowed, better_by)

    @overload
    def reaches(self, score: float, *, better_by: float = 0.0) -> float: ...
    @overload
    def reaches(self, score: npt.ArrayLike, *, better_by: npt.ArrayLike = 0.0) -> FloatArray: ...
    def reaches(self, score: npt.ArrayLike, *, better_by: npt.ArrayLike = 0.0) -> float | FloatArray:
        """P(a classifier truly better than the best by ``better_by`` has at least the score ``score``)."""
        allowed = np.floor(self._failures(score) + SCORE_TOLERANCE)
        return self._newcomer_cdf(allowed, better_by)

    def sentence(self, *, confidence: float = 0.95, better_by: float = 0.01) -> str:
        """Describe the best score in plain words."""
        low, high = self.interval(confidence)
        text = (
            f"Among {self.describe()}, the best score on {self.test_size} test items is expected to be "
            f"{_percent(self.mean)} ({_percent(low)} to {_percent(high)} with {100 * confidence:g} % probability): "
            f"{100 * self.luck:.2f} percentage points of it are luck."
        )
        if self.true_best + better_by >= 1:
            return text
        chance = self.beats(high, better_by=better_by)
        return (
            f"{text} A classifier that is truly better by {_points(better_by)} beats {_percent(high)} with "
            f"probability {_probability(chance)}."
        )

    def _score(self, failures: int) -> float:
        return (self.test_size - failures) / self.test_size

    def _failures(self, score: npt.ArrayLike) -> FloatArray:
        return self.test_size * (1 - np.asarray(score, dtype=np.float64))

    def _newcomer_cdf(self, failures: FloatArray, better_by: npt.ArrayLike) -> float | FloatArray:
        accuracy = self.true_best + np.asarray(better_by, dtype=np.float64)
        if (accuracy < 0).any() or (accuracy > 1).any():
            raise ParameterError(
                f"no accuracy is better than {self.true_best:g} by {accuracy - self.true_best}; it would leave [0, 1]"
            )
        found = failures_cdf(failures, self.test_size, accuracy)
        return found if found.ndim else float(found)


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %"


def _points(share: float) -> str:
    return f"{100 * share:g} percentage point" + ("" if share == 0.01 else "s")


def _probability(value: float) -> str:
    return f"{value:.2g}" if value < 0.995 else f"{value:.4f}"
