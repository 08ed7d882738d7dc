"""Split membership: an extreme value on one item moves the score if and only if the item is public."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ladderboard_lab.attacks.base import Attack, Yield, needs_metric
from ladderboard_lab.participant import Array, Briefing, Participant


@dataclass(frozen=True)
class SplitMembership(Attack):
    """Submit zeros, then zeros with one prediction of ``extreme``: the number moves iff that item is scored publicly.

    Metric: mean squared or absolute error. Breaks: mechanisms that tell every score. Expected against full disclosure:
    which items are public, one for each query; the two parts of the test set are then no longer alike to the attacker.
    Returns 1 for public, 0 for private and ½ where nothing was learnt, instead of predictions.
    """

    name: ClassVar[str] = "split_membership"
    yields: ClassVar[Yield] = "membership"
    extreme: float = 1e6

    def misfit(self, briefing: Briefing) -> str | None:
        return needs_metric(briefing, "mse", "mae")

    def run(self, participant: Participant, *, budget: int, rng: np.random.Generator) -> Array:
        items = participant.briefing.items
        told = [self._value_with(participant, None)]
        told += [self._value_with(participant, item) for item in range(min(budget - 1, items))]
        moved = np.array([value is not None and value != told[0] for value in told[1:]])
        member = np.full(items, 0.5)
        # Where no number ever moves the mechanism tells nothing, which is no evidence for a wholly private test set.
        if moved.any():
            member[: len(moved)] = moved
        return member

    def _value_with(self, participant: Participant, item: int | None) -> float | None:
        trial = np.zeros(participant.briefing.items)
        if item is not None:
            trial[item] = self.extreme
        return participant.submit(trial).value
