"""An Optuna callback: the search steers by validation, and the holdout is asked once for each new best trial."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from ladderboard.core.records import Release


class ScoringHoldout(Protocol):
    """The part of a holdout that the callback needs."""

    def score(self, predictions: Any) -> Release: ...


@dataclass(frozen=True)
class HoldoutCallback:
    """Score the trials that are the study's best so far on a guarded holdout.

    The objective returns a validation score, so a study learns nothing from the holdout; a study steered by it would
    spend thousands of attempts on what a few can tell. ``predict`` makes the holdout's predictions of a trial. The
    answers are in the study's user attributes, as ``holdout_trial_7``.

        study.optimize(objective, n_trials=500, callbacks=[HoldoutCallback(holdout, predict)])
    """

    holdout: ScoringHoldout
    predict: Callable[[Any], Any]

    def __call__(self, study: Any, trial: Any) -> None:
        if trial.value is None or study.best_trial.number != trial.number:
            return
        release = self.holdout.score(self.predict(trial))
        study.set_user_attr(f"holdout_trial_{trial.number}", release.to_metrics())
