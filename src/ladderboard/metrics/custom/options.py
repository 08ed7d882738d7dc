"""Options of a metric made from a function, and the checks of their values."""

import inspect
import math
from collections.abc import Callable

import numpy as np

from ladderboard.core.errors import ParameterError
from ladderboard.core.scales import LOG, LOG_COMPLEMENT, Scale
from ladderboard.metrics._families.confusion import class_rates
from ladderboard.metrics.error_rate import majority_class
from ladderboard.metrics.inputs import (
    Array,
    Classes,
    InputKind,
    Numbers,
    Probabilities,
    Scores,
    Survival,
    TwoClasses,
)

KINDS: dict[str, InputKind] = {
    "numbers": Numbers(),
    "classes": Classes(),
    "two_classes": TwoClasses(),
    "scores": Scores(),
    "probabilities": Probabilities(),
    "survival": Survival(),
}
"""What the function may take, by the name of ``takes``."""

FEWEST_GROUPS = 10

CONSTANTS: dict[str, Callable[[Array], Array]] = {
    "mean": lambda y: np.full_like(y, y.mean()),
    "median": lambda y: np.full_like(y, np.median(y)),
    "majority": majority_class,
    "base_rate": lambda y: np.tile(class_rates(y), (len(y), 1)),
}
"""The constant predictions that a baseline may be, from the labels (class codes where they are classes)."""

CONSTANTS_FOR = {
    "numbers": ("mean", "median"),
    "classes": ("majority",),
    "two_classes": ("majority",),
    "probabilities": ("base_rate",),
}
"""Which of them suit what the function takes; the first is the default."""


def read_name(function: Callable[..., float], given: str | None) -> str:
    """The given name, else the function's own."""
    name = given or getattr(function, "__name__", "")
    if not name or name == "<lambda>":
        raise ParameterError("the function has no name of its own; give name=…")
    return str(name)


def takes_weights(function: Callable[..., float]) -> bool:
    """Whether there is a parameter ``sample_weight``; refuses what cannot be called with labels and predictions.

    >>> takes_weights(lambda labels, predictions, sample_weight=None: 0.0)
    True
    """
    try:
        signature = inspect.signature(function)
    except TypeError:
        raise ParameterError(f"{function!r} is not a function") from None
    except ValueError:  # some built-in functions have no signature
        return False
    weights = {"sample_weight": None} if "sample_weight" in signature.parameters else {}
    try:
        signature.bind(None, None, **weights)
    except TypeError:
        raise ParameterError(
            f"the function has the signature {signature}; it must take (labels, predictions) "
            "or (labels, predictions, sample_weight)"
        ) from None
    return bool(weights)


def check_baseline(baseline: str | float | None, takes: str) -> str | float:
    """The name of a constant that suits, or the value without skill as a float."""
    suitable = CONSTANTS_FOR.get(takes, ())
    if baseline is None and suitable:
        return suitable[0]
    if isinstance(baseline, str) and baseline in suitable:
        return baseline
    if isinstance(baseline, int | float) and math.isfinite(baseline):
        return float(baseline)
    named = "".join(f"{name!r} or " for name in suitable)
    raise ParameterError(
        f"baseline is {baseline!r}; for a metric that takes {takes} give {named}a number, the value without skill"
    )


def check_bounds(bounds: tuple[float, float], scale: Scale) -> tuple[float, float]:
    """The bounds as floats, in order and within what the scale is for."""
    low, high = float(bounds[0]), float(bounds[1])
    if not low < high:
        raise ParameterError(f"bounds are {bounds}; the first must be below the second")
    lowest, highest = (0.0, math.inf) if scale is LOG else scale.ends or (-math.inf, math.inf)
    if high > highest or (low < lowest and scale is not LOG_COMPLEMENT):
        raise ParameterError(
            f"the scale {scale.name} is for values from {lowest:g} to {highest:g}, but bounds are {bounds}"
        )
    return low, high


def check_groups(groups: int) -> int:
    """The number of groups of a jackknife; fewer than ten know a standard error too badly."""
    if not isinstance(groups, int) or groups < FEWEST_GROUPS:
        raise ParameterError(f"jackknife_groups is {groups!r}; give a whole number of at least {FEWEST_GROUPS}")
    return groups
