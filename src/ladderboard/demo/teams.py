"""The honest teams of the demo: real models that get better as people learn."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ladderboard.core.records import IntArray
from ladderboard.demo.digits import Digits

Model = Callable[[], Any]


@dataclass(frozen=True)
class DemoSubmission:
    """One submission: a model, the share of the training rows it saw, and what the team wrote about it."""

    model: Model
    share: float
    note: str

    def predictions(self, digits: Digits) -> IntArray:
        rows = round(self.share * len(digits.training))
        fitted = self.model().fit(digits.training[:rows], digits.training_labels[:rows])
        return np.asarray(fitted.predict(digits.test))


@dataclass(frozen=True)
class HonestTeam:
    """A team, the person in it, and what they submit, in this order."""

    name: str
    person: str
    entries: tuple[DemoSubmission, ...]


BASELINE = "One question"
YOURS = "Night Owls"
"""The team that whoever looks at the demo may submit for."""


def predict_baseline(digits: Digits) -> IntArray:
    """The organiser's own simple model: a tree that asks for one pixel."""
    from sklearn.tree import DecisionTreeClassifier

    fitted = DecisionTreeClassifier(max_depth=1, random_state=0).fit(digits.training, digits.training_labels)
    return np.asarray(fitted.predict(digits.test))


def predict_improvement(digits: Digits) -> IntArray:
    """The ready file: better than what the Night Owls have on the board, and not what another team has sent."""
    from sklearn.neighbors import KNeighborsClassifier

    model = KNeighborsClassifier(4, weights="distance", metric="manhattan")
    return np.asarray(model.fit(digits.training, digits.training_labels).predict(digits.test))


def list_teams() -> tuple[HonestTeam, ...]:
    """Twelve teams, from a first try to what a good team ends with."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
    from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
    from sklearn.linear_model import RidgeClassifier
    from sklearn.naive_bayes import BernoulliNB, GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.svm import SVC
    from sklearn.tree import DecisionTreeClassifier

    def tree(depth: int) -> Model:
        return lambda: DecisionTreeClassifier(max_depth=depth, random_state=depth)

    def forest(trees: int, seed: int = 0) -> Model:
        return lambda: RandomForestClassifier(trees, random_state=seed)

    def extra(trees: int, seed: int = 0) -> Model:
        return lambda: ExtraTreesClassifier(trees, random_state=seed)

    def neighbours(k: int, **more: Any) -> Model:
        return lambda: KNeighborsClassifier(k, **more)

    def machine(**parameters: Any) -> Model:
        return lambda: SVC(**parameters)

    def made(name: str, person: str, *entries: tuple[Model, float, str]) -> HonestTeam:
        return HonestTeam(name, person, tuple(DemoSubmission(*entry) for entry in entries))

    return (
        made(
            "Kernel Panic",
            "ines",
            (machine(C=0.1), 0.3, "default kernel, a third of the data"),
            (machine(C=1), 0.3, "C = 1"),
            (machine(C=1), 0.6, "more rows"),
            (machine(C=1), 1.0, "all rows"),
            (machine(C=10), 1.0, "C = 10"),
            (machine(C=30), 1.0, "C = 30"),
            (machine(C=10, gamma=1.0), 1.0, "narrower"),
        ),
        made(
            "The Neighbourhood",
            "kofi",
            (neighbours(25), 0.4, "25 neighbours"),
            (neighbours(9), 0.6, "fewer, more rows"),
            (neighbours(5), 1.0, "5, all rows"),
            (neighbours(3), 1.0, "3"),
            (neighbours(1), 1.0, "just the nearest"),
            (neighbours(3, weights="distance"), 1.0, "weighted by distance"),
        ),
        made(
            "Cubic",
            "mei",
            (machine(kernel="poly", C=0.1), 0.5, ""),
            (machine(kernel="poly", C=1), 0.5, "C = 1"),
            (machine(kernel="poly", C=1), 1.0, "all rows"),
            (machine(kernel="poly", C=1, degree=4), 1.0, "degree 4"),
        ),
        made(
            "Sherwood",
            "robin",
            (forest(5), 0.5, "five trees"),
            (forest(20), 0.5, "twenty"),
            (forest(20), 1.0, "all rows"),
            (extra(40), 1.0, "extremely random trees"),
            (extra(60, 1), 1.0, "another seed"),
        ),
        made(
            YOURS,
            "pat",
            (tree(2), 0.3, "a small tree to begin with"),
            (tree(3), 0.5, "a larger one"),
            (tree(3), 1.0, "all rows"),
        ),
        made(
            "Broceliande",
            "anouk",
            (forest(4, 2), 0.4, ""),
            (forest(12, 2), 0.7, "more of both"),
            (forest(30, 2), 1.0, "thirty trees"),
        ),
        made(
            "Quadratics",
            "yusuf",
            (LinearDiscriminantAnalysis, 0.5, "linear first"),
            (lambda: QuadraticDiscriminantAnalysis(reg_param=0.5), 0.7, "quadratic"),
            (lambda: QuadraticDiscriminantAnalysis(reg_param=0.1), 1.0, "less shrinkage"),
        ),
        made(
            "Slow Cooker",
            "greta",
            (machine(C=0.05), 0.5, ""),
            (machine(C=0.1), 1.0, "all rows"),
            (machine(C=0.3), 1.0, "C = 0.3"),
        ),
        made(
            "One Tree Hill",
            "tom",
            (tree(2), 0.5, "two questions"),
            (tree(4), 0.7, "four"),
            (tree(7), 1.0, "seven"),
            (tree(9), 1.0, "nine"),
        ),
        made(
            "Straight Lines",
            "lena",
            (lambda: RidgeClassifier(alpha=100), 0.3, "ridge"),
            (lambda: RidgeClassifier(alpha=10), 0.6, "less of it"),
            (lambda: RidgeClassifier(alpha=1), 1.0, "all rows"),
        ),
        made(
            "Bayes Watch",
            "thomas",
            (GaussianNB, 0.5, "naive"),
            (lambda: BernoulliNB(binarize=0.5), 1.0, "black and white"),
        ),
        made(
            "First Steps",
            "amara",
            (GaussianNB, 0.2, "my first submission"),
            (lambda: BernoulliNB(binarize=0.3), 0.5, "from the course"),
        ),
    )
