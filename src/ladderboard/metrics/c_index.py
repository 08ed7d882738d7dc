"""Harrell's concordance index for survival times."""

import math
from typing import NamedTuple

import numpy as np

from ladderboard.metrics.inputs import Array, Survival
from ladderboard.metrics.merge_counting import Dominance
from ladderboard.metrics.pairs import PairMetric, PairSums, concordance
from ladderboard.metrics.scratch import Scratch
from ladderboard.metrics.tie_groups import TieGroups
from ladderboard.records import FloatArray, IntArray


class ConcordanceIndex(PairMetric):
    """The share of comparable pairs in which the higher risk has the earlier event; equal risks count by half.

    Labels are rows (time, event), event 1 = observed, 0 = censored; predictions are risks. A pair (i, j) is comparable
    iff i has an observed event and either time_i < time_j, or time_i = time_j and j is censored (j is then known to
    outlive i). Two events at the same time, two censored items, and an item censored before the other's time are not
    compared. With every item observed it is (Somers' D + 1)/2.

    A score takes O(n log n) time and O(n) memory, and so does each replicate. The null standard error is exact for a
    random order of the risks: √((D + Σ_i(a_i − b_i)²)/12)/D over D comparable pairs, of which i is the earlier item in
    a_i and the later one in b_i.

    Reference: Harrell, Califf, Pryor, Lee & Rosati 1982, JAMA 247:2543; Harrell, Lee & Mark 1996, Stat. Med. 15:361.

    >>> ConcordanceIndex().score([(5, 1), (8, 0), (3, 1), (8, 1)], [0.6, 0.2, 0.9, 0.6])  # 5½ of 6 pairs
    0.9166666666666666
    """

    name = "c_index"
    kind = Survival()

    def pair_sums_of(self, y: Array, p: Array, w: FloatArray) -> PairSums:
        key, observed = _key(y), y[:, 1]
        forward, backward = _Order.of(key, p), _Order.of(-key, -p)
        everything, events = w[:, None], (w * observed)[:, None]
        # An item is the earlier one of a pair only where its event was observed; any item may be the later one.
        concordant = observed * forward.later_lower(everything)[:, 0] + backward.later_lower(events)[:, 0]
        comparable = observed * forward.later(everything)[:, 0] + backward.later(events)[:, 0]
        return PairSums(concordant, comparable)

    def replicates_of(self, y: Array, p: Array, weights: FloatArray) -> FloatArray:
        order, observed = _Order.of(_key(y), p), y[:, 1]
        return np.concatenate([_shares(order, observed, panel) for panel in Scratch().panels(weights)])

    def null_standard_error_of(self, y: Array) -> float:
        key, observed = _key(y), y[:, 1]
        earlier = observed * _later(key, np.ones((len(y), 1)))[:, 0]
        later = _later(-key, observed[:, None])[:, 0]
        pairs = float(earlier.sum())
        return math.sqrt(float(concordance(pairs + np.square(earlier - later).sum(), 12 * pairs)) / pairs)


class _Order(NamedTuple):
    """Items by their key and their risk; sums are for each item and weighting (items × weightings)."""

    key: IntArray
    risks: TieGroups
    later_and_lower: Dominance

    @classmethod
    def of(cls, key: IntArray, p: Array) -> "_Order":
        risks = TieGroups.of(p)
        return cls(key, risks, Dominance(-key, risks.group))

    def later(self, weights: FloatArray) -> FloatArray:
        """The weight with a greater key."""
        return _later(self.key, weights)

    def later_lower(self, weights: FloatArray) -> FloatArray:
        """The weight with a greater key and a lower risk, and half of that with a greater key and an equal risk."""
        mass = self.later_and_lower.below(weights)
        if self.risks.starts is not None:
            # Sorted by risk, then key, the later items of equal risk are those up to the end of the run of that risk.
            order = np.lexsort((self.key, self.risks.group))
            risk, key = self.risks.group[order], self.key[order]
            mass[order] += (
                _between(order, weights, new_inner=_differs(risk) | _differs(key), new_outer=_differs(risk)) / 2
            )
        return mass


def _shares(order: _Order, observed: FloatArray, weights: FloatArray) -> FloatArray:
    """One score for each column of ``weights``."""
    events = weights * observed[:, None]
    concordant = np.einsum("ib,ib->b", events, order.later_lower(weights))
    return concordance(concordant, np.einsum("ib,ib->b", events, order.later(weights)))


def _later(key: IntArray, weights: FloatArray) -> FloatArray:
    order = np.argsort(key)
    later = np.empty_like(weights)
    later[order] = _between(
        order, weights, new_inner=_differs(key[order]), new_outer=np.zeros(len(key) - 1, dtype=np.bool_)
    )
    return later


def _between(order: IntArray, weights: FloatArray, *, new_inner: Array, new_outer: Array) -> FloatArray:
    """In sorted order: the weight after each item's inner run, up to the end of its outer run."""
    running = np.zeros((len(order) + 1, weights.shape[1]))
    np.cumsum(weights.take(order, axis=0), axis=0, out=running[1:])
    return running.take(_ends(new_outer), axis=0) - running.take(_ends(new_inner), axis=0)


def _differs(ordered: IntArray) -> Array:
    """Whether each place but the first starts a run of equal values."""
    return np.asarray(ordered[1:] != ordered[:-1])


def _ends(is_new: Array) -> IntArray:
    """For each place, the number of places up to the end of its run."""
    ends = np.append(np.flatnonzero(is_new) + 1, len(is_new) + 1)
    return np.repeat(ends, np.diff(ends, prepend=0))


def _key(y: Array) -> IntArray:
    """Whole numbers such that (i, j) is comparable iff i is observed and key_j > key_i: at one time, events first."""
    _, time = np.unique(y[:, 0], return_inverse=True)
    return np.asarray(2 * time + (y[:, 1] == 0), dtype=np.intp)
