"""Noise numbers: labels are standard normal and nothing predicts them; some of the items are private."""

import numpy as np

from ladderboard_lab.participant import Array, Briefing
from ladderboard_lab.problems.base import Problem


def noise_numbers(rng: np.random.Generator, *, n: int, private: int = 0) -> Problem:
    """``n`` public and ``private`` other items in random order; predictions p truly lose 1 + mean(p²)."""
    items = n + private
    public = np.sort(rng.permutation(items)[:n])
    briefing = Briefing(metric="mse", lower_is_better=True, items=items)

    def true_score(predictions: Array) -> float:
        return 1.0 + float(np.mean(np.square(predictions[public])))

    return Problem(briefing, rng.standard_normal(items), public, true_score)
