"""Freedman's attack: one submission for each feature, then one regression on those that scored best."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import ladderboard as lb
from ladderboard_lab.attacks.base import Attack
from ladderboard_lab.participant import Array, Briefing, IntArray, Participant
from ladderboard_lab.planning.step_forward_fits import StepForwardFits


@dataclass(frozen=True)
class Freedman(Attack):
    """Submit p univariate regressions, keep the ``kept`` features with the best releases, regress on them together.

    Metric: any that takes numbers. Breaks: mechanisms that tell every score (the overfit grows with ``kept``). A ladder
    answers most of the p submissions with the same number, and so names few features or none.

    Reference: Freedman 1983, A note on screening regression equations; Neto et al. 2016 (arXiv 1607.00091).
    """

    name: ClassVar[str] = "freedman"
    kept: int = 10

    def misfit(self, briefing: Briefing) -> str | None:
        return needs_regression(briefing)

    def run(self, participant: Participant, *, budget: int, rng: np.random.Generator) -> Array:
        fits = fits_for(participant.briefing)
        best = best_released(participant, fits, budget=budget, rng=rng)
        fits.choose(*best[: min(self.kept, fits.room)])
        return fits.predictions


def best_released(
    participant: Participant, fits: StepForwardFits, *, budget: int, rng: np.random.Generator
) -> IntArray:
    """Rank the features by the score shown for each alone, best first; those without a score come last."""
    values = [participant.submit(predictions).value for predictions in fits.predictions_with_each()[:budget]]
    loss = participant.briefing.loss
    losses = np.array([np.inf if value is None else loss(value) for value in values])
    # Equal releases tell nothing about which feature is better: their order is drawn.
    return np.lexsort((rng.random(len(losses)), losses))


def takes_any_number(metric: "lb.Metric | None") -> bool:
    """Whether a regression's predictions are predictions for this metric."""
    return metric is not None and metric.kind.takes == "numbers" and getattr(metric.kind, "smallest", 0) == -np.inf


def needs_regression(briefing: Briefing) -> str | None:
    """Explain why an attack by regression does not fit a problem."""
    if not takes_any_number(lb.METRICS.get(briefing.metric)):
        return f"needs a metric of numbers such as mse or rmse, not {briefing.metric}"
    if briefing.features is None or briefing.training_features is None or briefing.training_labels is None:
        return "needs features and a training set"
    return None


def fits_for(briefing: Briefing) -> StepForwardFits:
    """Prepare the regressions a participant can fit on the training set."""
    assert briefing.features is not None
    assert briefing.training_features is not None
    assert briefing.training_labels is not None
    return StepForwardFits(briefing.training_features, briefing.training_labels, features=briefing.features)
