"""The fit of one strength for each system to the battles: a check of every pair that met often enough.

For a pair of systems let R be the sum of (outcome − expected outcome) over their battles. If the model holds, R has
mean zero, and its standard error comes from the items as that of the strengths does: from the pair's own residuals less
what the fit takes from them. The largest |R| in standard errors over all pairs is judged by Bonferroni.
"""

from dataclasses import dataclass

import numpy as np

from ladderboard.core.records import FloatArray, IntArray
from ladderboard.inference.battles.bradley_terry import BattleRecords, Strengths, sum_scores
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


def check_fit(battles: BattleRecords, strengths: Strengths, codes: IntArray, *, confidence: float) -> FitCheck:
    """Check every pair that met on at least `SMALLEST_SUPPORT` items."""
    from scipy.special import stdtr

    pairs, cells, signs = _number_pairs(battles)
    residuals = strengths.residuals * signs
    support = np.bincount(np.unique(np.stack([cells, codes]), axis=1)[0], minlength=len(pairs))
    totals = np.bincount(cells, residuals, len(pairs))
    spread = np.sqrt(_compute_variances(battles, strengths, codes, pairs=pairs, cells=cells, residuals=residuals))
    checked = (support >= SMALLEST_SUPPORT) & (spread > 0)
    if len(battles.systems) < 3 or not checked.any():
        return FitCheck(1.0, 0, None, None, None, None, is_doubtful=False)
    statistics = np.where(checked, np.abs(totals) / np.where(checked, spread, 1.0), 0.0)
    worst, count = int(statistics.argmax()), int(checked.sum())
    p_value = min(1.0, 2 * count * float(stdtr(support[worst] - 1, -statistics[worst])))
    met = cells == worst
    first, second = pairs[worst]
    outcomes = np.where(signs[met] > 0, battles.outcomes[met], 1 - battles.outcomes[met])
    observed = float(outcomes.mean())
    return FitCheck(
        p_value=p_value,
        pairs=count,
        first=battles.systems[first],
        second=battles.systems[second],
        observed=observed,
        expected=observed - float(totals[worst] / met.sum()),
        is_doubtful=p_value <= 1 - confidence,
    )


def _number_pairs(battles: BattleRecords) -> tuple[IntArray, IntArray, FloatArray]:
    """The pairs that met (lower place first), the pair of each battle, and −1 where its systems are the other way."""
    low, high = np.minimum(battles.first, battles.second), np.maximum(battles.first, battles.second)
    pairs, cells = np.unique(np.stack([low, high], axis=1), axis=0, return_inverse=True)
    return pairs, cells.ravel(), np.where(battles.first <= battles.second, 1.0, -1.0)


def _compute_variances(
    battles: BattleRecords,
    strengths: Strengths,
    codes: IntArray,
    *,
    pairs: IntArray,
    cells: IntArray,
    residuals: FloatArray,
) -> FloatArray:
    """Of each pair's total: Σ_g (a_g − kᵀs_g)² over items, a_g its residuals there, k what the fit takes from them.

    Σ_g a_g² − 2kᵀΣ_g a_g s_g + kᵀ(Σ_g s_g s_gᵀ)k, so that nothing of the size pairs × items is formed.
    """
    from scipy.sparse import coo_array

    scores = sum_scores(battles, strengths.residuals, codes)
    own = coo_array((residuals, (cells, codes)), shape=(len(pairs), len(scores))).tocsr()
    weights = np.bincount(cells, strengths.weights, len(pairs))[:, None]
    taken = weights * (strengths.inverse[pairs[:, 0]] - strengths.inverse[pairs[:, 1]])
    squares = np.asarray(own.multiply(own).sum(axis=1)).ravel()
    crossed = np.einsum("ij,ij->i", taken, own @ scores)
    fitted = np.einsum("ij,jk,ik->i", taken, scores.T @ scores, taken)
    return np.asarray(np.maximum(squares - 2 * crossed + fitted, 0.0))
