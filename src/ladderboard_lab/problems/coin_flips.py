"""Coin flips: nothing can be learnt, so everything a board shows beyond chance is luck or leakage.

Scored by AUC or by log loss, their numbers spell out labels.
"""

from collections.abc import Callable

import numpy as np

import ladderboard as lb
from ladderboard_lab.participant import Array, Briefing
from ladderboard_lab.problems.base import Problem, brief_insider

SMALLEST_PROBABILITY = 1e-15


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
    metric = lb.METRICS["error_rate"]
    briefing = brief_insider(rng, metric, labels, classes=classes, known_share=known_share)
    known_public = np.intersect1d(briefing.known_items, public)
    chance = (classes - 1) / classes

    def true_score(predictions: Array) -> float:
        wrong = np.count_nonzero(predictions[known_public] != labels[known_public])
        return (wrong + chance * (n - len(known_public))) / n

    return Problem(metric, briefing, labels, public, true_score)


def coin_flips_auc(rng: np.random.Generator, *, n: int) -> Problem:
    """``n`` public items with fair 0/1 labels, of both of which there are some; the true AUC of any scores is ½."""
    return _toss_both_classes(rng, lb.METRICS["auc"], n, true_score=lambda _: 0.5)


def coin_flips_log_loss(rng: np.random.Generator, *, n: int) -> Problem:
    """``n`` public items with fair 0/1 labels; a probability p truly loses −½ ln p − ½ ln(1 − p), at least ln 2."""
    return _toss_both_classes(rng, lb.METRICS["log_loss"], n, true_log_loss)


def coin_flips_squared(rng: np.random.Generator, *, n: int, known_share: float) -> Problem:
    """``n`` fair 0/1 labels as numbers, scored by the mean squared error; the participant holds some of them.

    The true loss of a forecast p is that on the labels held, and (p² + (1 − p)²)/2 on every other item.
    """
    labels, metric = rng.integers(0, 2, n), lb.METRICS["mse"]
    briefing = brief_insider(rng, metric, labels, classes=0, known_share=known_share)

    def true_score(predictions: Array) -> float:
        losses = (predictions**2 + (1 - predictions) ** 2) / 2
        known = briefing.known_items
        losses[known] = (predictions[known] - labels[known]) ** 2
        return float(losses.mean())

    return Problem(metric, briefing, labels, np.arange(n), true_score)


def true_log_loss(predictions: Array) -> float:
    """The expected log loss of these probabilities (of class 1, or of both classes in columns) on fair coins.

    >>> round(true_log_loss(np.array([0.5, 0.5])), 6)
    0.693147
    """
    p = predictions if predictions.ndim == 1 else predictions[:, 1]
    both = np.stack([p, 1 - p])
    return float(-np.log(np.maximum(both, SMALLEST_PROBABILITY)).mean())


def _toss_both_classes(
    rng: np.random.Generator, metric: "lb.Metric", n: int, true_score: Callable[[Array], float]
) -> Problem:
    """Fair coins, tossed again in the rare case that all fall alike, for which neither metric has a baseline."""
    labels = rng.integers(0, 2, n)
    while not 0 < labels.sum() < n:
        labels = rng.integers(0, 2, n)
    briefing = Briefing(metric=metric.name, lower_is_better=metric.lower_is_better, items=n, classes=2)
    return Problem(metric, briefing, labels, np.arange(n), true_score)
