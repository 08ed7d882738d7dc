"""Coin flips: nothing can be learnt, so everything a board shows beyond chance is luck or leakage."""

import numpy as np

from ladderboard_lab.participant import Array, Briefing
from ladderboard_lab.problems.base import Problem


def coin_flips(
    rng: np.random.Generator, *, n: int, private: int = 0, classes: int = 2, known_share: float = 0.0
) -> Problem:
    """``n`` public and ``private`` other items with uniform labels in ``classes`` classes.

    The participant holds the labels of ``known_share`` of all items. The true error rate of a submission is what it
    errs on known labels, and (m−1)/m on every other item, whatever it says there.
    """
    items = n + private
    labels = rng.integers(0, classes, items)
    public = np.sort(rng.permutation(items)[:n])
    known = np.sort(rng.permutation(items)[: round(known_share * items)])
    briefing = Briefing(
        metric="error_rate",
        lower_is_better=True,
        items=items,
        classes=classes,
        known_items=known,
        known_labels=labels[known],
    )
    known_public = np.intersect1d(known, public)
    chance = (classes - 1) / classes

    def true_score(predictions: Array) -> float:
        wrong = np.count_nonzero(predictions[known_public] != labels[known_public])
        return (wrong + chance * (n - len(known_public))) / n

    return Problem(briefing, labels, public, true_score)
