"""Harrell's concordance index for survival times."""

import math
from typing import NamedTuple

import numpy as np

from ladderboard.core.records import FloatArray, IntArray
from ladderboard.metrics._families.pairs import PairMetric, PairSums, concordance, refuse_incomparable
from ladderboard.metrics._kernels.merge_counting import Dominance
from ladderboard.metrics._kernels.running_mass import RunningMass
from ladderboard.metrics._kernels.scratch import Scratch
from ladderboard.metrics._kernels.tie_groups import TieGroups
from ladderboard.metrics.inputs import Array, Survival


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
    title = "C-index"
    relative_cost = 6
    kind = Survival()

    def compute_pair_sums(self, y: Array, p: Array, w: FloatArray) -> PairSums:
        key, observed = _key(y), y[:, 1]
        forward, backward = _Comparisons.of(key, p), _Comparisons.of(-key, -p)
        everything, events = w[:, None], (w * observed)[:, None]
        # An item is the earlier one of a pair only where its event was observed; any item may be the later one.
        concordant = observed * forward.concordant(everything)[:, 0] + backward.concordant(events)[:, 0]
        comparable = observed * forward.later.mass(everything)[:, 0] + backward.later.mass(events)[:, 0]
        return PairSums(concordant, comparable)

    def compute_replicates(self, y: Array, p: Array, weights: FloatArray) -> FloatArray:
        comparisons, observed = _Comparisons.of(_key(y), p), y[:, 1]
        return np.concatenate([comparisons.shares(observed, panel) for panel in Scratch().panels(weights)])

    def labels_as_predictions(self, y: Array) -> Array:
        return np.asarray(-y[:, 0])

    def compute_null_standard_error(self, y: Array) -> float:
        key, observed = _key(y), y[:, 1]
        earlier = observed * _Later(key).mass(np.ones((len(y), 1)))[:, 0]
        later = _Later(-key).mass(observed[:, None])[:, 0]
        pairs = float(earlier.sum())
        refuse_incomparable(pairs)
        return math.sqrt((pairs + float(np.square(earlier - later).sum())) / 12) / pairs


class _Later:
    """The weight of the items with a greater key than an item's own, within its group."""

    def __init__(self, key: IntArray, group: IntArray | None = None) -> None:
        groups = np.zeros_like(key) if group is None else group
        order = np.lexsort((key, groups))
        is_new_group = np.diff(groups[order]) != 0
        is_new_key = is_new_group | (np.diff(key[order]) != 0)
        until = np.empty((2, len(key)), dtype=np.intp)
        until[:, order] = _ends(is_new_group), _ends(is_new_key)
        self._masses = RunningMass(order, until.ravel())

    def mass(self, weights: FloatArray) -> FloatArray:
        """For each item and weighting (items × weightings)."""
        of_group, of_key = self._masses.look_up(weights, Scratch(), "mass").reshape(2, *weights.shape)
        return np.asarray(of_group - of_key)


class _Comparisons(NamedTuple):
    """Each item against those with a greater key; sums are for each item and weighting (items × weightings)."""

    later: _Later
    later_and_lower: Dominance
    later_and_level: _Later | None
    """None where no two risks are equal."""

    @classmethod
    def of(cls, key: IntArray, p: Array) -> "_Comparisons":
        risks = TieGroups.of(p)
        level = None if risks.starts is None else _Later(key, risks.group)
        return cls(_Later(key), Dominance(-key, risks.group), level)

    def concordant(self, weights: FloatArray) -> FloatArray:
        """The weight that is later and has a lower risk, and half of that which is later and has an equal one."""
        mass = self.later_and_lower.below(weights)
        if self.later_and_level is not None:
            mass += self.later_and_level.mass(weights) / 2
        return mass

    def shares(self, observed: FloatArray, weights: FloatArray) -> FloatArray:
        """One score for each column of ``weights``."""
        events = weights * observed[:, None]
        concordant = np.einsum("ib,ib->b", events, self.concordant(weights))
        return concordance(concordant, np.einsum("ib,ib->b", events, self.later.mass(weights)))


def _ends(is_new: Array) -> IntArray:
    """For each place, the number of places up to the end of its run; ``is_new[i]``: place i + 1 starts a run."""
    ends = np.append(np.flatnonzero(is_new) + 1, len(is_new) + 1)
    return np.repeat(ends, np.diff(ends, prepend=0))


def _key(y: Array) -> IntArray:
    """Whole numbers such that (i, j) is comparable iff i is observed and key_j > key_i: at one time, events first."""
    _, time = np.unique(y[:, 0], return_inverse=True)
    return np.asarray(2 * time + (y[:, 1] == 0), dtype=np.intp)
