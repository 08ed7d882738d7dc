"""Combo: padding and look together; the gate picks lucky gambles, and their numbers are read as well."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ladderboard_lab.attacks.base import Attack, majority
from ladderboard_lab.attacks.insiders.insider import HALF, Insider, Readings, needs_known_labels
from ladderboard_lab.attacks.insiders.look import insist
from ladderboard_lab.participant import Array, Briefing, FloatArray, Participant

POLISH_BUDGET, POLISH_RESERVE = 0.3, 0.35
"""What is left of attempts and of known labels for the second stage."""
FOCUS = 3.0
"""In the second stage a gamble differs from the best guess where noise is FOCUS standard deviations stronger."""
LAST_ATTEMPTS = 30


@dataclass(frozen=True)
class Combo(Attack):
    """Redraw gambles until lucky ones pass, read the numbers, gamble on around the best guess, stop when it is shown.

    Stage one: ``block`` of the unknown items (1: all) is redrawn uniformly; the price of repairs is such that the known
    labels last as long as the budget, so that each accepted gamble is the luckiest of many on the items that decide.
    Its number is a reading of the items that bear witness. The best guess weighs both: the readings, and ``trust`` in
    having been accepted. Stage two: gambles near the best guess, with the rest of the labels, and a stop at the first
    number that flatters more than all before it once half of that rest is spent: the board shows the latest number, so
    an attacker can leave in time.

    Metric: error rate, two classes, and labels known from outside. Breaks: nothing wholly; of the attacks from a single
    account here it is the strongest against the Witness Ladder, whose deciding half can be overfitted for the benefit
    of one standard error while the witnesses are read. Expected overfit: that benefit, SE, and at most
    .4√(L·H/2)/(n/2) from L readings with H unknown items. Measured figures: docs/theory/attacks.md.
    """

    name: ClassVar[str] = "combo"
    trust: float = 0.8
    block: float = 1.0

    @classmethod
    def settings(cls) -> tuple["Combo", ...]:
        return (cls(0.8), cls(2.0), cls(2.0, block=0.1))

    @property
    def known_share(self) -> float:
        return HALF

    def misfit(self, briefing: Briefing) -> str | None:
        return needs_known_labels(briefing)

    def run(self, participant: Participant, *, budget: int, rng: np.random.Generator) -> Array:
        insider = Insider(participant, budget, rng)
        readings = Readings(insider)
        reserve = round(POLISH_RESERVE * insider.reserve)
        self._explore(insider, readings, until=round(POLISH_BUDGET * budget), reserve=reserve)
        if len(readings) > 1 and insist(insider, self._best_guess(readings, rng)):
            readings.take()
            self._polish(insider, readings)
        return insider.incumbent

    def _explore(self, insider: Insider, readings: Readings, *, until: int, reserve: int) -> None:
        while insider.has_entered and insider.left > until and insider.reserve - insider.price > reserve:
            gamble, spendable = self._redrawn(insider), insider.reserve - reserve
            if insider.attempt(gamble, aim=insider.even_share(budget=insider.left - until, reserve=spendable)):
                readings.take()

    def _redrawn(self, insider: Insider) -> Array:
        fresh = insider.rng.integers(0, 2, len(insider.unknown), dtype=np.int8)
        return np.where(insider.rng.random(len(fresh)) < self.block, fresh, insider.gamble)

    def _polish(self, insider: Insider, readings: Readings) -> None:
        most, half = insider.shown_overfit, insider.reserve / 2
        leaning = self._scale(readings)
        while insider.left > LAST_ATTEMPTS and insider.reserve > insider.price:
            gamble = (FOCUS * leaning + insider.rng.standard_normal(len(leaning)) > 0).astype(np.int8)
            if insider.attempt(gamble, aim=insider.even_share(budget=insider.left, reserve=insider.reserve)):
                readings.take()
                leaning = self._scale(readings)
                if insider.reserve < half and insider.shown_overfit > most:
                    return
                most = max(most, insider.shown_overfit)
        insist(insider, self._best_guess(readings, insider.rng))

    def _best_guess(self, readings: Readings, rng: np.random.Generator) -> Array:
        return majority(readings.consensus(trust=self.trust), rng)

    def _scale(self, readings: Readings) -> FloatArray:
        leaning = readings.consensus(trust=self.trust)
        return np.asarray(leaning / (float(np.std(leaning)) or 1.0))
