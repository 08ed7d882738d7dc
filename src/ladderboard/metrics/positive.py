"""The positive class of two: the one that scores, probabilities and F1 are about.

It is known where labels are 0 and 1, −1 and 1, or words that nobody could take the other way round. Of other labels the
greater one was taken once, in silence: of "diseased" and "healthy" the healthy. Now it must be said.
"""

from typing import Any

import numpy.typing as npt

from ladderboard.core.arrays import show_value
from ladderboard.core.errors import LabelsError, ParameterError
from ladderboard.metrics.base import Metric

KNOWN = (
    ("0", "1"),
    ("-1", "1"),
    ("false", "true"),
    ("f", "t"),
    ("no", "yes"),
    ("n", "y"),
    ("negative", "positive"),
    ("neg", "pos"),
    ("absent", "present"),
    ("off", "on"),
)
"""Pairs of labels, in lower case, of which the second is positive without being named."""


def choose_positive(metric: Metric, labels: npt.ArrayLike, given: Any = None, *, how: str = "positive=…") -> Metric:
    """The metric with the positive class that was given or is known; raises `LabelsError` where it must be asked for.

    ``how`` says where the user would name it. Raises `ParameterError` where the metric has no positive class.

    >>> from ladderboard.metrics import METRICS
    >>> choose_positive(METRICS["auc"], ["diseased", "healthy"], "diseased").kind.positive
    'diseased'
    >>> choose_positive(METRICS["auc"], ["diseased", "healthy"])
    Traceback (most recent call last):
        ...
    ladderboard.core.errors.LabelsError: which class is positive, 'diseased' or 'healthy'? auc needs to know: positive=…
    """
    given = metric.kind.positive if given is None else given
    if not metric.kind.has_positive:
        return _refuse_needless(metric, given, "it compares classes or numbers")
    target = metric.kind.with_positive(None).read_labels(labels)
    if target.positive is None:
        return _refuse_needless(metric, given, f"there are {len(target.classes)} classes")
    first, second = target.classes
    if given is not None:
        return metric.with_positive(match_class(given, target.classes))
    if not is_known((first, second)):
        raise LabelsError(ask_for_positive(metric.name, (first, second), how))
    return metric.with_positive(second)


def is_known(classes: tuple[Any, Any]) -> bool:
    """Whether nobody could doubt that the second of two sorted classes is the positive one.

    >>> is_known((0, 1)), is_known(("no", "yes")), is_known(("bad", "good")), is_known((1, 2))
    (True, True, False, False)
    """
    return (_spell(classes[0]).lower(), _spell(classes[1]).lower()) in KNOWN


def match_class(given: Any, classes: tuple[Any, ...]) -> Any:
    """Find the class that was named, as a value or as it is written; raises `ParameterError`."""
    for one in classes:
        if given == one or _spell(given) == _spell(one):
            return one
    shown = " and ".join(show_value(one) for one in classes)
    raise ParameterError(f"positive is {show_value(given)}, but the classes are {shown}; name one of them")


def ask_for_positive(metric: str, classes: tuple[Any, Any], how: str) -> str:
    """Ask which class is positive, for whoever holds the labels."""
    first, second = (show_value(one) for one in classes)
    return f"which class is positive, {first} or {second}? {metric} needs to know: {how}"


def describe_positive(takes: str, positive: Any) -> str:
    """Say which class is positive and what that means for predictions; ``takes`` is what those are.

    >>> describe_positive("scores", "diseased")
    'The positive class is diseased: predict higher values where it is likelier.'
    """
    if takes == "scores":
        return f"The positive class is {positive}: predict higher values where it is likelier."
    if takes == "probabilities":
        return f"The positive class is {positive}: one column holds its probability."
    return f"The positive class is {positive}."


def _refuse_needless(metric: Metric, given: Any, because: str) -> Metric:
    if given is not None:
        raise ParameterError(f"{metric.name} has no positive class ({because}); leave positive out")
    return metric


def _spell(one: Any) -> str:
    if isinstance(one, float) and one.is_integer():
        return str(int(one))
    return str(one).lower() if isinstance(one, bool) else str(one)
