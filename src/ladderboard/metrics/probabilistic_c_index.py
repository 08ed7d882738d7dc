"""The probabilistic concordance index of the DREAM challenges: concordance with labels that are measured with noise."""

import math
from collections.abc import Iterator

import numpy as np

from ladderboard.core.errors import ParameterError
from ladderboard.core.records import FloatArray
from ladderboard.metrics._families.pairs import PairMetric, PairSums, concordance
from ladderboard.metrics.inputs import Array, Numbers

BLOCK_CELLS = 1 << 19
"""Pairs that are held in memory at a time."""


class ProbabilisticConcordanceIndex(PairMetric):
    """The expected share of pairs in the right order, where each label is measured with Gaussian noise.

    A pair predicted in the order p_i > p_j scores Φ((y_i − y_j)/(√2·σ)), the probability that the true values are in
    that order when both labels carry independent noise of standard deviation σ; equal predictions score ½. The score is
    the mean over all n(n−1)/2 pairs. Even a perfect order of the labels scores below 1.

    This is the form of the DREAM 8 toxicogenetics challenge. The script of the DREAM 7 drug sensitivity challenge has
    Φ((y_i − y_j)/σ): the same as here with ``noise_sd`` = σ/√2; its predictions were ranks, without ties.

    Parameters
    ----------
    noise_sd
        σ > 0, in units of the labels; the DREAM challenges pool it over replicated measurements. The entry of `METRICS`
        has σ = 1, which suits labels in units of their noise.

    Time is O(n²), memory O(n). Null standard error, exact for a random order of the predictions:
    √((Σ_i a_i² + Σ_{i<j} a_ij²)/12)/(n(n−1)/2) with a_ij = 2Φ(…) − 1 and a_i = Σ_j a_ij.

    Reference: Costello et al. 2014, Nature Biotechnology 32:1202 (supplement); Chaibub Neto et al. 2016,
    arXiv 1607.00091.

    >>> round(ProbabilisticConcordanceIndex(noise_sd=1.0).score([0.0, 1.0, 3.0], [0.2, 0.1, 0.9]), 4)
    0.7147
    """

    name = "probabilistic_c_index"
    title = "probabilistic C-index"
    relative_cost = 10
    kind = Numbers()

    def __init__(self, noise_sd: float = 1.0) -> None:
        if not 0 < noise_sd < math.inf:
            raise ParameterError(f"noise_sd is {noise_sd}; it must be a positive number")
        self.noise_sd = noise_sd

    def compute_pair_sums(self, y: Array, p: Array, w: FloatArray) -> PairSums:
        order = np.argsort(p)
        sorted_w, agreement = w[order], np.zeros(len(p))
        for rows, rest, a in self._blocks(y[order], p[order]):
            agreement[rows] += a @ sorted_w[rest]
            agreement[rest] += sorted_w[rows] @ a
        partners = w.sum() - w
        concordant = partners / 2
        concordant[order] += agreement / 2
        return PairSums(concordant, partners)

    def compute_replicates(self, y: Array, p: Array, weights: FloatArray) -> FloatArray:
        order = np.argsort(p)
        sorted_weights, agreement = np.take(weights, order, axis=1), np.zeros(len(weights))
        for rows, rest, a in self._blocks(y[order], p[order]):
            agreement += np.einsum("bi,bi->b", sorted_weights[:, rows], sorted_weights[:, rest] @ a.T)
        pairs = (weights.sum(axis=1) ** 2 - np.einsum("bi,bi->b", weights, weights)) / 2
        return concordance((pairs + agreement) / 2, pairs)

    def compute_null_standard_error(self, y: Array) -> float:
        # All different predictions in the order of the labels: every pair's a_ij is then the labels' own.
        sums, squares = np.zeros(len(y)), 0.0
        for rows, rest, a in self._blocks(np.sort(y), np.arange(len(y))):
            sums[rows] -= a.sum(axis=1)
            sums[rest] += a.sum(axis=0)
            squares += float(np.square(a).sum())
        return math.sqrt((float(sums @ sums) + squares) / 12) / (len(y) * (len(y) - 1) / 2)

    def _blocks(self, y: Array, p: Array) -> Iterator[tuple[slice, slice, FloatArray]]:
        """For rows i and columns j ≥ the first row: 2Φ((y_j − y_i)/(√2·σ)) − 1 where p_j > p_i, else 0.

        Items come in ascending order of p, so that every pair appears exactly once.
        """
        from scipy.special import erf

        size = max(1, BLOCK_CELLS // len(y))
        for start in range(0, len(y), size):
            rows, rest = slice(start, start + size), slice(start, None)
            agreement = (y[rest] - y[rows, None]) / (2 * self.noise_sd)
            erf(agreement, out=agreement)
            agreement *= p[rest] > p[rows, None]
            yield rows, rest, agreement
