"""Kendall's rank correlation τ_b."""

import math
from typing import NamedTuple

import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.metrics._families.correlation import Correlation, clip_correlations, is_constant
from ladderboard.metrics._kernels.merge_counting import Dominance
from ladderboard.metrics._kernels.moments import rescore_rows
from ladderboard.metrics._kernels.scratch import Scratch
from ladderboard.metrics._kernels.tie_groups import TieGroups
from ladderboard.metrics.base import weighted_contributions
from ladderboard.metrics.inputs import Array

NO_SPREAD = 1e-12
"""A share of untied pairs below this may be rounding alone: one group of ties has nearly all the weight."""


class Kendall(Correlation):
    """τ_b = (concordant − discordant pairs)/√(T_y·T_p), T the pairs that are not tied in the labels, the predictions.

    Equals ``scipy.stats.kendalltau(variant="b")``. Under weights a pair of different items weighs w_i·w_j; the factor
    1/(1 − Σw²) of pair averages is the same above and below the line. Whole-number weights are the same as repeated
    items, since copies of an item are tied with each other. Baseline: the null value 0.

    Contributions are the U-statistic's: τ + 2(s_i/√(T_yT_p) − (τ/2)(y_i/T_y + p_i/T_p)), where s_i, y_i and p_i are
    the means over the pairs with item i.

    A score takes O(n log n), and so does each replicate: about 14 passes over the weights for 10,000 items.

    Reference
    ---------
    Kendall 1945, The treatment of ties in ranking problems, Biometrika 33. Counting by merging: Knight 1966, A computer
    method for calculating Kendall's tau with ungrouped data, JASA 61.

    >>> round(Kendall().score([1, 2, 3, 4], [1, 3, 2, 4]), 6)  # 5 concordant pairs, 1 discordant
    0.666667
    """

    name = "kendall"
    title = "Kendall’s tau"
    relative_cost = 6

    def compute_score(self, y: Array, p: Array, w: FloatArray | None = None) -> float:
        self._refuse_constant(y, p)
        weights = np.ones(len(y)) if w is None else w
        return float(_Pairs.of(y, p).correlations(weights[:, None], Scratch())[0][0])

    def compute_contributions(self, y: Array, p: Array, w: FloatArray | None = None) -> FloatArray:
        self._refuse_constant(y, p)
        share = np.full(len(y), 1 / len(y)) if w is None else w / w.sum()
        agreement, untied_y, untied_p = _Pairs.of(y, p).compare_each_item(share)
        all_y, all_p = float(share @ untied_y), float(share @ untied_p)
        root = math.sqrt(all_y * all_p)
        score = float(share @ agreement) / root
        influence = 2 * (agreement / root - score / 2 * (untied_y / all_y + untied_p / all_p))
        return weighted_contributions(score, influence, w)

    def compute_replicates(self, y: Array, p: Array, weights: FloatArray) -> FloatArray:
        pairs, scratch = _Pairs.of(y, p), Scratch()
        found = [pairs.correlations(panel, scratch) for panel in scratch.panels(weights)]
        scores, is_degenerate = (np.concatenate(parts) for parts in zip(*found, strict=True))
        rescore_rows(self, y, p, weights=weights, rows=is_degenerate, scores=scores)
        return scores

    def compute_null_standard_error(self, y: Array) -> float:
        """√(2(2n + 5)/(9n(n − 1))), exact over all permutations where there are no ties."""
        n = len(y)
        return math.sqrt(2 * (2 * n + 5) / (9 * n * (n - 1)))

    def _refuse_constant(self, y: Array, p: Array) -> None:
        if is_constant(y) or is_constant(p):
            self.raise_undefined()


class _Pairs(NamedTuple):
    """Labels and predictions by their groups of ties. Pairs are ordered ones here: every pair counts twice."""

    labels: TieGroups
    predictions: TieGroups
    both: TieGroups
    """Items that share label and prediction."""
    ascending: Dominance

    @classmethod
    def of(cls, y: Array, p: Array) -> "_Pairs":
        labels, predictions = TieGroups.of(y), TieGroups.of(p)
        both = TieGroups.of(labels.group * len(predictions) + predictions.group)
        return cls(labels, predictions, both, Dominance(labels.group, predictions.group))

    def correlations(self, weights: FloatArray, scratch: Scratch) -> tuple[FloatArray, Array]:
        """τ_b for each column of ``weights`` (items × weightings), and where next to no pair is untied."""
        total = weights.sum(axis=0) ** 2
        tied_y, tied_p, tied_both = (
            groups.sums_of_powers(weights, 2) / total for groups in (self.labels, self.predictions, self.both)
        )
        concordant = 2 * self.ascending.pairs(weights, scratch) / total
        # What is tied in neither is concordant or discordant.
        agreement = 2 * concordant - (1 - tied_y - tied_p + tied_both)
        is_degenerate = np.maximum(tied_y, tied_p) >= 1 - NO_SPREAD
        untied = np.where(is_degenerate, 1.0, (1 - tied_y) * (1 - tied_p))
        return clip_correlations(agreement / np.sqrt(untied)), is_degenerate

    def compare_each_item(self, share: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Σ_j share_j·(±1 for a concordant or discordant pair) for each item; and its pairs untied in y, and in p."""
        column = share[:, None]
        tied_y, tied_p, tied_both = (
            groups.totals(column)[groups.group, 0] for groups in (self.labels, self.predictions, self.both)
        )
        descending = Dominance(-self.labels.group, self.predictions.group.max() - self.predictions.group)
        concordant = (self.ascending.below(column) + descending.below(column))[:, 0]
        return 2 * concordant - (1 - tied_y - tied_p + tied_both), 1 - tied_y, 1 - tied_p
