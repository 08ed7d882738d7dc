"""Multiclass boosting: each class of an item is voted for by the vectors that said so and scored well."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ladderboard_lab.attacks.base import Attack, needs_metric, random_classes
from ladderboard_lab.participant import Array, Briefing, Participant


@dataclass(frozen=True)
class Multiclass(Attack):
    """Submit k uniform vectors f_j over m classes, predict argmax_c Σ_j 1[f_j(i) = c]·(a_j − 1/m), a_j the accuracy.

    Metric: error rate, three classes or more. Breaks: mechanisms that tell every score, though ever more slowly with
    more classes. Expected overfit of the final vector against full disclosure: Ω(√(k/(m²n))). More exactly, the vote of
    the true class is d = √(km/(n(m−1))) standard deviations ahead of m − 1 others of equal spread, so it wins with
    probability ∫φ(x − d)·Φ(x)^(m−1) dx, of which 1/m is no merit.

    Reference: Feldman, Frostig & Hardt 2019, The advantages of multiple classes for reducing overfitting from test set
    reuse (arXiv 1905.10360).
    """

    name: ClassVar[str] = "multiclass"
    heading: ClassVar[str] = "multi-class"

    def misfit(self, briefing: Briefing) -> str | None:
        few = f"needs three classes or more, not {briefing.classes}"
        return needs_metric(briefing, "error_rate") or (few if briefing.classes < 3 else None)

    def run(self, participant: Participant, *, budget: int, rng: np.random.Generator) -> Array:
        briefing = participant.briefing
        chance = 1 / briefing.classes
        votes = np.zeros((briefing.items, briefing.classes))
        rows = np.arange(briefing.items)
        for _ in range(budget):
            guess = random_classes(briefing, rng)
            value = participant.submit(guess).value
            if value is not None:
                votes[rows, guess] += (1 - value) - chance
        # Ties, of which all votes are one where nothing was told, are broken at random.
        return np.asarray((votes + 1e-12 * rng.random(votes.shape)).argmax(axis=1))
