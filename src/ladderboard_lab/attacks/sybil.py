"""Sybil: many accounts, each of which gets a first reading of the holdout for nothing."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ladderboard_lab.attacks.base import Attack, majority, needs_two_classes, random_classes
from ladderboard_lab.participant import Array, Briefing, Participant


@dataclass(frozen=True)
class Sybil(Attack):
    """Submit one uniform 0/1 vector from each of M accounts, at most ``accounts``; weigh the accepted by their number.

    Metric: error rate, two classes. Breaks: every mechanism with an instance per team. Where the first submission is
    accepted, M accounts are M exact readings: expected overfit Φ(√(M/n)) − ½, as weighted boosting has it against full
    disclosure. Where it is tested against a baseline, a share α of the accounts passes by luck; what passes is lucky on
    the gate and a reading of the witnesses, so an accepted vector also gets ``trust`` standard deviations of the
    accepted numbers as weight.

    A board with one instance per rank, or accounts that cost something, is the remedy; a mechanism is not.
    """

    name: ClassVar[str] = "sybil"
    accounts: int = 1000
    trust: float = 1.0

    def misfit(self, briefing: Briefing) -> str | None:
        return needs_two_classes(briefing)

    def run(self, participant: Participant, *, budget: int, rng: np.random.Generator) -> Array:
        guesses, losses = [], []
        accounts = min(self.accounts, budget)
        for number in range(accounts):
            guess = random_classes(participant.briefing, rng)
            release = participant.account(f"sybil-{number}").submit(guess)
            if release.accepted and release.value is not None:
                guesses.append(guess)
                losses.append(release.value)
        if not guesses:
            return random_classes(participant.briefing, rng)
        return majority(self._weights(losses, accounts) @ (np.array(guesses) - 0.5), rng)

    def _weights(self, losses: list[float], accounts: int) -> Array:
        centred = np.mean(losses) - np.array(losses)
        if len(losses) == accounts:  # nobody was refused, so that an accept is no merit
            return np.asarray(0.5 - np.array(losses))
        return np.asarray(centred + self.trust * max(float(np.std(losses)), 1e-9))
