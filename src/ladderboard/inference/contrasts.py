"""The multiplier bootstrap of all paired differences, from their covariance alone.

If every item's centred losses are multiplied by an independent standard normal number and averaged, the m averages are
exactly N(0, Σ/n) with Σ the paired covariance of the loss columns. So that is drawn directly, and no row is resampled:
the cost does not depend on the number of items.

Items in groups: a group's sum of differences is as likely positive as negative where two systems are equally good, so
the signs of whole groups are flipped. That is exact for any number of groups of any sizes where the groups' differences
are symmetric (a randomisation test; it plays the part of Student's t), and from `MANY_GROUPS` on its normal limit is
drawn.

Notation: m systems, B replicates; a contrast is the difference of two of the m numbers of one replicate divided by the
standard deviation that this difference has.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ladderboard.core.errors import ParameterError
from ladderboard.core.records import FloatArray, IntArray
from ladderboard.inference.checks import check_count
from ladderboard.inference.covariance import PairedMeans, pair_moments

Flags = npt.NDArray[np.bool_]

REPLICATES = 10_000
"""Enough that a 95 % limit is met within ± 0.4 points (two standard errors)."""
MANY_GROUPS = 400
ROUNDING = 1e-12
"""Two sums of the same numbers in different order may differ by this share of them."""
_CELLS_PER_BLOCK = 1 << 20
"""Temporaries of eight megabytes, for any number of systems."""


@dataclass(frozen=True, eq=False)
class Contrasts:
    """B draws of m correlated errors, and the reciprocal standard deviation of each pair's difference."""

    draws: FloatArray = field(repr=False)
    """m × B."""
    reciprocals: FloatArray = field(repr=False)
    """m × m; 0 on the diagonal and for systems that are identical."""

    @property
    def replicates(self) -> int:
        return int(self.draws.shape[1])

    def prefix_maxima(self, order: IntArray) -> Iterator[tuple[slice, int, FloatArray]]:
        """The largest |contrast| among the first k + 1 systems of ``order``, for each block of replicates and k ≥ 1.

        Yields (the replicates of the block, k, their maxima); one sweep over all pairs serves every k.
        """
        reciprocals = self.reciprocals[np.ix_(order, order)]
        for columns in self._blocks(self.replicates):
            block = self.draws[order, columns]
            largest = np.zeros(block.shape[1])
            low, high = block[0].copy(), block[0].copy()
            for k in range(1, len(order)):
                reach = np.maximum(high - block[k], block[k] - low)
                _raise(largest, reach, block[:k], block[k], reciprocals[:k, k], both_ways=True)
                np.minimum(low, block[k], out=low)
                np.maximum(high, block[k], out=high)
                yield columns, k, largest

    def largest(self, weights: FloatArray, replicates: IntArray) -> FloatArray:
        """The largest (draw_i − draw_j)·weights[i, j] over ordered pairs, at least 0, in these replicates."""
        maxima = np.zeros(len(replicates))
        for places in self._blocks(len(replicates)):
            block = self.draws[:, replicates[places]]
            high = block.max(axis=0)
            for j in range(len(block)):
                _raise(maxima[places], high - block[j], block, block[j], weights[:, j], both_ways=False)
        return maxima

    def kth_largest(self, k: int, *, weights: FloatArray, bounds: FloatArray) -> float:
        """The k-th largest of the B maxima under ``weights``, given upper bounds on them.

        Only replicates that may be among the k largest are evaluated; their entries of ``bounds`` become exact, so that
        the array can be handed on to a call with smaller weights.
        """
        exact = np.zeros(self.replicates, dtype=bool)
        while True:
            top = np.argpartition(bounds, -k)[-k:]
            unknown = top[~exact[top]]
            if not len(unknown):
                return float(bounds[top].min())
            bounds[unknown] = self.largest(weights, unknown)
            exact[unknown] = True

    def _blocks(self, columns: int) -> Iterator[slice]:
        width = max(32, _CELLS_PER_BLOCK // len(self.draws))
        for start in range(0, columns, width):
            yield slice(start, min(start + width, columns))


def _raise(
    largest: FloatArray, reach: FloatArray, others: FloatArray, one: FloatArray, weights: FloatArray, *, both_ways: bool
) -> None:
    """Raise ``largest`` in place to the largest (others − one)·weights of each replicate, or its absolute value.

    No difference exceeds ``reach``: most replicates cannot be raised by this system, and cost nothing.
    """
    active = np.flatnonzero(reach * weights.max() > largest)
    if not len(active):
        return
    if 2 * len(active) > len(largest):  # gathering them would cost more than it saves
        active = np.arange(len(largest))
        contrasts = others - one
    else:
        contrasts = others[:, active] - one[active]
    contrasts *= weights[:, None]
    if both_ways:
        np.abs(contrasts, out=contrasts)
    largest[active] = np.maximum(largest[active], contrasts.max(axis=0))


def draw_contrasts(paired: PairedMeans, *, replicates: int, rng: np.random.Generator) -> Contrasts:
    """B draws from N(0, covariance of the means), and what studentises their differences.

    Where only some of the units tell most (``effective_units``), the draws are Student's, with as many degrees of
    freedom.
    """
    if paired.shares is not None:
        return _flip_groups(paired.shares, replicates, rng, groups=paired.items)
    variances = paired.difference_variances
    reciprocals = np.zeros_like(variances)
    np.divide(1.0, np.sqrt(variances), out=reciprocals, where=variances > 0)
    draws = _draw(compute_root(paired.covariance), replicates, rng)
    if paired.effective_units is not None:
        freedom = paired.degrees_of_freedom
        draws /= np.sqrt(rng.chisquare(freedom, replicates) / freedom)
    return Contrasts(draws, reciprocals)


def _flip_groups(shares: FloatArray, replicates: int, rng: np.random.Generator, *, groups: int) -> Contrasts:
    """B draws of Σ_g ± share_g, and the root of the second moment of each pair's difference."""
    moments = pair_moments(shares)
    reciprocals = np.zeros_like(moments)
    np.divide(1.0, np.sqrt(moments), out=reciprocals, where=moments > 0)
    if groups < MANY_GROUPS:
        return Contrasts(shares.T @ (2.0 * rng.integers(0, 2, (groups, replicates)) - 1), reciprocals)
    return Contrasts(_draw(compute_root(shares.T @ shares), replicates, rng), reciprocals)


def _draw(root: FloatArray, replicates: int, rng: np.random.Generator) -> FloatArray:
    """Root × standard normals, a part of the replicates at a time: the normals are never held as a whole."""
    draws = np.empty((len(root), replicates))
    width = max(32, _CELLS_PER_BLOCK // len(root))
    for start in range(0, replicates, width):
        part = slice(start, min(start + width, replicates))
        draws[:, part] = root @ rng.standard_normal((len(root), part.stop - start))
    return draws


def compute_root(covariance: FloatArray) -> FloatArray:
    """The symmetric matrix R with R·R = covariance, which may be singular: R times standard normals has it.

    Of all roots this one is unique, so that a seed gives the same draws with every linear algebra library.
    """
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)


def tail_count(replicates: int, confidence: float) -> int:
    """How many of B draws are at or above the critical value, the ⌈(B+1)·confidence⌉-th smallest of them.

    >>> tail_count(9999, 0.95)
    500
    """
    # Rounded, since (B+1)·.95 may come out a hair above the whole number that it is.
    count = check_count(replicates, "replicates") - math.ceil(round((replicates + 1) * confidence, 6)) + 1
    if count < 1:
        raise ParameterError(
            f"{replicates} replicates cannot show a confidence of {confidence:g}; "
            f"at least {math.ceil(round(1 / (1 - confidence), 6)) - 1} are needed"
        )
    return count


def make_generator(seed: "int | np.random.Generator") -> np.random.Generator:
    """Make the generator of a seed; return a generator unchanged."""
    return np.random.default_rng(seed)
