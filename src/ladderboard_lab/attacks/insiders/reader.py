"""Reader: buy accepts with known labels, read each number as a measurement of the witnesses, submit what they say."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ladderboard_lab.attacks.base import Attack
from ladderboard_lab.attacks.insiders.insider import Insider, needs_known_labels
from ladderboard_lab.attacks.insiders.posterior import Posterior
from ladderboard_lab.participant import Array, Briefing, FloatArray, Participant

FOCUS = 4.0
"""How much more the posterior counts than chance once numbers are no longer bought but cashed in."""


@dataclass(frozen=True)
class Reader(Attack):
    """Keep a posterior over the unknown labels, gamble on its side, pay the gate with known ones, stop when flattered.

    In every attempt a share ``batch`` of the unknown items is drawn anew, towards the posterior mean plus ``trust`` in
    what the gate has accepted so far; known labels are repaired at a price that makes them last as long as the budget.
    Each accepted number is one more reading. With the last ``kept`` share of the repairs the draws follow the posterior
    closely, and the attacker leaves at the first number that flatters more than all before.

    Metric: error rate, two classes, and a share ``known`` of the labels. Breaks: nothing wholly; it is the strongest
    attack known against the Witness Ladder. L readings of H unknown items on the witness half are worth at most
    .4√(2·L·H)/n, and overfitting the deciding half the benefit of one standard error besides; L is what known labels
    can pay for, and hardly depends on the number of attempts. Measured figures: docs/theory/attacks.md.
    """

    name: ClassVar[str] = "reader"
    batch: float = 0.4
    trust: float = 0.1
    kept: float = 0.3
    known: float = 0.4

    @classmethod
    def settings(cls) -> tuple["Reader", ...]:
        return (cls(), cls(batch=0.2), cls(trust=0.5), cls(kept=0.5), cls(known=0.3), cls(known=0.5))

    @property
    def known_share(self) -> float:
        return self.known

    def misfit(self, briefing: Briefing) -> str | None:
        return needs_known_labels(briefing)

    def run(self, participant: Participant, *, budget: int, rng: np.random.Generator) -> Array:
        posterior = make_posterior(participant.briefing)
        return self.climb(Insider(participant, budget, rng), posterior)

    def climb(self, insider: Insider, posterior: Posterior, *, cashes_in: bool = True) -> Array:
        """Attack from one account, reading and writing the posterior; returns its last accepted submission."""
        if not insider.has_entered:
            return insider.incumbent
        most, kept = -np.inf, self.kept * insider.reserve if cashes_in else 0.0
        mean = read_number(insider, posterior)
        while insider.left > 0 and insider.reserve >= insider.price:
            is_late = insider.reserve <= kept
            gamble = self._draw(insider, mean, focus=FOCUS if is_late else 1.0)
            if insider.attempt(gamble, aim=insider.even_share(budget=insider.left, reserve=insider.reserve)):
                mean = read_number(insider, posterior)
                if is_late and insider.shown_overfit > most:
                    break
                most = max(most, insider.shown_overfit)
        return insider.incumbent

    def _draw(self, insider: Insider, mean: FloatArray, *, focus: float) -> Array:
        unknown, rng = insider.unknown, insider.rng
        leaning = mean[unknown] / (float(np.std(mean[unknown])) or 1.0) + self.trust * (2.0 * insider.gamble - 1.0)
        drawn = (focus * leaning + rng.standard_normal(len(unknown)) > 0).astype(np.int8)
        return np.where(rng.random(len(unknown)) < self.batch, drawn, insider.gamble)


def make_posterior(briefing: Briefing) -> Posterior:
    """What an insider believes before the first number."""
    mean, variance = np.zeros(briefing.items), np.full(briefing.items, 2.0)
    mean[briefing.known_items], variance[briefing.known_items] = 2.0 * briefing.known_labels - 1.0, 1.0
    return Posterior(mean, variance, scale=2 * briefing.items)


def read_number(insider: Insider, posterior: Posterior) -> FloatArray:
    """Add the insider's accepted number, a loss of ½ − x·u/(2n), to the posterior; returns its mean."""
    loss, items = insider.shown, len(insider.incumbent)
    assert loss is not None
    posterior.add(2 * insider.incumbent.astype(np.float64) - 1, items - 2 * items * loss, value=loss)
    return posterior.compute_mean()
