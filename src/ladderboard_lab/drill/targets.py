"""Grounds: what an attack's gain is measured against, on a copy of one's own and on somebody's test server."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

import ladderboard as lb
from ladderboard.competition import Competition
from ladderboard.tabular import SubmissionFormat
from ladderboard_lab.attacks import ATTACKS
from ladderboard_lab.attacks.base import Attack
from ladderboard_lab.attacks.hill_climb import HillClimb
from ladderboard_lab.attacks.repeat_averaging import RepeatAveraging
from ladderboard_lab.drill.http_participants import HttpParticipant
from ladderboard_lab.drill.meter import Stated, room_above, stated_for, yardstick_from_outside
from ladderboard_lab.drill.problem import DrillProblem
from ladderboard_lab.metric_adapters import SHIFT, AdaptedAttack, MetricAdapter, adapter_for
from ladderboard_lab.participant import Array, Briefing

Revealed = tuple[float | None, float]
"""A share of labels or of the split, None where none was looked for; and the standard deviation of guessing it."""


class Target(Protocol):
    """Where attacks are made."""

    @property
    def briefing(self) -> Briefing:
        """What the attacker is told."""

    def costume(self) -> MetricAdapter | None:
        """In which two-class attacks can be run on this metric."""

    def overfit(self, stranger: HttpParticipant) -> float | None:
        """How much better the number on the board is than the truth; None where the board shows no number."""

    def told(self, everyone: Sequence[HttpParticipant]) -> Stated:
        """The bits of all that was told to one attacker, and the overfit bound they imply; None: not stated."""

    def room(self) -> float | None:
        """How much there is to gain at most, from no skill to a perfect score; None where that is not known."""

    def standard_error(self, stranger: HttpParticipant) -> float | None:
        """Of one score without skill; None where that is not known."""

    def revealed(self, attack: Attack, result: Array) -> Revealed:
        """Of labels or of the split, where the attack was after them: 1 is all, 0 is guessing; and chance's share."""


@dataclass(frozen=True, eq=False)
class KnownTarget:
    """A copy with shuffled labels: the truth about every submission is known."""

    problem: DrillProblem
    competition: Competition

    @property
    def briefing(self) -> Briefing:
        return self.problem.briefing

    def costume(self) -> MetricAdapter | None:
        return adapter_for(self.problem)

    def overfit(self, stranger: HttpParticipant) -> float | None:
        if stranger.shown is None:
            return None
        if stranger.best is None:
            loss = self.briefing.loss
            return loss(self.problem.true_baseline_score()) - loss(stranger.shown)
        return self.problem.overfit(stranger.best, stranger.shown)

    def told(self, everyone: Sequence[HttpParticipant]) -> Stated:
        rules = self.competition.rules
        ranks = rules.ranks if rules.instances == "rank" else 0
        return stated_for(everyone, self.competition.mechanism, self.competition.public.yardstick, ranks=ranks)

    def room(self) -> float | None:
        yardstick = self.competition.public.yardstick
        return room_above(
            self.problem.true_baseline_score(), yardstick.bounds, lower_is_better=yardstick.lower_is_better
        )

    def standard_error(self, stranger: HttpParticipant) -> float | None:
        return self.competition.public.yardstick.null_standard_error

    def revealed(self, attack: Attack, result: Array) -> Revealed:
        problem = self.problem
        if attack.yields == "membership":
            return _share(result, np.isin(np.arange(len(result)), problem.public))
        if attack.yields == "labels" and problem.briefing.classes == 2:
            return _share(result[problem.public], problem.labels[problem.public])
        return None, 0.0


@dataclass(frozen=True, eq=False)
class BlindTarget:
    """A server whose labels nobody here knows: what attacks gain is measured against the published baseline.

    An attack has no skill, so that whatever it shows beyond predictions without skill is luck or leakage. The meter is
    the organiser's; where the rules and the intervals of releases tell enough, it is read from outside.
    """

    briefing: Briefing
    format: SubmissionFormat
    baseline: float
    mechanism: "lb.Mechanism | None" = None
    """As the rules name it; None where it is not known here."""
    ranks: int = 0
    """Of a board with one instance per rank, else 0."""

    def costume(self) -> MetricAdapter | None:
        """What can be made without knowing any label; None where predictions are numbers of an unknown scale."""
        guesses = self._guesses()
        if guesses is None:
            return None
        briefing = replace(self.briefing, metric="error_rate", lower_is_better=True, classes=2)
        takes_constants = self.format.takes in ("classes", "probabilities")
        chance = self.briefing.loss(self.baseline)
        return MetricAdapter(*guesses, briefing, self.briefing.lower_is_better, takes_constants, chance)

    def _guesses(self) -> tuple[Array, Array] | None:
        takes = self.format.takes
        if takes in ("classes", "two_classes"):
            return np.asarray(0), np.asarray(1)
        if takes in ("scores", "survival"):
            return np.asarray(0.0), np.asarray(1.0)
        if takes != "probabilities":
            return None
        classes = max(2, len(self.format.classes))
        shift = SHIFT / self.briefing.items**0.5 / classes
        low, high = np.full(classes, 1 / classes), np.full(classes, 1 / classes)
        low[-2:] += (shift / 2, -shift / 2)
        high[-2:] += (-shift / 2, shift / 2)
        return (low, high) if len(self.format.prediction_columns) > 1 else (low[1], high[1])

    def overfit(self, stranger: HttpParticipant) -> float | None:
        loss = self.briefing.loss
        return None if stranger.shown is None else loss(self.baseline) - loss(stranger.shown)

    def told(self, everyone: Sequence[HttpParticipant]) -> Stated:
        yardstick = self._yardstick(everyone[0])
        if self.mechanism is None or yardstick is None:
            return None, None
        return stated_for(everyone, self.mechanism, yardstick, ranks=self.ranks)

    def room(self) -> float | None:
        metric = lb.METRICS.get(self.briefing.metric)
        if metric is None:
            return None
        return room_above(self.baseline, metric.bounds, lower_is_better=metric.lower_is_better)

    def standard_error(self, stranger: HttpParticipant) -> float | None:
        if stranger.interval is None:
            return None
        low, high = stranger.interval
        return (high - low) / (2 * 1.96) or None

    def _yardstick(self, stranger: HttpParticipant) -> "lb.Yardstick | None":
        if stranger.shown is None or stranger.interval is None:
            return None
        metric, rows = self.briefing.metric, self.briefing.items
        return yardstick_from_outside(metric, self.baseline, rows, value=stranger.shown, interval=stranger.interval)

    def revealed(self, attack: Attack, result: Array) -> Revealed:
        return None, 0.0


DRILLED: dict[str, Attack] = {name: kind() for name, kind in ATTACKS.items()} | {
    "hill_climb": HillClimb(flips=None),
    "pair_flip": HillClimb(flips=2),
    "near_duplicate_averaging": RepeatAveraging(near_duplicates=True),
}
"""Every attack of the laboratory, and those of its settings that are attacks of their own."""


def fitting_attacks(ground: Target) -> dict[str, Attack]:
    """Every attack that fits the metric, as it is or in a costume, by name."""
    fitting: dict[str, Attack] = {}
    costume = ground.costume()
    for name, attack in DRILLED.items():
        if attack.misfit(ground.briefing) is None:
            fitting[name] = attack
        elif costume is not None and attack.misfit(costume.briefing) is None:
            fitting[name] = AdaptedAttack(attack, costume)
    return fitting


def _share(claimed: Array, truth: Array) -> Revealed:
    """What is right less what is wrong, as a share of all; and its standard deviation for guesses on as many items."""
    signs = np.sign(2.0 * claimed - 1)
    return float(np.mean(signs * (2.0 * truth - 1))), float(np.sqrt(np.count_nonzero(signs)) / len(signs))
