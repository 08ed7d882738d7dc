"""A board of real models that ships with the laboratory: classifiers of handwritten digits, fitted here in seconds.

30 teams of ten families, each with its own sample of training items and pixels, send in four settings of their model.
The data are the 1797 digits that come with scikit-learn (E. Alpaydin & C. Kaynak 1998, UCI).
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from ladderboard_lab.participant import Array

TRAINING = 597
"""Items the models learn from; the other 1200 are the board's."""
TEAMS = 30
SEED = 1502


@cache
def digits_submissions() -> tuple[Array, Array, tuple[str, ...]]:
    """Labels of the board's items, predictions (items × submissions), and the team of each submission."""
    from sklearn.datasets import load_digits

    pixels, labels = load_digits(return_X_y=True)
    rng = np.random.default_rng(SEED)
    order = rng.permutation(len(labels))
    learn, board = order[:TRAINING], order[TRAINING:]
    predictions, teams = [], []
    for team in range(TEAMS):
        sample = rng.permutation(learn)[: rng.integers(TRAINING // 5, TRAINING)]
        seen = rng.permutation(pixels.shape[1])[: rng.integers(24, 64)]
        family, models = _families(team)[team % len(_families(team))]
        for model in models:
            model.fit(pixels[np.ix_(sample, seen)], labels[sample])
            predictions.append(model.predict(pixels[np.ix_(board, seen)]))
            teams.append(f"{family} {team // 10 + 1}")
    return labels[board], np.stack(predictions, axis=1), tuple(teams)


def _families(seed: int) -> list[tuple[str, Iterator[Any]]]:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
    from sklearn.linear_model import RidgeClassifier
    from sklearn.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.svm import SVC
    from sklearn.tree import DecisionTreeClassifier

    return [
        ("tree", (DecisionTreeClassifier(max_depth=depth, random_state=seed) for depth in (5, 8, 12, 20))),
        ("multinomial", (MultinomialNB(alpha=alpha) for alpha in (100.0, 10.0, 1.0, 0.1))),
        ("bernoulli", (BernoulliNB(binarize=at, alpha=0.1) for at in (2.0, 5.0, 8.0, 11.0))),
        ("gauss", (GaussianNB(var_smoothing=part) for part in (1e-3, 1e-2, 3e-2, 1e-1))),
        ("ridge", (RidgeClassifier(alpha=alpha) for alpha in (1.0, 10.0, 100.0, 1000.0))),
        ("lda", (LinearDiscriminantAnalysis(solver="lsqr", shrinkage=part) for part in (0.9, 0.5, 0.2, 0.05))),
        ("knn", (KNeighborsClassifier(n_neighbors=k) for k in (15, 9, 5, 1))),
        ("forest", (RandomForestClassifier(n_estimators=trees, random_state=seed) for trees in (5, 10, 20, 40))),
        ("extra trees", (ExtraTreesClassifier(n_estimators=trees, random_state=seed) for trees in (5, 10, 20, 40))),
        ("svm", (SVC(C=c) for c in (0.1, 0.5, 2.0, 10.0))),
    ]
