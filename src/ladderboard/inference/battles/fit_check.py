"""The fit of one strength for each system to the battles: a check of every pair that met often enough.

For a pair of systems let R be the sum of (outcome − expected outcome) over their battles. If the model holds, R has
mean zero, and its standard error comes from the items as that of the strengths does: from the pair's own residuals less
what the fit takes from them. The largest |R| in standard errors over all pairs is judged by Bonferroni.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.inference.battles.bradley_terry import ItemSums, Strengths
from ladderboard.inference.battles.pairs import BattleRecords
from ladderboard.inference.pairwise import SMALLEST_SUPPORT


@dataclass(frozen=True)
class FitCheck:
    """The pair that the model fits worst."""

    p_value: float
    """Of "one strength for each system explains all pairs", corrected for their number; 1 where none can be checked."""
    pairs: int
    """How many pairs met on enough items to be checked."""
    first: str | None
    second: str | None
    observed: float | None
    """The share of points that the first took from the second, ties as half."""
    expected: float | None
    """The same by the strengths."""
    is_doubtful: bool
    """The p-value is at most 1 − confidence: at least one pair does not follow the strengths."""

    def sentence(self) -> str:
        """The finding in plain words."""
        if self.first is None or self.observed is None or self.expected is None:
            return "No pair of systems met often enough to check whether one strength for each explains the battles."
        if not self.is_doubtful:
            return f"One strength for each system explains all {self.pairs} pairs checked (p = {self.p_value:.2g})."
        return (
            f"One strength for each system does not explain all pairs (p = {self.p_value:.2g}): {self.first} takes "
            f"{100 * self.observed:.0f} % from {self.second}, where the strengths say {100 * self.expected:.0f} %."
        )


def check_fit(battles: BattleRecords, strengths: Strengths, scores: ItemSums, *, confidence: float) -> FitCheck:
    """Check every pair that met on at least `SMALLEST_SUPPORT` items."""
    from scipy.sparse import coo_array
    from scipy.special import stdtr

    pairs = strengths.pairs
    residuals, shape = strengths.residuals * pairs.signs, (len(pairs.low), scores.items)
    own = coo_array((residuals, (pairs.places, scores.codes)), shape=shape).tocsr()  # one entry for a pair on an item
    support = np.diff(own.indptr)
    totals = pairs.sum_over_battles(residuals)
    spread = np.sqrt(_compute_variances(strengths, scores, own))
    checked = (support >= SMALLEST_SUPPORT) & (spread > 0)
    if len(battles.systems) < 3 or not checked.any():
        return FitCheck(1.0, 0, None, None, None, None, is_doubtful=False)
    statistics = np.where(checked, np.abs(totals) / np.where(checked, spread, 1.0), 0.0)
    worst, count = int(statistics.argmax()), int(checked.sum())
    p_value = min(1.0, 2 * count * float(stdtr(support[worst] - 1, -statistics[worst])))
    observed = float(pairs.points[worst] / pairs.counts[worst])
    return FitCheck(
        p_value=p_value,
        pairs=count,
        first=battles.systems[pairs.low[worst]],
        second=battles.systems[pairs.high[worst]],
        observed=observed,
        expected=observed - float(totals[worst] / pairs.counts[worst]),
        is_doubtful=p_value <= 1 - confidence,
    )


def _compute_variances(strengths: Strengths, scores: ItemSums, own: Any) -> FloatArray:
    """Of each pair's total: Σ_g (a_g − kᵀs_g)² over items, a_g its ``own`` residuals there, k what the fit takes.

    Σ_g a_g² − 2kᵀΣ_g a_g s_g + kᵀ(Σ_g s_g s_gᵀ)k, so that nothing of the size pairs × items is formed; k is the pair's
    weight times H⁺(e_low − e_high), so that nothing of the size pairs × systems is, either. Covariates add their
    slopes.
    """
    pairs, inverse, weights = strengths.pairs, strengths.inverse, strengths.weights
    squares = np.asarray(own.multiply(own).sum(axis=1)).ravel()
    shared = (own @ scores.sums).tocoo()
    taken = inverse[pairs.low[shared.row], shared.col] - inverse[pairs.high[shared.row], shared.col]
    crossed = weights * np.bincount(shared.row, shared.data * taken, len(pairs.low))
    spread = scores.products
    own_spread = np.diag(spread)
    fitted = weights**2 * (own_spread[pairs.low] + own_spread[pairs.high] - 2 * spread[pairs.low, pairs.high])
    slopes, first = strengths.slopes, len(strengths.values)
    for place in range(slopes.shape[1]):
        steep = slopes[:, place]
        crossed += steep * np.bincount(shared.row, shared.data * inverse[first + place, shared.col], len(pairs.low))
        fitted += 2 * weights * steep * (spread[pairs.low, first + place] - spread[pairs.high, first + place])
    fitted += np.einsum("pc,cd,pd->p", slopes, spread[first:, first:], slopes)
    return np.asarray(np.maximum(squares - 2 * crossed + fitted, 0.0))
