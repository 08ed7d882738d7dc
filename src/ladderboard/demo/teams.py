"""The honest teams of the demo, with real models that improve over time."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ladderboard.core.records import IntArray
from ladderboard.demo.digits import Digits

Model = Callable[[], Any]


@dataclass(frozen=True)
class DemoSubmission:
    """A submission: a model, the share of the training rows it sees, and the team's note."""

    model: Model
    share: float
    note: str

    def predict(self, digits: Digits) -> IntArray:
        rows = round(self.share * len(digits.training))
        fitted = self.model().fit(digits.training[:rows], digits.training_labels[:rows])
        return np.asarray(fitted.predict(digits.test))


@dataclass(frozen=True)
class HonestTeam:
    """A team, its one member, and its submissions in order."""

    name: str
    person: str
    submissions: tuple[DemoSubmission, ...]


BASELINE = "One question"
YOURS = "Night Owls"
"""The team for which the viewer of the demo may submit."""


def predict_baseline(digits: Digits) -> IntArray:
    """Predict with the organiser's baseline: a decision tree on one pixel."""
    from sklearn.tree import DecisionTreeClassifier

    fitted = DecisionTreeClassifier(max_depth=1, random_state=0).fit(digits.training, digits.training_labels)
    return np.asarray(fitted.predict(digits.test))


def predict_improvement(digits: Digits) -> IntArray:
    """Predict the ready-made file: better than the Night Owls' score, and not what another team submitted."""
    from sklearn.neighbors import KNeighborsClassifier

    model = KNeighborsClassifier(4, weights="distance", metric="manhattan")
    return np.asarray(model.fit(digits.training, digits.training_labels).predict(digits.test))


def list_teams() -> tuple[HonestTeam, ...]:
    """List twelve teams, from a first try to what a good team ends with."""
    return (*_list_strong_teams(), *_list_middling_teams(), *_list_weak_teams())


def _list_strong_teams() -> tuple[HonestTeam, ...]:
    return (
        _team(
            "Kernel Panic",
            "ines",
            (_support_vectors(C=0.1), 0.3, "default kernel, a third of the data"),
            (_support_vectors(C=1), 0.3, "C = 1"),
            (_support_vectors(C=1), 0.6, "more rows"),
            (_support_vectors(C=1), 1.0, "all rows"),
            (_support_vectors(C=10), 1.0, "C = 10"),
            (_support_vectors(C=30), 1.0, "C = 30"),
            (_support_vectors(C=10, gamma=1.0), 1.0, "narrower"),
        ),
        _team(
            "The Neighbourhood",
            "kofi",
            (_neighbours(25), 0.4, "25 neighbours"),
            (_neighbours(9), 0.6, "fewer, more rows"),
            (_neighbours(5), 1.0, "5, all rows"),
            (_neighbours(3), 1.0, "3"),
            (_neighbours(1), 1.0, "just the nearest"),
            (_neighbours(3, weights="distance"), 1.0, "weighted by distance"),
        ),
        _team(
            "Cubic",
            "mei",
            (_support_vectors(kernel="poly", C=0.1), 0.5, ""),
            (_support_vectors(kernel="poly", C=1), 0.5, "C = 1"),
            (_support_vectors(kernel="poly", C=1), 1.0, "all rows"),
            (_support_vectors(kernel="poly", C=1, degree=4), 1.0, "degree 4"),
        ),
    )


def _list_middling_teams() -> tuple[HonestTeam, ...]:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

    return (
        _team(
            "Sherwood",
            "robin",
            (_forest(5), 0.5, "five trees"),
            (_forest(20), 0.5, "twenty"),
            (_forest(20), 1.0, "all rows"),
            (_extra_trees(40), 1.0, "extremely random trees"),
            (_extra_trees(60, 1), 1.0, "another seed"),
        ),
        _team(
            YOURS,
            "pat",
            (_tree(2), 0.3, "a small tree to begin with"),
            (_tree(3), 0.5, "a larger one"),
            (_tree(3), 1.0, "all rows"),
        ),
        _team(
            "Broceliande",
            "anouk",
            (_forest(4, 2), 0.4, ""),
            (_forest(12, 2), 0.7, "more of both"),
            (_forest(30, 2), 1.0, "thirty trees"),
        ),
        _team(
            "Quadratics",
            "yusuf",
            (LinearDiscriminantAnalysis, 0.5, "linear first"),
            (lambda: QuadraticDiscriminantAnalysis(reg_param=0.5), 0.7, "quadratic"),
            (lambda: QuadraticDiscriminantAnalysis(reg_param=0.1), 1.0, "less shrinkage"),
        ),
    )


def _list_weak_teams() -> tuple[HonestTeam, ...]:
    from sklearn.linear_model import RidgeClassifier
    from sklearn.naive_bayes import BernoulliNB, GaussianNB

    return (
        _team(
            "Slow Cooker",
            "greta",
            (_support_vectors(C=0.05), 0.5, ""),
            (_support_vectors(C=0.1), 1.0, "all rows"),
            (_support_vectors(C=0.3), 1.0, "C = 0.3"),
        ),
        _team(
            "One Tree Hill",
            "tom",
            (_tree(2), 0.5, "two questions"),
            (_tree(4), 0.7, "four"),
            (_tree(7), 1.0, "seven"),
            (_tree(9), 1.0, "nine"),
        ),
        _team(
            "Straight Lines",
            "lena",
            (lambda: RidgeClassifier(alpha=100), 0.3, "ridge"),
            (lambda: RidgeClassifier(alpha=10), 0.6, "less of it"),
            (lambda: RidgeClassifier(alpha=1), 1.0, "all rows"),
        ),
        _team(
            "Bayes Watch",
            "thomas",
            (GaussianNB, 0.5, "naive"),
            (lambda: BernoulliNB(binarize=0.5), 1.0, "black and white"),
        ),
        _team(
            "First Steps",
            "amara",
            (GaussianNB, 0.2, "my first submission"),
            (lambda: BernoulliNB(binarize=0.3), 0.5, "from the course"),
        ),
    )


def _team(name: str, person: str, *submissions: tuple[Model, float, str]) -> HonestTeam:
    return HonestTeam(name, person, tuple(DemoSubmission(*one) for one in submissions))


def _tree(depth: int) -> Model:
    from sklearn.tree import DecisionTreeClassifier

    return lambda: DecisionTreeClassifier(max_depth=depth, random_state=depth)


def _forest(trees: int, seed: int = 0) -> Model:
    from sklearn.ensemble import RandomForestClassifier

    return lambda: RandomForestClassifier(trees, random_state=seed)


def _extra_trees(trees: int, seed: int = 0) -> Model:
    from sklearn.ensemble import ExtraTreesClassifier

    return lambda: ExtraTreesClassifier(trees, random_state=seed)


def _neighbours(k: int, **more: Any) -> Model:
    from sklearn.neighbors import KNeighborsClassifier

    return lambda: KNeighborsClassifier(k, **more)


def _support_vectors(**parameters: Any) -> Model:
    from sklearn.svm import SVC

    return lambda: SVC(**parameters)
