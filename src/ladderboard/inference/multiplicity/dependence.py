"""Dependent classifiers: independent only given a reference classifier Y₀, fixed or random."""

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from ladderboard.core.errors import ParameterError
from ladderboard.core.records import FloatArray, IntArray
from ladderboard.inference.multiplicity.best_score import NEGLIGIBLE, BestScore, Support
from ladderboard.inference.multiplicity.binomial import failures_pmf
from ladderboard.inference.multiplicity.condensation import condense, weighted_sum
from ladderboard.inference.multiplicity.independent_classifiers import contenders, describe_classifiers
from ladderboard.inference.multiplicity.similarity import check_correlation, flip_probabilities
from ladderboard.metrics._kernels.weights import row_blocks

Reference = Literal["fixed", "random"]

REACH = 11.0
"""Standard deviations a binomial is followed on either side: what is left out is below 1e-27."""
ODDMENTS = 45
"""Failures added to the reach, for binomials that are too rare to be normal."""
REFERENCE_REACH = 10.5
"""Standard deviations the right answers of a random reference are followed."""


@dataclass(frozen=True, eq=False)
class DependentClassifiers(BestScore):
    """Classifiers with correlation ρ₀ to a reference Y₀ of accuracy θ₀, independent of each other given Y₀.

    Each answer of Y₀ is flipped independently: right to wrong with p(1→0) = (θ₀ − ρ₀√(v₀v_j) − θ₀θ_j)/θ₀, wrong to
    right with p(0→1) = ((1−θ₀)θ_j − ρ₀√(v₀v_j))/(1−θ₀), v = θ(1−θ), which leaves every classifier its own accuracy.
    Given that Y₀ has k right answers the failures of classifier j are B(k, p(1→0)) + B(n−k, 1 − p(0→1)), a convolution.

    Parameters
    ----------
    reference
        ``"fixed"``: Y₀ has exactly θ₀n right answers (the paper). ``"random"``: Y₀ ~ B(n, θ₀), which is what two test
        sets would do; the classifiers' pairwise correlation is then ρ₀².

    Notation
    --------
    θ₀ → ``reference_accuracy``; ρ₀ → ``correlation``; θ_j → ``accuracies`` (distinct, ascending), each of ``counts``
    classifiers. The paper's "248 instead of 236" holds for a fixed Y₀ only; with a random one it is 238.

    Departures
    ----------
    The paper simulates; this is exact: F is right to 1e-9, relative, wherever it is above 1e-15.

    Reference
    ---------
    Møllersen & Holsbø 2023, "Dependent, identical classifiers"; Boland et al. 1989 for the model.
    """

    test_size: int
    accuracies: FloatArray = field(repr=False)
    counts: FloatArray = field(repr=False)
    reference_accuracy: float
    correlation: float
    reference: Reference = "fixed"

    def __post_init__(self) -> None:
        if self.reference not in ("fixed", "random"):
            raise ParameterError(f"reference is {self.reference!r}; it must be 'fixed' or 'random'")
        check_correlation(self.correlation, self.reference_accuracy, self.accuracies)

    @property
    def classifiers(self) -> int:
        return int(self.counts.sum())

    @property
    def true_best(self) -> float:
        return float(self.accuracies[-1])

    @property
    def pairwise_correlation(self) -> float:
        """ρ₀²: the correlation of two of the classifiers, over random test sets."""
        return self.correlation**2

    @cached_property
    def support(self) -> Support:
        whole = self._whole
        kept = slice(
            int(np.argmax(whole.cdf >= NEGLIGIBLE)),
            int(np.argmax((whole.survival < NEGLIGIBLE) | (whole.failures == whole.failures[-1]))) + 1,
        )
        return Support(whole.failures[kept], whole.cdf[kept], whole.survival[kept])

    def cdf_at(self, failures: FloatArray) -> FloatArray:
        inside, places = self._places(failures)
        return np.where(inside, self._whole.cdf[places], (failures > self._whole.failures[-1]).astype(np.float64))

    def pmf_at(self, failures: FloatArray) -> FloatArray:
        inside, places = self._places(failures)
        return np.where(inside, self._whole.pmf[places], 0.0)

    def simulate(self, rng: np.random.Generator, runs: int) -> IntArray:
        n, each = self.test_size, np.repeat(np.arange(len(self.counts)), self.counts.astype(np.intp))
        broken, repaired = flip_probabilities(self.correlation, self.reference_accuracy, self.accuracies)
        fewest = np.empty(runs, dtype=np.intp)
        for start, stop in row_blocks(runs, len(each)):
            shape = (stop - start, len(each))
            right = np.full(stop - start, self._central) if self.reference == "fixed" else self._draw(rng, stop - start)
            wrong = rng.binomial(right[:, None], broken[each], size=shape)
            wrong += (n - right)[:, None] - rng.binomial((n - right)[:, None], repaired[each], size=shape)
            fewest[start:stop] = wrong.min(axis=1)
        return fewest

    def describe(self) -> str:
        kind = "with a fixed" if self.reference == "fixed" else "with a random"
        return (
            f"{describe_classifiers(self.accuracies, self.classifiers)} (correlation {self.correlation:.3g} {kind} "
            f"reference of {100 * self.reference_accuracy:.2f} %)"
        )

    # -- how it is computed -----------------------------------------------------------------------------------------

    @property
    def _central(self) -> int:
        """θ₀n, as a whole number of right answers."""
        return round(self.reference_accuracy * self.test_size)

    def _draw(self, rng: np.random.Generator, size: int) -> IntArray:
        return rng.binomial(self.test_size, self.reference_accuracy, size=size).astype(np.intp)

    def _places(self, failures: FloatArray) -> tuple[npt.NDArray[np.bool_], IntArray]:
        first, last = int(self._whole.failures[0]), int(self._whole.failures[-1])
        inside = (failures >= first) & (failures <= last)
        return inside, np.clip(failures - first, 0, last - first).astype(np.intp)

    @cached_property
    def _whole(self) -> "_Whole":
        """Z's probabilities over all failures within reach, mixed over the reference's right answers."""
        rights, weights = self._references()
        window = self._window(rights)
        cdf, survival, pmf = np.zeros(len(window)), np.zeros(len(window)), np.zeros(len(window))
        for right, weight in zip(rights, weights, strict=True):
            log_survival, log_step = self._compute_conditional(int(right), window)
            before = np.concatenate([[0.0], log_survival[:-1]])
            cdf -= weight * np.expm1(log_survival)
            survival += weight * np.exp(log_survival)
            pmf -= weight * np.exp(before) * np.expm1(log_step)
        return _Whole(window, np.minimum(cdf, 1.0), survival, pmf)

    def _references(self) -> tuple[IntArray, FloatArray]:
        """The right answers of Y₀ that are mixed over, with their weights."""
        if self.reference == "fixed":
            return np.array([self._central]), np.ones(1)
        n, accuracy = self.test_size, self.reference_accuracy
        half = math.ceil(REFERENCE_REACH * math.sqrt(n * accuracy * (1 - accuracy))) + 10
        rights = np.arange(max(0, self._central - half), min(n, self._central + half) + 1, self._stride())
        weights = failures_pmf(n - rights, n, accuracy)
        return rights, weights / weights.sum()

    def _stride(self) -> int:
        """Every s-th number of right answers: for smooth integrands the trapezoidal sum loses no digit.

        The narrowest feature is Z's spread at a given Y₀, translated into right answers by the slope ρ₀ of regression.
        """
        narrowest = replace(self, reference="fixed").sd_failures / max(abs(self.correlation), 0.01)
        own = math.sqrt(self.test_size * self.reference_accuracy * (1 - self.reference_accuracy))
        return max(1, int(min(own, narrowest) / 5))

    def _window(self, rights: IntArray) -> IntArray:
        """Consecutive failures that hold Z's mass whichever the reference."""
        reaches = [
            _reach(count, shares) for right in (rights[0], rights[-1]) for count, shares in self._parts(int(right))
        ]
        low = min(reaches[0][0] + reaches[1][0], reaches[2][0] + reaches[3][0])
        high = max(reaches[0][1] + reaches[1][1], reaches[2][1] + reaches[3][1])
        return np.arange(low, high + 1)

    def _parts(self, right: int) -> tuple[tuple[int, FloatArray], tuple[int, FloatArray]]:
        """The two binomials of the failures at each node: right answers broken, and wrong ones not repaired."""
        nodes = self._nodes
        return (right, nodes.broken), (self.test_size - right, 1 - nodes.repaired)

    @cached_property
    def _nodes(self) -> "_Nodes":
        nodes, weights = condense(*contenders(self.test_size, self.accuracies, self.counts))
        return _Nodes(weights, *flip_probabilities(self.correlation, self.reference_accuracy, nodes))

    def _compute_conditional(self, right: int, window: IntArray) -> tuple[FloatArray, FloatArray]:
        """log P(Z > z) and log P(Z > z | Z ≥ z) over the window, given the right answers of Y₀."""
        (low_a, broken), (low_b, left) = (_binomials(count, shares) for count, shares in self._parts(right))
        pmf = np.stack([np.convolve(a, b) for a, b in zip(broken, left, strict=True)])
        place = slice(low_a + low_b - int(window[0]), low_a + low_b - int(window[0]) + pmf.shape[1])
        log_survival, log_step = np.zeros(len(window)), np.zeros(len(window))
        log_survival[place.stop :] = -np.inf
        log_step[place.stop :] = -np.inf
        survival, step = _logarithms(pmf)
        log_survival[place] = weighted_sum(survival.T, self._nodes.weights)
        log_step[place] = weighted_sum(step.T, self._nodes.weights)
        return log_survival, log_step


@dataclass(frozen=True, eq=False)
class _Whole(Support):
    """Z's probabilities on all failures within reach."""

    pmf: FloatArray


@dataclass(frozen=True, eq=False)
class _Nodes:
    """The classifiers, condensed, with their flip probabilities."""

    weights: FloatArray
    broken: FloatArray
    repaired: FloatArray


def _logarithms(pmf: FloatArray) -> tuple[FloatArray, FloatArray]:
    """log P(X > z) and log P(X > z | X ≥ z) from rows of probabilities of X = z."""
    below, above = np.cumsum(pmf, axis=1), np.cumsum(pmf[:, ::-1], axis=1)[:, ::-1]
    later = np.hstack([above[:, 1:], np.zeros((len(pmf), 1))])
    hazard = pmf / np.maximum(above, np.finfo(np.float64).tiny)
    with np.errstate(divide="ignore"):
        survival = np.where(below < 0.5, np.log1p(-np.minimum(below, 0.5)), np.log(later))
        step = np.where(later > 0, np.log1p(-np.minimum(hazard, 1.0)), -np.inf)
    return survival, step


def _reach(count: int, shares: FloatArray) -> tuple[int, int]:
    """The values within reach of the mean of some B(count, share)."""
    mean, half = count * shares, REACH * np.sqrt(count * shares * (1 - shares)) + ODDMENTS
    return max(0, math.floor((mean - half).min())), min(count, math.ceil((mean + half).max()))


def _binomials(count: int, shares: FloatArray) -> tuple[int, FloatArray]:
    """The first value within reach, and rows of probabilities from there on, one for each share."""
    if count == 0:
        return 0, np.ones((len(shares), 1))
    low, high = _reach(count, shares)
    return low, failures_pmf(np.arange(low, high + 1), count, 1 - shares[:, None])
