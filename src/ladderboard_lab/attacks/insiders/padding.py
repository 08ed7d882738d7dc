"""Padding: pay the gate's step with known labels, so that it lets any lucky block of unknown ones pass."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ladderboard_lab.attacks.base import Attack
from ladderboard_lab.attacks.insiders.insider import HALF, Insider, needs_known_labels
from ladderboard_lab.participant import Array, Briefing, Participant


@dataclass(frozen=True)
class Padding(Attack):
    """The padded hill-climb: flip ``block`` of the unknown items (at least 2), repair known ones; redraw what fails.

    Repairs make up for the gate's step, so that the gate decides on the luck of the block; the price follows the
    rejections until the known labels last just as long as the budget: with many attempts for each accept, only the
    luckiest of many blocks passes.

    Metric: error rate, two classes, and labels known from outside. Breaks: gates that test on the items they report on.
    Expected overfit with blocks of H items: about .4√(H·blocks)/n when each block is drawn once, and √(2 ln r)/.8 times
    as much when the best of r is taken. Measured figures: docs/theory/attacks.md.
    """

    name: ClassVar[str] = "padding"
    block: float = 0.1

    @classmethod
    def settings(cls) -> tuple["Padding", ...]:
        return (cls(0.0), cls(0.01), cls(0.1), cls(0.5))

    @property
    def known_share(self) -> float:
        return HALF

    def misfit(self, briefing: Briefing) -> str | None:
        return needs_known_labels(briefing)

    def run(self, participant: Participant, *, budget: int, rng: np.random.Generator) -> Array:
        insider = Insider(participant, budget, rng)
        size = max(2, round(self.block * len(insider.unknown)))
        while insider.left > 0 and insider.has_entered:
            gamble = insider.gamble
            gamble[rng.choice(len(gamble), size=min(size, len(gamble)), replace=False, shuffle=False)] ^= 1
            insider.attempt(gamble, aim=insider.even_share(budget=insider.left, reserve=insider.reserve))
        return insider.incumbent
