"""Split membership: an extreme value on one item moves the score if and only if the item is public."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ladderboard_lab.attacks.base import Attack, Yield, needs_metric
from ladderboard_lab.participant import Array, Briefing, Participant


@dataclass(frozen=True)
class SplitMembership(Attack):
    """Submit zeros, then zeros with one prediction of ``extreme``: what is told differs iff that item is public.

    Either the number moves, or, on a board that takes what agrees on the public items for a repetition, the count of
    attempts stands still where the item is private.

    Metric: (root) mean squared or absolute error. Breaks: mechanisms that tell every score, and hosts that recognise
    repetitions by the public items alone. Expected against full disclosure: which items are public, one for each query;
    the two parts of the test set are then no longer alike to the attacker. Returns 1 for public, 0 for private and ½
    where nothing was learnt, instead of predictions.
    """

    name: ClassVar[str] = "split_membership"
    heading: ClassVar[str] = "split"
    yields: ClassVar[Yield] = "membership"
    extreme: float = 1e6

    def misfit(self, briefing: Briefing) -> str | None:
        return needs_metric(briefing, "mse", "rmse", "mae")

    def run(self, participant: Participant, *, budget: int, rng: np.random.Generator) -> Array:
        items = participant.briefing.items
        told = [participant.submit(np.zeros(items))]
        for item in range(min(budget - 1, items)):
            trial = np.zeros(items)
            trial[item] = self.extreme
            told.append(participant.submit(trial))
        member = np.full(items, 0.5)
        for differs in (
            np.array([release.value != told[0].value for release in told[1:]]),
            np.array([release.attempt != told[0].attempt for release in told[1:]]),
        ):
            # What is the same for all items tells nothing of any.
            if differs.any() and not differs.all():
                member[: len(differs)] = differs
        return member
