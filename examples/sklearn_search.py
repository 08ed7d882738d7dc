"""A scikit-learn search scored by a guarded holdout.

`holdout.search_split` gives the search exactly one split: fit on the training rows, score on those of the holdout. Its
settings keep a refit from training on the holdout's rows, and a refusal from becoming a silent NaN.

    python examples/sklearn_search.py
"""

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import ladderboard as lb


def search(path: Path) -> None:
    """Try twenty penalties on one holdout, and say which of them the holdout can tell apart."""
    X, y = load_breast_cancer(return_X_y=True)  # noqa: N806 (scikit-learn's name)
    training, held_out = train_test_split(np.arange(len(y)), test_size=0.6, random_state=0, stratify=y)
    holdout = lb.Holdout(y[held_out], metric="auc", path=path, seed=0)

    split = holdout.search_split(X[training], y[training], X[held_out])
    found = GridSearchCV(
        make_pipeline(StandardScaler(), LogisticRegression(max_iter=5000)),
        {"logisticregression__C": np.logspace(-6, 3, 20)},
        **split.settings,
    ).fit(split.X, split.y)

    best = make_pipeline(StandardScaler(), LogisticRegression(max_iter=5000))
    best.set_params(**found.best_params_).fit(split.X_train, split.y_train)
    raw = roc_auc_score(y[held_out], best.decision_function(X[held_out]))
    print(f"{holdout.attempts} penalties tried; the board moved at")
    for release in holdout.history():
        if release.accepted:
            word = "improved: proven better" if release.improved else "a new score: may be better, not proven"
            print(f"  attempt {release.attempt:2}: AUC {release.value}  {word}")
    print(f"chosen: C = {found.best_params_['logisticregression__C']:.2g}, shown {holdout.best}, raw score {raw:.4f}")
    print(f"released so far: at most {holdout.leakage.bits:.1f} bits")
    holdout.close()


def main() -> None:
    """Keep the guard where it is asked to be, or in a directory that is thrown away."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--guard", type=Path, help="the guard's file; the search goes on where it stopped")
    options = parser.parse_args()
    if options.guard:
        search(options.guard)
        return
    with TemporaryDirectory() as folder:
        search(Path(folder) / "holdout.db")


if __name__ == "__main__":
    main()
