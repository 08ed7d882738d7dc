"""The luck in a winner's score: by how much the best of a board is expected to look better than it is.

Notation
--------
Y → the m mean losses, Σ → their covariance; ε ~ N(0, Σ); w(t) → the system with the smallest t + ε. The luck at true
losses t is b(t) = −E[ε_w(t)], and the corrected loss of the winner is Y_w + b(t̂).

t̂ is Y, except that the rivals in contention are drawn together: their observed losses spread by S², of which the noise
has part, N², so their deviations from their mean are multiplied by √(1 − N²/S²), and never past the winner. The plain
bootstrap (t̂ = Y) counts the rivals' noise twice, once in Y and once in ε; a leader who is three standard errors ahead
of fifty equal rivals then loses half a standard error to luck that it did not have.

Guarantee
---------
Heuristic, none proven: measured, over gaps and boards, in docs/theory/winner.md. The luck is never negative: each draw
comes with its mirror image, and b of such a pair is at least 0.

Reference
---------
Efron & Tibshirani 1993, An Introduction to the Bootstrap, chapter 10, for the correction of a bias by b(Y); Møllersen &
Holsbø 2023 (arXiv 2303.07272) for the need to shrink a board before simulating from it.
"""

import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.metrics._kernels.weights import row_blocks

PAIRS = 4000
"""Draws, each with its mirror image: the luck is then good to about a hundredth of a standard error."""
CONTENTION = 4.0
"""Rivals within so many standard errors of the difference to the winner are in contention."""
SAME = 1e-7
"""Of the largest distance, as a share: a system this close to the winner is a copy of it and no rival."""
HOPELESS = 16.0
"""Systems this many of the largest standard errors behind are never first in a draw."""


def estimate_luck(means: FloatArray, root: FloatArray, rng: np.random.Generator) -> float:
    """b(t̂): how much better than it is the winner is expected to look. ``root`` times its transpose is Σ.

    >>> rng = np.random.default_rng(1)
    >>> tied, ahead = np.zeros(12), np.r_[-9.0, np.zeros(11)]
    >>> round(estimate_luck(tied, np.eye(12), rng), 1), round(estimate_luck(ahead, np.eye(12), rng), 1)  # E max of 12
    (1.6, 0.0)
    """
    spread = np.sqrt(np.square(root).sum(axis=1))
    kept = means <= means.min() + HOPELESS * spread.max()
    losses, factors = means[kept], root[kept]
    truth = _draw_rivals_together(losses, factors)
    total = 0.0
    for start, stop in row_blocks(PAIRS, max(factors.shape)):
        errors = rng.standard_normal((stop - start, factors.shape[1]), dtype=factors.dtype) @ factors.T
        places = np.arange(stop - start)
        total += float((errors[places, (truth + errors).argmin(axis=1)]).sum())
        total -= float((errors[places, (truth - errors).argmin(axis=1)]).sum())
    return max(0.0, -total / (2 * PAIRS))


def _draw_rivals_together(losses: FloatArray, root: FloatArray) -> FloatArray:
    """t̂: the losses, with those of the rivals in contention as spread as they are without their noise."""
    winner = int(losses.argmin())
    distances = np.sqrt(np.square(root - root[winner]).sum(axis=1))
    near = losses - losses[winner] <= CONTENTION * distances
    near &= distances > SAME * distances.max()
    rivals = int(near.sum())
    if rivals < 3:
        return losses
    centred = losses[near] - losses[near].mean()
    observed = float(centred @ centred)
    noise = float(np.square(root[near] - root[near].mean(axis=0)).sum())
    truth = losses.copy()
    shrink = np.sqrt(max(0.0, 1 - noise / observed)) if observed > 0 else 1.0
    truth[near] = np.maximum(losses[near].mean() + shrink * centred, losses[winner])
    return truth
