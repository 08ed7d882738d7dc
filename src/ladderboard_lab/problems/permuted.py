"""An organiser's own labels without anything to learn: shuffled, so that no item says anything about its label."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import ladderboard as lb
from ladderboard_lab.participant import Array, IntArray
from ladderboard_lab.problems.base import Problem, brief_insider

SHUFFLES, FEWEST_SHUFFLES, SHUFFLED_ITEMS = 32, 8, 1_000_000
"""Over how many shuffles a true score is averaged: 32, fewer where that is more than a million items. The error is then
a sixth of the standard error that one run has anyway."""


def permute_labels(
    rng: np.random.Generator, labels: Array, metric: "lb.Metric", *, known_share: float = 0.0
) -> Problem:
    """The labels in random order, all public; the participant holds ``known_share`` of them.

    The true score of a submission is its mean score over fresh shuffles of the labels that it does not hold.
    Where predictions are classes, there are as many labels of each class: a rare class makes a board harder to climb by
    luck, so that even ones are the careful choice.
    """
    target = metric.kind.read_labels(labels)
    values = target.values
    if metric.kind.takes == "classes":
        values = np.arange(len(values)) % len(target.classes)
    values = values[rng.permutation(len(values))]
    briefing = brief_insider(rng, metric, values, classes=len(target.classes), known_share=known_share)
    everything = np.arange(len(values))
    truth = Truth(metric, values, np.setdiff1d(everything, briefing.known_items), int(rng.integers(2**62)))
    return Problem(metric, briefing, values, everything, truth)


@dataclass(frozen=True, eq=False)
class Truth:
    """The mean score over shuffles of the labels that the participant does not hold."""

    metric: "lb.Metric"
    labels: Array
    unknown: IntArray
    seed: int

    def __call__(self, predictions: Array) -> float:
        if self.metric.paired_test == "mcnemar" and self.metric.lower_is_better:
            return self._error_rate(predictions)
        return float(np.mean([self.metric.score(labels, predictions) for labels in self._shuffles]))

    def _error_rate(self, predictions: Array) -> float:
        """Without shuffling: an unknown label is of each class as often as that class is among them."""
        known = np.setdiff1d(np.arange(len(self.labels)), self.unknown)
        shares = np.bincount(self.labels[self.unknown], minlength=int(self.labels.max()) + 1) / max(
            1, len(self.unknown)
        )
        wrong = np.count_nonzero(predictions[known] != self.labels[known])
        return float(wrong + np.sum(1 - shares[predictions[self.unknown].astype(np.intp)])) / len(self.labels)

    @cached_property
    def _shuffles(self) -> list[Array]:
        rng = np.random.default_rng(self.seed)
        count = int(np.clip(SHUFFLED_ITEMS // len(self.labels), FEWEST_SHUFFLES, SHUFFLES))
        return [self._shuffle(rng) for _ in range(count)]

    def _shuffle(self, rng: np.random.Generator) -> Array:
        labels: Any = self.labels.copy()
        labels[self.unknown] = labels[rng.permutation(self.unknown)]
        return np.asarray(labels)
