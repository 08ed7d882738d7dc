"""Boosting under the clipped log loss: the vote of random vectors, cast as cautious probabilities."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ladderboard_lab.attacks.base import Attack, needs_metric
from ladderboard_lab.participant import Array, Briefing, Participant


@dataclass(frozen=True)
class LogLossBoosting(Attack):
    """Submit k random vectors of ½ ± ``boldness``, keep those that scored no worse than chance, take the majority.

    A vector with a share w of wrong items has the loss −w·ln(½ − s) − (1 − w)·ln(½ + s): the log loss tells the error
    rate, and the boosting attack works as under the 0/1 loss. The final vector is the majority at the same boldness.

    Metric: log loss. Breaks: mechanisms that tell every score. Expected error rate of the final vector against full
    disclosure: ½ − (Φ(√(k/(πn))) − ½).

    Reference: Blum & Hardt 2015, The Ladder, section 5, which states that the attack generalises to this loss.
    """

    name: ClassVar[str] = "log_loss_boosting"
    heading: ClassVar[str] = "log-loss boosting"
    boldness: float = 0.25

    def misfit(self, briefing: Briefing) -> str | None:
        return needs_metric(briefing, "log_loss") or (None if briefing.classes == 2 else "needs two classes")

    def run(self, participant: Participant, *, budget: int, rng: np.random.Generator) -> Array:
        votes = np.zeros(participant.briefing.items)
        for _ in range(budget):
            guess = rng.choice([-1.0, 1.0], participant.briefing.items)
            value = participant.submit(0.5 + self.boldness * guess).value
            votes += guess * (value is not None and value <= self.chance)
        ties = rng.choice([-1.0, 1.0], len(votes))
        return np.asarray(0.5 + self.boldness * np.sign(np.where(votes == 0, ties, votes)))

    @property
    def chance(self) -> float:
        """The loss of a vector that is wrong on exactly half of the items, with room for the last released digit."""
        return float(-0.5 * (np.log(0.5 - self.boldness) + np.log(0.5 + self.boldness))) + 1e-9
