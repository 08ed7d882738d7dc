"""Hill-climb: flip a few items of the best submission, keep what the board calls better."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ladderboard_lab.attacks.base import Attack, needs_two_classes, random_classes
from ladderboard_lab.participant import Array, Briefing, Participant

SUCCESS_RATE = 0.2
"""The share of accepts the adaptive flip size aims at: the one-fifth rule of evolution strategies (Rechenberg 1973)."""


@dataclass(frozen=True)
class HillClimb(Attack):
    """Flip ``flips`` random items of the incumbent, keep the result where it was accepted; flips = 2 is the pair flip.

    ``adaptive``: the number of flips grows by a half after an accept and shrinks after rejections, so that about one
    attempt in five is accepted; ``flips`` is then where it starts.

    Metric: error rate, two classes. Breaks: gates whose step shrinks with the difference between two submissions. The
    parameter-free Ladder accepts exactly the pairs of which both items were wrong (gain 2/n, step √2/n): with a share w
    of wrong items that is w² of the attempts, so w falls by 2w²/n in each, from ½ to n/(2(n + k)). Expected overfit of
    the pair flip: k/(2(n + k)), that is .357 for n = 4000, k = 10⁴. Full disclosure falls to it as fast.
    """

    name: ClassVar[str] = "hill_climb"
    flips: int = 2
    adaptive: bool = False

    @classmethod
    def settings(cls) -> tuple["HillClimb", ...]:
        return (cls(), cls(flips=16), cls(flips=32, adaptive=True))

    def misfit(self, briefing: Briefing) -> str | None:
        return needs_two_classes(briefing)

    def run(self, participant: Participant, *, budget: int, rng: np.random.Generator) -> Array:
        best = random_classes(participant.briefing, rng)
        participant.submit(best)
        flips = float(self.flips)
        for _ in range(budget - 1):
            trial = best.copy()
            chosen = rng.choice(len(best), size=min(round(flips), len(best)), replace=False, shuffle=False)
            trial[chosen] ^= 1
            accepted = participant.submit(trial).accepted
            best = trial if accepted else best
            flips = self._adapted(flips, accepted, len(best))
        return best

    def _adapted(self, flips: float, accepted: bool, items: int) -> float:
        if not self.adaptive:
            return flips
        factor = 1.5 if accepted else 1.5 ** (-SUCCESS_RATE / (1 - SUCCESS_RATE))
        return float(np.clip(flips * factor, 1, items / 2))
