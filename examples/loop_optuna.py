"""An Optuna study that climbs open rows; what it finds is certified by guarded ones.

The objective is the score on the open rows: Optuna may ask for it as often as it likes. The loop asks the guarded rows
itself, where the open ones are convinced.

    python examples/loop_optuna.py --trials 60
"""

import argparse
from pathlib import Path

import numpy as np
import optuna
from sklearn.datasets import load_digits
from sklearn.svm import SVC

import ladderboard as lb


def main() -> None:
    """Search for a classifier's parameters, and say what is certified."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=60)
    parser.add_argument("--path", type=Path, help="the loop's file; the search goes on where it stopped")
    given = parser.parse_args()
    X, y = load_digits(return_X_y=True)  # noqa: N806 (scikit-learn's name)
    rows = np.random.default_rng(0).permutation(len(y))
    training, judged = rows[:600], rows[600:]
    tasks = [{"id": int(row), "answer": int(y[row])} for row in judged]
    optuna.logging.set_verbosity(optuna.logging.WARNING)

    with lb.Loop(tasks, lambda item, output: output == item["answer"], path=given.path, seed=0) as loop:

        def objective(trial: optuna.Trial) -> float:
            model = SVC(
                C=trial.suggest_float("C", 1e-3, 1e3, log=True),
                gamma=trial.suggest_float("gamma", 1e-6, 1e-1, log=True),
            )
            predictions = model.fit(X[training], y[training]).predict(X[judged])
            told = loop.propose(dict(zip(judged.tolist(), predictions.tolist(), strict=True)))
            trial.set_user_attr("certified", told.certified)
            return told.open_score

        study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=0))
        study.enqueue_trial({"C": 1.0, "gamma": 1e-5})  # the reference: what is in use
        study.optimize(objective, n_trials=given.trials)
        certified = [trial for trial in study.trials if trial.user_attrs["certified"]]
        print(f"{len(loop.history())} candidates; best open score {study.best_value:.4f} with {study.best_params}")
        print(f"certified: {loop.best}, with {certified[-1].params if certified else None}")


if __name__ == "__main__":
    main()
