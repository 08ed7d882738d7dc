"""Sybil: many accounts, each of which gets a first reading of the holdout for nothing."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ladderboard_lab.attacks.base import Attack, majority, needs_two_classes
from ladderboard_lab.participant import Array, Briefing, FloatArray, Participant


@dataclass(frozen=True)
class Sybil(Attack):
    """Submit from each of M accounts, at most ``accounts``, a constant with a share ``flips`` of the items flipped.

    The accepted ones vote for their flips, weighted by how good their number is. Constants are tried because a board
    that starts from a baseline compares with one: what differs from it little is not much worse than it.

    Metric: error rate, two classes. Breaks: every mechanism with an instance per team. Where the first submission is
    accepted, M accounts are M exact readings: expected overfit Φ(√(M/n)) − ½, as weighted boosting has it against full
    disclosure. Where it is tested against a baseline, a share of almost α of the accounts passes by luck; what passes
    is lucky on the gate and a reading of the witnesses, so it also gets ``trust`` standard deviations of the accepted
    numbers as weight.

    A board with one instance per rank, or accounts that cost something, is the remedy; a mechanism is not.
    """

    name: ClassVar[str] = "sybil"
    has_many_accounts: ClassVar[bool] = True
    accounts: int = 1000
    flips: float = 0.1
    trust: float = 1.0

    def misfit(self, briefing: Briefing) -> str | None:
        return needs_two_classes(briefing)

    def run(self, participant: Participant, *, budget: int, rng: np.random.Generator) -> Array:
        items, accounts = participant.briefing.items, min(self.accounts, budget)
        votes = np.zeros(items)
        passed: tuple[list[_Reading], list[_Reading]] = ([], [])
        for number in range(accounts):
            # The constant that was accepted more often, mostly: only the baseline's own class gets past a baseline.
            constant = int(rng.random() < (len(passed[1]) + 1) / (len(passed[0]) + len(passed[1]) + 2))
            flipped = rng.random(items) < self.flips
            release = participant.account(f"sybil-{number}").submit(flipped ^ np.int8(constant))
            if release.accepted and release.value is not None:
                passed[constant].append(_Reading(flipped, release.value))
        was_tested = len(passed[0]) + len(passed[1]) < accounts
        for constant, readings in enumerate(passed):
            votes += (1 - 2 * constant) * self._votes_to_flip(readings, was_tested, items)
        return majority(votes, rng)

    def _votes_to_flip(self, readings: list["_Reading"], was_tested: bool, items: int) -> FloatArray:
        """For each item how much better the submissions were that flipped it."""
        if not readings:
            return np.zeros(items)
        losses = np.array([reading.loss for reading in readings])
        merit = losses.mean() - losses + (self.trust * float(np.std(losses)) if was_tested else 0.0)
        flipped = np.array([reading.flipped for reading in readings], dtype=np.float64)
        return np.asarray(merit @ (flipped - self.flips))


class _Reading(NamedTuple):
    """An accepted submission: which items it flipped, and the loss that was told."""

    flipped: Array
    loss: float
