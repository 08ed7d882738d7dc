"""Cashing reader: read the witnesses at the price of true proofs, then strike for a false "improved"."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ladderboard_lab.attacks.base import Attack
from ladderboard_lab.attacks.insiders.insider import Insider, needs_known_labels
from ladderboard_lab.attacks.insiders.posterior import Posterior
from ladderboard_lab.attacks.insiders.reader import make_posterior, read_number
from ladderboard_lab.participant import Array, Briefing, Participant


@dataclass(frozen=True)
class CashingReader(Attack):
    """Pay for readings with so many known labels that each is truly proven; then gamble on what they say.

    Every reading redraws a share ``batch`` of the unknown items and repairs ``pay``·√n known ones: enough to be called
    improved, rightly, so that no test fails and the next one keeps its level. After ``readings`` of them, or when the
    known labels run out, up to ``strikes`` candidates are sent that follow the posterior on a share ``reach`` of the
    unknown items (``focus`` times more than chance) and leave the known ones as they are in the proven entry. Their
    true loss is not below its, so that "improved" for one of them is false. One that is accepted without the word is
    one more reading, for free.

    Metric: error rate, two classes, and a share ``known`` of the labels. Breaks: a word whose level comes back after
    every proof, or lasts without paying for readings. Measured figures: docs/theory/attacks.md.
    """

    name: ClassVar[str] = "cashing_reader"
    batch: float = 0.1
    pay: float = 0.95
    readings: int = 60
    strikes: int = 600
    focus: float = 8.0
    reach: float = 1.0
    known: float = 0.7

    @classmethod
    def settings(cls) -> tuple["CashingReader", ...]:
        return (
            cls(),
            cls(focus=2.0),
            cls(reach=0.5),
            cls(readings=8),
            cls(known=0.5, batch=0.15, pay=1.4),
            cls(known=0.4),
        )

    @property
    def known_share(self) -> float:
        return self.known

    def misfit(self, briefing: Briefing) -> str | None:
        return needs_known_labels(briefing)

    def run(self, participant: Participant, *, budget: int, rng: np.random.Generator) -> Array:
        price = round(self.pay * math.sqrt(participant.briefing.items))
        insider = Insider(participant, budget, rng, first_repairs=price)
        posterior = make_posterior(participant.briefing)
        if not insider.has_entered:
            return insider.incumbent
        read_number(insider, posterior)
        reads = self.readings
        while insider.left > 0 and insider.reserve >= price:
            if insider.accepts >= reads and insider.proven is not None:
                if self._strike(insider, posterior):
                    return insider.incumbent
                reads = insider.accepts + 4
            if insider.submit(self._redraw(insider), repairs=price):
                read_number(insider, posterior)
        if insider.proven is not None:
            self._strike(insider, posterior)
        return insider.incumbent

    def _redraw(self, insider: Insider) -> Array:
        """A share of the unknown items anew, by chance: what is not yet cashed in stays to be cashed in at once."""
        unknown, rng = len(insider.unknown), insider.rng
        return np.where(rng.random(unknown) < self.batch, rng.integers(0, 2, unknown, dtype=np.int8), insider.gamble)

    def _strike(self, insider: Insider, posterior: Posterior) -> bool:
        """Send candidates without a repair; whether one was called improved."""
        assert insider.proven is not None
        mean, words, rng = posterior.compute_mean()[insider.unknown], insider.words, insider.rng
        for _ in range(min(self.strikes, insider.left)):
            leaning = self.focus * mean / (float(np.std(mean)) or 1.0) + rng.standard_normal(len(mean))
            followed = rng.random(len(mean)) < self.reach
            gamble = np.where(followed, leaning > 0, insider.proven[insider.unknown]).astype(np.int8)
            if insider.return_to_proven(gamble):
                mean = read_number(insider, posterior)[insider.unknown]
                if insider.words > words:
                    return True
        return False
