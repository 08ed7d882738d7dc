"""Scores by a judge, corrected by human scores of a part of the items: prediction-powered inference.

A model that judges the answers is cheap and biased, perhaps for one system more than for another. Human scores of a
random part of the items tell how far it is off, and every item's judgement lowers the error of that.

Notation
--------
f_ij → the judge's score of system j on item i, of N items; y_ij → its human loss, known for the n_j items of L_j;
r̄_j → the mean over L_j of y_ij − λ_j f_ij. The estimate of system j's mean human loss is

    θ̂_j = λ_j·mean(f_j) + r̄_j,   λ_j = Cov_L(y_j, f_j)/Var_L(f_j),

the power-tuned estimate of the reference (whose λ multiplies the mean over the other items only, and is λ_j·(1 − n/N)).
Each item's part of it has the mean θ̂_j:

    z_ij = λ_j f_ij + r̄_j + (N/n_j)·1[i ∈ L_j]·(y_ij − λ_j f_ij − r̄_j)·√(n_j/(n_j − 2)).

The covariance of the z, over N, is that of the estimates; the last factor pays for r̄_j and λ_j, which are estimated
from the n_j items. A matrix of z is therefore like one of losses: ranks, comparisons and winners of it hold for human
losses, with the dependence between systems that were labelled on the same items.

Guarantee
---------
As the numbers of labelled items grow, for any judge, however biased, if the labelled items of each system were drawn at
random. Nothing corrects for labels that were given to easy, or to disputed, items.

Reference
---------
Angelopoulos, Bates, Fannjiang, Jordan & Zrnic 2023, Prediction-powered inference, Science 382; Angelopoulos, Duchi &
Zrnic 2023, PPI++ (arXiv 2311.01453), for λ.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ladderboard.core.errors import InputError
from ladderboard.core.records import FloatArray, IntArray

FEWEST_LABELS = 20
"""Human scores of a system; with fewer the normal approximation is no longer one."""


@dataclass(frozen=True, eq=False)
class CorrectedJudge:
    """What takes the place of the losses, and how much the judge is worth."""

    losses: FloatArray
    """Items × systems: each item's part z of the estimated human losses."""
    labels: IntArray
    """How many human scores each system has."""
    explained: FloatArray
    """The share of the human scores' variance that the judge explains, for each system."""


def correct_judge(judged: npt.ArrayLike, human: npt.ArrayLike) -> CorrectedJudge:
    """Correct a judge's scores by human losses; NaN where no human has looked.

    ``judged`` and ``human`` are items × systems. The scales need not be the same: only the human losses are estimated.

    >>> rng = np.random.default_rng(1)
    >>> human = (rng.random((2000, 2)) < [0.3, 0.3]).astype(float)
    >>> judged = np.clip(human + [0.2, -0.2] + rng.normal(0, 0.3, human.shape), 0, 1)  # fond of the second system
    >>> human[400:] = np.nan
    >>> judged.mean(axis=0).round(2).tolist(), correct_judge(judged, human).losses.mean(axis=0).round(2).tolist()
    ([0.46, 0.26], [0.29, 0.3])
    """
    scores, losses = np.asarray(judged, dtype=np.float64), np.asarray(human, dtype=np.float64)
    if scores.ndim != 2 or scores.shape != losses.shape:
        raise InputError(f"the judge's scores have shape {scores.shape}, the human ones {losses.shape}")
    if not np.isfinite(scores).all():
        raise InputError("a score of the judge is missing; it must have judged every item of every system")
    known = np.isfinite(losses)
    labels = known.sum(axis=0)
    if labels.min() < FEWEST_LABELS:
        raise InputError(
            f"a system has {labels.min()} human scores; at least {FEWEST_LABELS} of each system, on items drawn at "
            "random, are needed to correct the judge"
        )
    given = np.where(known, losses, 0.0)
    means = given.sum(axis=0) / labels
    centred_scores = np.where(known, scores - np.where(known, scores, 0.0).sum(axis=0) / labels, 0.0)
    centred_losses = np.where(known, losses - means, 0.0)
    cross, spread = (centred_scores * centred_losses).sum(axis=0), (centred_scores**2).sum(axis=0)
    total = (centred_losses**2).sum(axis=0)
    tuning = np.divide(cross, spread, out=np.zeros_like(cross), where=spread > 0)
    residuals = centred_losses - tuning * centred_scores
    offset = means - tuning * np.where(known, scores, 0.0).sum(axis=0) / labels
    weights = len(scores) / labels * np.sqrt(labels / (labels - 2))
    explained = np.divide(cross**2, spread * total, out=np.zeros_like(cross), where=spread * total > 0)
    return CorrectedJudge(tuning * scores + offset + weights * residuals, labels, explained)
