"""An Optuna callback: the search steers by validation, and the holdout is asked once for each new best trial."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ladderboard.core.errors import ParameterError
from ladderboard.integrations.scoring_holdout import ScoringHoldout


@dataclass(frozen=True)
class HoldoutCallback:
    """Score the trials that are the study's best so far on a guarded holdout.

    The objective returns a validation score, so a study learns nothing from the holdout; a study steered by it would
    spend thousands of attempts on what a few can tell. ``predict`` makes the holdout's predictions of a trial. The
    answers are in the study's user attributes, as ``holdout_trial_7``. In a study of several objectives, ``objective``
    is the number of the one that names the best trial, from 0.

        study.optimize(objective, n_trials=500, callbacks=[HoldoutCallback(holdout, predict)])
    """

    holdout: ScoringHoldout
    predict: Callable[[Any], Any]
    objective: int | None = None

    def __call__(self, study: Any, trial: Any) -> None:
        which = self._choose_objective(len(study.directions))
        if trial.values is None or _find_best(study, which) != trial.number:
            return
        release = self.holdout.score(self.predict(trial))
        study.set_user_attr(f"holdout_trial_{trial.number}", release.to_metrics())

    def _choose_objective(self, count: int) -> int:
        chosen = 0 if count == 1 and self.objective is None else self.objective
        if chosen is None or not 0 <= chosen < count:
            raise ParameterError(
                f"this study has {count} objective{'' if count == 1 else 's'}; say which one names the best trial: "
                f"HoldoutCallback(holdout, predict, objective=0), at most {count - 1}"
            )
        return chosen


def _find_best(study: Any, objective: int) -> int:
    """The number of the trial that is best by one objective; of equals the first."""
    sign = -1.0 if study.directions[objective].name == "MAXIMIZE" else 1.0
    done = [one for one in study.get_trials(deepcopy=False) if one.state.name == "COMPLETE"]
    return int(min(done, key=lambda one: sign * one.values[objective]).number)
