"""Targets of a drill's attacks: a copy with known labels, or a remote server."""

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
from ladderboard_lab.drill.leakage_bounds import StatedBound, compute_bound, compute_room, infer_yardstick
from ladderboard_lab.metric_adapters import SHIFT, AdaptedAttack, MetricAdapter, make_adapter
from ladderboard_lab.participant import Array, Briefing
from ladderboard_lab.problems.base import Problem

Revealed = tuple[float | None, float]
"""A share of labels or of the split, None where none was looked for; and the standard deviation of guessing it."""


class DrillTarget(Protocol):
    """A target of attacks."""

    @property
    def briefing(self) -> Briefing:
        """The attacker's public facts."""

    def make_adapter(self) -> MetricAdapter | None:
        """Make the adapter through which two-class attacks run on this metric; None if there is none."""

    def measure_overfit(self, participant: HttpParticipant) -> float | None:
        """Measure how much better the score shown is than the truth; None if no score is shown."""

    def measure_leakage(self, everyone: Sequence[HttpParticipant]) -> StatedBound:
        """Measure the bits released to one attacker and the overfit bound they imply; None: not stated."""

    def measure_room(self) -> float | None:
        """Measure the largest possible gain, from no skill to a perfect score; None if unknown."""

    def estimate_standard_error(self, participant: HttpParticipant) -> float | None:
        """Estimate the standard error of a score without skill; None if unknown."""

    def measure_revealed(self, attack: Attack, result: Array) -> Revealed:
        """Measure the share of labels or split revealed (1 all, 0 guessing), and its standard deviation by chance."""


@dataclass(frozen=True, eq=False)
class KnownTarget:
    """A copy with shuffled labels, where the true score of every submission is known."""

    problem: Problem
    competition: Competition

    @property
    def briefing(self) -> Briefing:
        return self.problem.briefing

    def make_adapter(self) -> MetricAdapter | None:
        return make_adapter(self.problem)

    def measure_overfit(self, participant: HttpParticipant) -> float | None:
        if participant.shown is None:
            return None
        if participant.best is None:
            loss = self.briefing.loss
            return loss(self.problem.true_baseline_score()) - loss(participant.shown)
        return self.problem.overfit(participant.best, participant.shown)

    def measure_leakage(self, everyone: Sequence[HttpParticipant]) -> StatedBound:
        rules = self.competition.rules
        ranks = rules.ranks if rules.instances == "rank" else 0
        return compute_bound(everyone, self.competition.mechanism, self.competition.public.yardstick, ranks=ranks)

    def measure_room(self) -> float | None:
        yardstick = self.competition.public.yardstick
        return compute_room(
            self.problem.true_baseline_score(), yardstick.bounds, lower_is_better=yardstick.lower_is_better
        )

    def estimate_standard_error(self, participant: HttpParticipant) -> float | None:
        return self.competition.public.yardstick.null_standard_error

    def measure_revealed(self, attack: Attack, result: Array) -> Revealed:
        problem = self.problem
        if attack.yields == "membership":
            return _share(result, np.isin(np.arange(len(result)), problem.public))
        if attack.yields == "labels" and problem.briefing.classes == 2:
            return _share(result[problem.public], problem.labels[problem.public])
        return None, 0.0


@dataclass(frozen=True, eq=False)
class BlindTarget:
    """A remote server with unknown labels, where gains are measured against the published baseline.

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

    def make_adapter(self) -> MetricAdapter | None:
        """Make an adapter without knowing labels; None if predictions are numbers of unknown scale."""
        guesses = self._guesses()
        if guesses is None:
            return None
        briefing = replace(self.briefing, metric="error_rate", lower_is_better=True, classes=2)
        takes_constants = self.format.takes in ("classes", "probabilities", "labels")
        chance = self.briefing.loss(self.baseline)
        return MetricAdapter(*guesses, briefing, self.briefing.lower_is_better, takes_constants, chance)

    def _guesses(self) -> tuple[Array, Array] | None:
        takes, columns = self.format.takes, len(self.format.prediction_columns)
        if self.format.is_table and takes != "numbers":
            return np.zeros(columns), np.ones(columns)
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

    def measure_overfit(self, participant: HttpParticipant) -> float | None:
        loss = self.briefing.loss
        return None if participant.shown is None else loss(self.baseline) - loss(participant.shown)

    def measure_leakage(self, everyone: Sequence[HttpParticipant]) -> StatedBound:
        yardstick = self._yardstick(everyone[0])
        if self.mechanism is None or yardstick is None:
            return None, None
        return compute_bound(everyone, self.mechanism, yardstick, ranks=self.ranks)

    def measure_room(self) -> float | None:
        metric = lb.METRICS.get(self.briefing.metric)
        if metric is None:
            return None
        return compute_room(self.baseline, metric.bounds, lower_is_better=metric.lower_is_better)

    def estimate_standard_error(self, participant: HttpParticipant) -> float | None:
        if participant.interval is None:
            return None
        low, high = participant.interval
        return (high - low) / (2 * 1.96) or None

    def _yardstick(self, participant: HttpParticipant) -> "lb.Yardstick | None":
        if participant.shown is None or participant.interval is None or self.mechanism is None:
            return None
        metric, rows = self.briefing.metric, self.briefing.items
        return infer_yardstick(
            metric,
            self.baseline,
            rows,
            value=participant.shown,
            interval=participant.interval,
            share=self.mechanism.witness_share(),
        )

    def measure_revealed(self, attack: Attack, result: Array) -> Revealed:
        return None, 0.0


DRILLED: dict[str, Attack] = {name: kind() for name, kind in ATTACKS.items()} | {
    "hill_climb": HillClimb(flips=None),
    "pair_flip": HillClimb(flips=2),
    "near_duplicate_averaging": RepeatAveraging(near_duplicates=True),
}
"""Every attack of the laboratory, and those of its settings that are attacks of their own."""


def find_attacks(target: DrillTarget) -> dict[str, Attack]:
    """Find every attack that fits the metric, directly or through an adapter, by name."""
    fitting: dict[str, Attack] = {}
    adapter = target.make_adapter()
    for name, attack in DRILLED.items():
        if attack.misfit(target.briefing) is None:
            fitting[name] = attack
        elif adapter is not None and attack.misfit(adapter.briefing) is None:
            fitting[name] = AdaptedAttack(attack, adapter)
    return fitting


def _share(claimed: Array, truth: Array) -> Revealed:
    """Compute the share of right minus wrong guesses, and its standard deviation by chance."""
    signs = np.sign(2.0 * claimed - 1)
    return float(np.mean(signs * (2.0 * truth - 1))), float(np.sqrt(np.count_nonzero(signs)) / len(signs))
