"""Thirty classifiers of several scikit-learn families on one data set, and their predictions for a large pool."""

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

Predictions = npt.NDArray[np.int8]
POOL = 60_000
TRAINING = 1500


@cache
def train_families(seed: int = 0) -> tuple[Predictions, Predictions]:
    """The labels of the pool, and the predictions of every model (models × items)."""
    from sklearn.datasets import make_classification

    x, y = make_classification(
        n_samples=POOL + TRAINING,
        n_features=20,
        n_informative=8,
        n_redundant=4,
        n_clusters_per_class=4,
        flip_y=0.08,
        class_sep=0.9,
        random_state=seed,
    )
    train, pool = slice(0, TRAINING), slice(TRAINING, None)
    found = [model.fit(x[train], y[train]).predict(x[pool]) for model in list_models(seed)]
    return y[pool].astype(np.int8), np.array(found, dtype=np.int8)


def list_models(seed: int) -> list[Any]:
    """The models as somebody would try them: each family at several settings."""
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.tree import DecisionTreeClassifier

    return [
        *(LogisticRegression(C=strength) for strength in (0.001, 0.01, 0.1, 1.0)),
        GaussianNB(),
        *(KNeighborsClassifier(count) for count in (1, 3, 5, 11, 21, 51)),
        *(DecisionTreeClassifier(max_depth=depth, random_state=seed) for depth in (2, 3, 4, 6, 8, None)),
        *(
            RandomForestClassifier(count, max_depth=depth, random_state=seed)
            for count in (10, 40)
            for depth in (3, 6, 12)
        ),
        *(
            HistGradientBoostingClassifier(max_iter=rounds, learning_rate=rate, random_state=seed)
            for rounds in (10, 30, 80)
            for rate in (0.03, 0.1)
        ),
        HistGradientBoostingClassifier(max_iter=150, random_state=seed),
    ]
