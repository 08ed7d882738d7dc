"""Scripted agents that search for tabular models, and the data they search on: sets that ship with scikit-learn."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from ladderboard_lab.participant import Array, FloatArray, IntArray

MOST_ITEMS = 900
TRAINING, HOLDOUT = 0.25, 0.4
"""Shares of the items; the others are private."""

Judge = Callable[[Array], float]
"""What an agent hears of a model's predictions: a score that steers it, higher is better."""


@cache
def load(name: str) -> tuple[FloatArray, Array]:
    """Features, each of mean 0 and spread 1, and classes; of diabetes, whether it is above the median a year later."""
    from sklearn import datasets

    features, labels = getattr(datasets, f"load_{name}")(return_X_y=True)
    if name == "diabetes":
        labels = labels > np.median(labels)
    spread = features.std(axis=0)
    return (features - features.mean(axis=0))[:, spread > 0] / spread[spread > 0], np.asarray(labels, dtype=np.intp)


@dataclass(frozen=True, eq=False)
class World:
    """A random split of a data set. Predictions are of all items that models do not learn from, in one order."""

    learn: tuple[FloatArray, Array]
    features: FloatArray
    labels: Array
    holdout: IntArray
    private: IntArray

    @classmethod
    def draw(cls, name: str, rng: np.random.Generator) -> "World":
        features, labels = load(name)
        order = rng.permutation(len(labels))[:MOST_ITEMS]
        learn, rest = np.split(order, [round(TRAINING * len(order))])
        holdout, private = np.split(np.arange(len(rest)), [round(HOLDOUT * len(order))])
        return cls((features[learn], labels[learn]), features[rest], labels[rest], holdout, private)

    def score(self, predictions: Array, places: IntArray) -> float:
        """The accuracy on some of the items."""
        return float((predictions == self.labels)[places].mean())


@dataclass(frozen=True, eq=False)
class Recipe:
    """A model of a family: which features it sees, which sample of the training items it learns from, how flexible."""

    family: str
    seen: Array
    sample: int
    size: int

    @classmethod
    def draw(cls, family: str, features: int, rng: np.random.Generator) -> "Recipe":
        seen = rng.random(features) < rng.uniform(0.2, 0.9)
        seen[rng.integers(features)] = True
        return cls(family, seen, int(rng.integers(2**31)), int(rng.integers(6)))

    def change(self, rng: np.random.Generator) -> "Recipe":
        """Change one thing: some features, the sample, or the size."""
        kind = rng.integers(3)
        if kind == 0:
            seen = self.seen ^ (rng.random(len(self.seen)) < 0.1)
            seen[rng.integers(len(seen))] = True
            return replace(self, seen=seen)
        return replace(self, sample=int(rng.integers(2**31))) if kind == 1 else replace(self, size=int(rng.integers(6)))

    def fit(self, world: World) -> Array:
        """Fit it; return its predictions."""
        features, labels = world.learn
        rows = np.random.default_rng(self.sample).integers(len(labels), size=len(labels))
        model = FAMILIES[self.family](self.size)
        model.fit(features[rows][:, self.seen], labels[rows])
        return np.asarray(model.predict(world.features[:, self.seen]))


def _make_tree(size: int) -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(max_depth=2 + size, random_state=0)


def _make_bayes(size: int) -> Any:
    from sklearn.naive_bayes import GaussianNB

    return GaussianNB(var_smoothing=10.0 ** (1 - size))


FAMILIES: Mapping[str, Callable[[int], Any]] = {"trees": _make_tree, "naive Bayes": _make_bayes}


@dataclass(frozen=True, eq=False)
class Library:
    """Models of a family that are drawn before anything is scored, with their predictions."""

    recipes: tuple[Recipe, ...]
    predictions: tuple[Array, ...]

    @classmethod
    def draw(cls, world: World, family: str, size: int, rng: np.random.Generator) -> "Library":
        recipes = tuple(Recipe.draw(family, world.features.shape[1], rng) for _ in range(size))
        return cls(recipes, tuple(one.fit(world) for one in recipes))


Agent = Callable[[World, Library, Judge, np.random.Generator], None]


def search_at_random(_world: World, library: Library, judge: Judge, _rng: np.random.Generator) -> None:
    """Try one model after another."""
    for predictions in library.predictions:
        judge(predictions)


def climb(world: World, library: Library, judge: Judge, rng: np.random.Generator) -> None:
    """Change one thing of the best model so far, and keep what scores higher."""
    best, score = library.recipes[0], judge(library.predictions[0])
    for _ in library.recipes[1:]:
        trial = best.change(rng)
        found = judge(trial.fit(world))
        if found > score:
            best, score = trial, found


def ensemble(world: World, library: Library, judge: Judge, rng: np.random.Generator) -> None:
    """Try half of the models, then add one at a time to a vote that begins with the best, while it scores higher."""
    half = len(library.predictions) // 2
    scores = np.asarray([judge(one) for one in library.predictions[:half]])
    ballots = [np.eye(world.labels.max() + 1)[one] for one in library.predictions[:half]]
    votes, score = ballots[int(scores.argmax())], scores.max()
    for _ in library.predictions[half:]:
        trial = votes + ballots[int(rng.integers(half))] * rng.uniform(0.5, 1.5)
        found = judge(trial.argmax(axis=1))
        if found > score:
            votes, score = trial, found


AGENTS: Mapping[str, Agent] = {"random search": search_at_random, "hill climbing": climb, "ensembling": ensemble}
