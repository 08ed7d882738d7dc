"""A scikit-learn scorer for holdouts: ``scorer(estimator, X, y)``, greater is better."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ladderboard.core.errors import InputError, PredictionsError
from ladderboard.core.records import Release
from ladderboard.integrations.search_split import (
    OneSplit,
    SearchRefusedError,
    SearchSplit,
    check_rows,
    count_rows,
    is_swallowed,
    refuse_refit,
    stack_rows,
)
from ladderboard.metrics.base import Metric
from ladderboard.metrics.inputs import Array, Probabilities, Scores


class ScoredHoldout(Protocol):
    """The part of a holdout that a scorer needs."""

    @property
    def metric(self) -> Metric: ...
    @property
    def classes(self) -> tuple[Any, ...]: ...
    @property
    def positive(self) -> Any: ...
    def __len__(self) -> int: ...
    def has_labels(self, labels: npt.ArrayLike) -> bool: ...
    def score(self, predictions: npt.ArrayLike) -> Release: ...


@dataclass(frozen=True)
class HoldoutScorer:
    """A scorer of fitted estimators on the holdout; every call is an attempt.

    It belongs to one set of inputs, those of the holdout in the holdout's order, so it serves searches that score on a
    fixed set (a loop, or a cross-validator with that one split), not folds. The number is the released one: candidates
    that did not improve share the number of the best one, and the first of equals wins.
    """

    holdout: ScoredHoldout
    stand_in: Any = None
    """What stands for each label in y where `search_split` made the data; None: y has the labels themselves."""

    def __call__(self, estimator: Any, X: Any, y: npt.ArrayLike | None = None) -> float:  # noqa: N803 (scikit-learn's name)
        try:
            refuse_refit()
            self._refuse_other_items(X, y)
        except InputError as refusal:
            if is_swallowed():
                raise SearchRefusedError(str(refusal)) from None
            raise
        release = self.holdout.score(self.predict(estimator, X))
        if release.value is None:
            return float("nan")
        return -release.value if self.holdout.metric.lower_is_better else release.value

    def __deepcopy__(self, memo: dict[int, Any]) -> "HoldoutScorer":
        """Return the same scorer: scikit-learn copies its arguments, and a copied guard would count separately."""
        return self

    def predict(self, estimator: Any, X: Any) -> Array:  # noqa: N803
        """Predict classes, scores, probabilities or numbers, as the metric needs them."""
        kind = self.holdout.metric.kind
        if isinstance(kind, Probabilities):
            return self._probabilities(estimator, X)
        if kind.has_columns and kind.takes == "scores":
            return self._label_scores(estimator, X)
        if isinstance(kind, Scores):
            return self._scores(estimator, X)
        return np.asarray(estimator.predict(X))

    def _label_scores(self, estimator: Any, X: Any) -> Array:  # noqa: N803
        """Scores with a column for each label; some estimators give the probabilities of each label as a table."""
        if hasattr(estimator, "decision_function"):
            return np.asarray(estimator.decision_function(X))
        found = estimator.predict_proba(X)
        return np.stack([table[:, -1] for table in found], axis=1) if isinstance(found, list) else np.asarray(found)

    def _scores(self, estimator: Any, X: Any) -> Array:  # noqa: N803
        if hasattr(estimator, "decision_function"):
            return self._decide(estimator, X)
        if hasattr(estimator, "predict_proba"):
            return self._probabilities(estimator, X)[:, -1]
        return self.refuse_classes(estimator.predict(X), of=type(estimator).__name__)

    def refuse_classes(self, predictions: npt.ArrayLike, *, of: str) -> Array:
        """Return predictions; refuse classes where the metric needs scores or probabilities.

        They would be taken for scores of 0 and 1, which says less of a model than it knows.
        """
        given, metric = np.asarray(predictions), self.holdout.metric
        needs = {Scores: "scores", Probabilities: "probabilities"}.get(type(metric.kind))
        if needs is not None and given.ndim == 1 and {*given.tolist()} <= {*self.holdout.classes}:
            raise PredictionsError(
                f"{of} predicts classes, and {metric.name} needs {needs}; give a model with predict_proba (such as "
                "CalibratedClassifierCV around this one), or score its predictions with another metric"
            )
        return given

    def _decide(self, estimator: Any, X: Any) -> Array:  # noqa: N803
        """Decision values, which are scikit-learn's for the second of its classes: higher for the positive one."""
        decisions, known = np.asarray(estimator.decision_function(X)), getattr(estimator, "classes_", None)
        is_turned = known is not None and len(known) == 2 and known[0] == self.holdout.positive
        return -decisions if is_turned else decisions

    def _probabilities(self, estimator: Any, X: Any) -> Array:  # noqa: N803
        """Predict probabilities of each of the holdout's classes; zero for those the estimator never saw."""
        if not hasattr(estimator, "predict_proba"):
            raise PredictionsError(f"{type(estimator).__name__} has no predict_proba, which this metric needs")
        given = np.asarray(estimator.predict_proba(X))
        known = list(self.holdout.classes)
        table = np.zeros((len(given), len(known)))
        for column, name in enumerate(np.asarray(estimator.classes_).tolist()):
            if name not in known:
                raise PredictionsError(f"the estimator knows the class {name!r}, which the holdout does not have")
            table[:, known.index(name)] = given[:, column]
        return table

    def _refuse_other_items(self, X: Any, y: npt.ArrayLike | None) -> None:  # noqa: N803
        items = count_rows(X)
        if items != len(self.holdout):
            raise InputError(
                f"X has {items} rows, the holdout {len(self.holdout)} items; this scorer takes the holdout's own "
                "inputs in the holdout's order, not a fold of other data; use holdout.search_split"
            )
        if self.stand_in is not None and y is not None and np.all(np.asarray(y) == self.stand_in):
            return
        if y is not None and not self.holdout.has_labels(y):
            raise InputError("y differs from the holdout's labels; give the holdout's own X and y in its order")


def make_search_split(holdout: ScoredHoldout, X: Any, y: npt.ArrayLike, X_holdout: Any) -> SearchSplit:  # noqa: N803
    """Make the data and the settings of a search that is scored by a holdout."""
    labels = np.asarray(y)
    check_rows(X, labels, X_holdout, len(holdout))
    settings = {
        "cv": OneSplit(len(labels), len(holdout)),
        "scoring": HoldoutScorer(holdout, stand_in=labels[0]),
        "refit": False,
        "return_train_score": False,
        "error_score": "raise",
    }
    stood_in = np.concatenate([labels, np.repeat(labels[:1], len(holdout), axis=0)])
    return SearchSplit(stack_rows(X, X_holdout), stood_in, settings, X, labels)
