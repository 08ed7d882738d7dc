"""Sixty models of several scikit-learn families on each of eight tasks, and their predictions for a large pool."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.datasets import make_classification, make_friedman1, make_gaussian_quantiles, make_moons
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from ladderboard.core.records import FloatArray

Predictions = npt.NDArray[np.float32]
Table = tuple[FloatArray, FloatArray]
POOL = 12_000
TRAINING = 1500
MODELS = 60


@dataclass(frozen=True)
class Task:
    """How rows are drawn, and what models are judged by."""

    draw: Callable[..., Table]
    metric: str = "error_rate"

    @property
    def is_regression(self) -> bool:
        return self.metric == "rmse"


def _draw_moons(*, n_samples: int, random_state: int) -> Table:
    """Two moons among eight columns of noise."""
    x, y = make_moons(n_samples, noise=0.35, random_state=random_state)
    return np.column_stack([x, np.random.default_rng(random_state).normal(size=(n_samples, 8))]), y


def _draw_delays(*, n_samples: int, random_state: int) -> Table:
    """Labels with a long tail, as delays have."""
    rng = np.random.default_rng(random_state)
    x = rng.normal(size=(n_samples, 10))
    return x, np.exp(
        0.5 * x[:, 0] + 0.4 * np.sin(2 * x[:, 1]) + 0.3 * x[:, 2] * x[:, 3] + 0.7 * rng.normal(size=n_samples)
    )


_CLUSTERS = partial(
    make_classification, n_features=20, n_informative=8, n_redundant=4, n_clusters_per_class=4, class_sep=0.9
)
TASKS: dict[str, Task] = {
    "clusters": Task(partial(_CLUSTERS, flip_y=0.08)),
    "easy clusters": Task(partial(_CLUSTERS, flip_y=0.01, n_classes=2)),
    "rare class": Task(partial(_CLUSTERS, flip_y=0.02, weights=[0.85])),
    "three classes": Task(partial(_CLUSTERS, flip_y=0.05, n_classes=3)),
    "shells": Task(partial(make_gaussian_quantiles, n_features=6, n_classes=2)),
    "moons": Task(_draw_moons),
    "waves": Task(partial(make_friedman1, noise=3.0), "rmse"),
    "delays": Task(_draw_delays, "rmse"),
}


@cache
def train_families(
    task: str = "clusters", *, models: int = MODELS, pool: int = POOL, seed: int = 0
) -> tuple[Predictions, Predictions]:
    """The labels of the pool, and the predictions of every model (models × items)."""
    drawn = TASKS[task]
    x, y = drawn.draw(n_samples=pool + TRAINING, random_state=seed)
    train, rest = slice(0, TRAINING), slice(TRAINING, None)
    listed = list_regressors(seed) if drawn.is_regression else list_classifiers(seed)
    found = [model.fit(x[train], y[train]).predict(x[rest]) for model, _ in zip(listed, range(models), strict=False)]
    return y[rest].astype(np.float32), np.array(found, dtype=np.float32)


def list_classifiers(seed: int) -> Iterator[Any]:
    """The models as somebody would try them: each family at several settings."""
    yield from (LogisticRegression(C=strength) for strength in (0.001, 0.01, 0.1, 1.0))
    yield GaussianNB()
    yield from (KNeighborsClassifier(count) for count in (1, 3, 5, 11, 21, 51))
    yield from (DecisionTreeClassifier(max_depth=depth, random_state=seed) for depth in (2, 3, 4, 6, 8, None))
    for count in (10, 40):
        for depth in (3, 6, 12):
            yield RandomForestClassifier(count, max_depth=depth, random_state=seed)
    for rounds in (10, 30, 80):
        for rate in (0.03, 0.1):
            yield HistGradientBoostingClassifier(max_iter=rounds, learning_rate=rate, random_state=seed)
    yield HistGradientBoostingClassifier(max_iter=150, random_state=seed)
    yield from (LogisticRegression(C=strength) for strength in (0.003, 0.03, 0.3))
    yield from (KNeighborsClassifier(count, weights="distance") for count in (5, 11, 21, 51))
    yield from (DecisionTreeClassifier(min_samples_leaf=leaf, random_state=seed) for leaf in (5, 10, 20, 40, 80))
    for count in (20, 60):
        for features in (1, 3, 0.5):
            yield RandomForestClassifier(count, max_features=features, random_state=seed)
    for leaves in (4, 8, 16):
        for rounds in (20, 50, 100, 150):
            yield HistGradientBoostingClassifier(max_leaf_nodes=leaves, max_iter=rounds, random_state=seed)


def list_regressors(seed: int) -> Iterator[Any]:
    """The same for numbers."""
    yield from (Ridge(alpha=strength) for strength in (0.1, 1.0, 10.0, 100.0, 1e3, 1e4))
    yield from (KNeighborsRegressor(count) for count in (1, 3, 5, 11, 21, 51))
    yield from (KNeighborsRegressor(count, weights="distance") for count in (5, 11, 21, 51))
    yield from (DecisionTreeRegressor(max_depth=depth, random_state=seed) for depth in (2, 3, 4, 6, 8, None))
    yield from (DecisionTreeRegressor(min_samples_leaf=leaf, random_state=seed) for leaf in (5, 10, 20, 40, 80))
    for count in (10, 40):
        for depth in (3, 6, 12):
            yield RandomForestRegressor(count, max_depth=depth, random_state=seed)
    for count in (20, 60):
        for features in (1, 3, 0.5):
            yield RandomForestRegressor(count, max_features=features, random_state=seed)
    for rounds in (10, 30, 80):
        for rate in (0.03, 0.1, 0.2):
            yield HistGradientBoostingRegressor(max_iter=rounds, learning_rate=rate, random_state=seed)
    for leaves in (4, 8, 16):
        for rounds in (20, 50, 100, 150):
            yield HistGradientBoostingRegressor(max_leaf_nodes=leaves, max_iter=rounds, random_state=seed)
