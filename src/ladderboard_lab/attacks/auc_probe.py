"""AUC probe: raise one item above all others and see which way the AUC goes."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ladderboard_lab.attacks.base import Attack, Yield, needs_metric
from ladderboard_lab.participant import Array, Briefing, Participant


@dataclass(frozen=True)
class AucProbe(Attack):
    """Submit one item raised above all others, which are tied: AUC = ½ + 1/(2n₁) if positive, ½ − 1/(2n₀) if not.

    Metric: AUC. Breaks: mechanisms that tell every score with a precision finer than 1/n. Expected: every label in n
    queries, so that the final scores have an AUC of 1 where the true one is ½. Items of which nothing was told get a
    random score between.

    Reference: Whitehill 2016, Exploiting an oracle that reports AUC scores in machine learning contests (AAAI).
    """

    name: ClassVar[str] = "auc_probe"
    heading: ClassVar[str] = "AUC probe"
    yields: ClassVar[Yield] = "labels"

    def misfit(self, briefing: Briefing) -> str | None:
        return needs_metric(briefing, "auc")

    def run(self, participant: Participant, *, budget: int, rng: np.random.Generator) -> Array:
        items = participant.briefing.items
        found = rng.uniform(0.25, 0.75, items)
        for item in range(min(budget, items)):
            trial = np.zeros(items)
            trial[item] = 1.0
            value = participant.submit(trial).value
            if value is not None and value != 0.5:
                found[item] = float(value > 0.5)
        return found
