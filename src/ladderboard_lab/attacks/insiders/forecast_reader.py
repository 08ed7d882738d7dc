"""Forecast reader: the reader for forecasts of 0/1 labels, which may differ as little as they like."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ladderboard_lab.attacks.base import Attack, needs_metric
from ladderboard_lab.attacks.insiders.insider import FIRST_REPAIRS, SPEED
from ladderboard_lab.attacks.insiders.posterior import Posterior
from ladderboard_lab.attacks.insiders.reader import FOCUS
from ladderboard_lab.participant import Array, Briefing, FloatArray, Participant

LOSSES: dict[str, Callable[[float], float]] = {
    "mse": lambda p: (1 - p) ** 2,
    "brier": lambda p: (1 - p) ** 2,
    "log_loss": lambda p: -math.log(p),
}
"""Metric → the loss of a forecast p of what is true."""
SURE = 0.99
"""The forecast of a label that the attacker knows and tells."""
ENTRY = 2.5
"""With how many times the repairs of an entry by classes it is tried: few items carry the difference."""


@dataclass(frozen=True)
class ForecastReader(Attack):
    """As the reader, but forecasts of unknown labels are only ``spread`` away from ½, and known ones almost certain.

    A forecast of ½ loses the same whatever is true, so that an incumbent near it has a small standard error and the
    gate asks for small steps: known labels, told one by one, pay for more accepts than on the error rate.

    Metric: MSE of 0/1 labels, Brier score or log loss, and a share ``known`` of the labels. Breaks: nothing wholly.
    Expected overfit: as many standard errors of the attacker's own forecasts as the reader gains, which is more in null
    standard errors where those are taken from more timid forecasts. Measured figures: docs/theory/attacks.md.
    """

    name: ClassVar[str] = "forecast_reader"
    spread: float = 0.2
    batch: float = 0.4
    trust: float = 0.1
    kept: float = 0.3
    known: float = 0.4

    @classmethod
    def settings(cls) -> tuple["ForecastReader", ...]:
        return (cls(), cls(spread=0.1), cls(spread=0.3))

    @property
    def known_share(self) -> float:
        return self.known

    def misfit(self, briefing: Briefing) -> str | None:
        if len(briefing.known_items) < FIRST_REPAIRS or not np.isin(briefing.known_labels, (0, 1)).all():
            return "needs a competitor who holds some labels, all of them 0 or 1"
        return needs_metric(briefing, *LOSSES)

    def run(self, participant: Participant, *, budget: int, rng: np.random.Generator) -> Array:
        forecaster = _Forecaster(participant, budget, rng)
        if not forecaster.enter():
            return forecaster.incumbent
        mean, most, kept = forecaster.read(), -np.inf, self.kept * forecaster.reserve
        while forecaster.left > 0 and forecaster.reserve >= forecaster.price:
            is_late = forecaster.reserve <= kept
            if forecaster.attempt(self._draw(forecaster, mean, focus=FOCUS if is_late else 1.0)):
                mean, overfit = forecaster.read(), forecaster.shown_overfit
                if is_late and overfit > most:
                    break
                most = max(most, overfit)
        return forecaster.incumbent

    def _draw(self, forecaster: "_Forecaster", mean: FloatArray, *, focus: float) -> FloatArray:
        """Distances from ½: a batch drawn anew on the posterior's side; all of them at first."""
        rng, before, leaning = forecaster.rng, forecaster.distances, mean[forecaster.unknown]
        leaning = leaning / (float(np.std(leaning)) or 1.0) + self.trust * np.sign(before)
        drawn = np.where(focus * leaning + rng.standard_normal(len(before)) > 0, self.spread, -self.spread)
        return np.where((before == 0) | (rng.random(len(before)) < self.batch), drawn, before)


class _Forecaster:
    """The state of the attack: known labels told so far, and distances of the other forecasts from ½."""

    def __init__(self, participant: Participant, budget: int, rng: np.random.Generator) -> None:
        briefing = participant.briefing
        self.participant, self.left, self.rng = participant, budget, rng
        order = rng.permutation(len(briefing.known_items))
        self._known, self._labels = briefing.known_items[order], briefing.known_labels[order]
        self.unknown = np.setdiff1d(np.arange(briefing.items), self._known)
        self.distances = np.zeros(len(self.unknown))
        self.price = briefing.items**0.5 / 8
        self.incumbent = np.full(briefing.items, 0.5)
        self._loss = LOSSES[briefing.metric]
        self._told, self._shown = 0, math.nan
        mean, variance = np.zeros(briefing.items), np.full(briefing.items, 2.0)
        mean[self._known], variance[self._known] = 1.0, 1.0
        self._posterior = Posterior(mean, variance, scale=briefing.items)

    @property
    def reserve(self) -> int:
        return len(self._known) - self._told

    @property
    def shown_overfit(self) -> float:
        """True loss minus the board's: of an unknown label either forecast is right half of the time."""
        return self._true_total() / len(self.incumbent) - self._shown

    def enter(self) -> bool:
        """Tell a few known labels, then more, until the baseline is beaten."""
        repairs = min(ENTRY * FIRST_REPAIRS, float(len(self._known)))
        while self.left > 0 and repairs <= len(self._known):
            if self._submit(self.distances, told=int(repairs)):
                return True
            repairs *= 1.4
        return False

    def attempt(self, distances: FloatArray) -> bool:
        """Submit these forecasts with as many labels more as the price says; then adapt it to the budget."""
        aim = float(np.clip(self.reserve / self.price / max(self.left, 1), 1e-4, 0.5))
        accepted = self._submit(distances, told=self._told + int(self.price + self.rng.random()))
        self.price *= math.exp(-SPEED * (1 - aim) if accepted else SPEED * aim)
        return accepted

    def read(self) -> FloatArray:
        """Add the last accepted number to the posterior; returns its mean."""
        direction = np.zeros(len(self.incumbent))
        direction[self.unknown] = self._half_gaps()
        direction[self._known[: self._told]] = self._loss(0.5) - self._loss(SURE)
        total = self._true_total() + self._told * (self._loss(0.5) - self._loss(SURE))
        self._posterior.add(direction, total - len(self.incumbent) * self._shown, value=self._shown)
        return self._posterior.compute_mean()

    def _half_gaps(self) -> FloatArray:
        """Half of what being right gains over being wrong, with the sign of the forecast."""
        return np.array([(self._loss(0.5 - d) - self._loss(0.5 + d)) / 2 for d in self.distances])

    def _true_total(self) -> float:
        uncertain = sum((self._loss(0.5 - d) + self._loss(0.5 + d)) / 2 for d in self.distances)
        return uncertain + self._told * self._loss(SURE) + self.reserve * self._loss(0.5)

    def _submit(self, distances: FloatArray, *, told: int) -> bool:
        trial = np.full(len(self.incumbent), 0.5)
        trial[self.unknown] += distances
        trial[self._known[:told]] = np.where(self._labels[:told] == 1, SURE, 1 - SURE)
        release = self.participant.submit(trial)
        self.left -= 1
        if release.accepted and release.value is not None:
            self.incumbent, self.distances, self._shown = trial, distances, release.value
            self._told = min(told, len(self._known))
        return release.accepted
