"""Coin flips scored by AUC or by log loss: two metrics whose numbers spell out labels."""

import numpy as np

from ladderboard_lab.participant import Array, Briefing
from ladderboard_lab.problems.base import Problem

SMALLEST_PROBABILITY = 1e-15


def coin_flips_auc(rng: np.random.Generator, *, n: int) -> Problem:
    """``n`` public items with fair 0/1 labels, of both of which there are some; the true AUC of any scores is ½."""
    briefing = Briefing(metric="auc", lower_is_better=False, items=n, classes=2)
    return Problem(briefing, _both_classes(rng, n), np.arange(n), true_score=lambda _: 0.5)


def coin_flips_log_loss(rng: np.random.Generator, *, n: int) -> Problem:
    """``n`` public items with fair 0/1 labels; a probability p truly loses −½ ln p − ½ ln(1 − p), at least ln 2."""
    briefing = Briefing(metric="log_loss", lower_is_better=True, items=n, classes=2)
    return Problem(briefing, _both_classes(rng, n), np.arange(n), true_log_loss)


def true_log_loss(predictions: Array) -> float:
    """The expected log loss of these probabilities (of class 1, or of both classes in columns) on fair coins.

    >>> round(true_log_loss(np.array([0.5, 0.5])), 6)
    0.693147
    """
    p = predictions if predictions.ndim == 1 else predictions[:, 1]
    both = np.stack([p, 1 - p])
    return float(-np.log(np.maximum(both, SMALLEST_PROBABILITY)).mean())


def _both_classes(rng: np.random.Generator, n: int) -> Array:
    """Fair coins, tossed again in the rare case that all fall alike, for which neither metric has a baseline."""
    while True:
        labels = rng.integers(0, 2, n)
        if 0 < labels.sum() < n:
            return labels
