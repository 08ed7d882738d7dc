"""The Optuna callback: only trials that lead by validation are asked about."""

import numpy as np
import optuna
import pytest

import ladderboard as lb
from ladderboard.integrations.optuna_callback import HoldoutCallback
from tests.guard.guards import labels_of, with_errors

LABELS = labels_of(600)


def test_each_new_best_trial_is_scored_once_and_the_study_is_not_steered() -> None:
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    holdout = lb.Holdout(LABELS, path=":memory:", seed=1)
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1))

    def predict(trial: optuna.trial.FrozenTrial) -> object:
        return with_errors(LABELS, round(600 * trial.params["error"]), seed=trial.number)

    def objective(trial: optuna.Trial) -> float:
        return trial.suggest_float("error", 0.05, 0.45)

    study.optimize(objective, n_trials=30, callbacks=[HoldoutCallback(holdout, predict)])
    values = np.array([trial.value for trial in study.trials])
    leaders = int((values == np.minimum.accumulate(values)).sum())
    assert holdout.attempts == len(study.user_attrs) == leaders < 30
    told = study.user_attrs[f"holdout_trial_{study.best_trial.number}"]
    assert told == {
        **holdout.history()[-1].to_metrics(),
        "shown_gain": holdout.gains.shown,
        "proven_gain": holdout.gains.proven,
    }


def test_a_trial_that_failed_is_not_asked_about() -> None:
    holdout = lb.Holdout(LABELS, path=":memory:", seed=1)
    study = optuna.create_study()

    def fail(_: optuna.Trial) -> float:
        raise optuna.TrialPruned

    study.optimize(fail, n_trials=2, callbacks=[HoldoutCallback(holdout, lambda _: LABELS)])
    assert holdout.attempts == 0


def test_of_several_objectives_one_names_the_best_trial() -> None:
    optuna.logging.set_verbosity(optuna.logging.WARNING)

    def objective(trial: optuna.Trial) -> tuple[float, float]:
        error = trial.suggest_float("error", 0.05, 0.45)
        return trial.suggest_float("seconds", 0, 1), -error

    def predict(trial: optuna.trial.FrozenTrial) -> object:
        return with_errors(LABELS, round(600 * trial.params["error"]), seed=trial.number)

    def run(**options: int) -> lb.Holdout:
        holdout = lb.Holdout(LABELS, path=":memory:", seed=1)
        sampler = optuna.samplers.RandomSampler(seed=1)
        study = optuna.create_study(directions=["minimize", "maximize"], sampler=sampler)
        study.optimize(objective, n_trials=20, callbacks=[HoldoutCallback(holdout, predict, **options)])
        values = np.array([trial.values[1] for trial in study.trials])
        assert holdout.attempts == (values == np.maximum.accumulate(values)).sum()
        return holdout

    assert 1 < run(objective=1).attempts < 20
    for options in ({}, {"objective": 2}):
        with pytest.raises(lb.ParameterError, match="this study has 2 objectives; say which one names the best"):
            run(**options)
