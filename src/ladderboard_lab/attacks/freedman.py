"""Freedman's attack: one submission for each feature, then one model on those that scored best."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

import ladderboard as lb
from ladderboard_lab.attacks.base import Attack
from ladderboard_lab.participant import Array, Briefing, IntArray, Participant
from ladderboard_lab.planning.step_forward_fits import StepForwardFits

Learner = Literal["regression", "lasso", "knn", "random_forest"]
"""What the final model is: least squares as in the paper, or a learner that may make more of the same features."""


@dataclass(frozen=True)
class Freedman(Attack):
    """Submit p univariate regressions, keep the ``kept`` features with the best releases, fit one model on them.

    Metric: any that takes numbers. Breaks: mechanisms that tell every score (the overfit grows with ``kept``). A ladder
    answers most of the p submissions with the same number, and so names few features or none. Of features with equal
    releases the first are taken, as in the paper.

    ``learner`` is the final model: the paper's multiple regression, or a lasso, 3 nearest neighbours or a random
    forest, which the paper's discussion names.

    Reference: Freedman 1983, A note on screening regression equations; Neto et al. 2016 (arXiv 1607.00091).
    """

    name: ClassVar[str] = "freedman"
    kept: int = 10
    learner: Learner = "regression"

    def misfit(self, briefing: Briefing) -> str | None:
        return needs_regression(briefing)

    def run(self, participant: Participant, *, budget: int, rng: np.random.Generator) -> Array:
        briefing = participant.briefing
        fits = fits_for(briefing)
        best = best_released(participant, fits, budget=budget)
        chosen = best[: min(self.kept, fits.room)]
        if self.learner != "regression":
            return fit_learner(self.learner, briefing, chosen, seed=int(rng.integers(2**31)))
        fits.choose(*chosen)
        return fits.predictions


def best_released(participant: Participant, fits: StepForwardFits, *, budget: int) -> IntArray:
    """Rank the features by the score shown for each alone, best first; those without a score come last.

    Features with equal scores keep their order: the first of them is taken first.
    """
    values = [participant.submit(predictions).value for predictions in fits.predictions_with_each()[:budget]]
    loss = participant.briefing.loss
    losses = np.array([np.inf if value is None else loss(value) for value in values])
    return np.argsort(losses, kind="stable")


def fit_learner(learner: Learner, briefing: Briefing, features: IntArray, *, seed: int) -> Array:
    """The predictions of another learner, fitted on the training set with those features."""
    assert briefing.features is not None
    assert briefing.training_features is not None
    model = _make_learner(learner, seed)
    model.fit(briefing.training_features[:, features], briefing.training_labels)
    return np.asarray(model.predict(briefing.features[:, features]), dtype=float)


def _make_learner(learner: Learner, seed: int) -> Any:
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.linear_model import Lasso
    from sklearn.neighbors import KNeighborsRegressor

    if learner == "lasso":
        return Lasso(alpha=0.05)
    if learner == "knn":
        return KNeighborsRegressor(n_neighbors=3)
    return RandomForestRegressor(n_estimators=50, random_state=seed)


def takes_any_number(metric: "lb.Metric | None") -> bool:
    """Whether a regression's predictions are predictions for this metric."""
    return (
        metric is not None
        and metric.kind.takes == "numbers"
        and not metric.kind.has_columns
        and getattr(metric.kind, "smallest", 0) == -np.inf
    )


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
