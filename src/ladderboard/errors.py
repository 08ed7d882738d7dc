"""Every error Ladderboard raises, in one tree.

    LadderboardError
    ├── InputError (also a ValueError)      what was given cannot be used; nothing was charged
    │   ├── LabelsError                     the holdout's labels, weights or groups
    │   ├── PredictionsError                a submission's predictions
    │   └── ParameterError                  an option, a name or a number out of range
    ├── UndefinedMetricError                the metric has no value on these items
    ├── HoldoutSpentError                   the budget is used up; no more numbers are told
    └── GuardFileError                      a holdout's file cannot be used
        └── WrongLabelsError                these are not the labels the file was made with

Each class has a stable ``code`` for programs; the words may be improved at any time.
"""

from collections.abc import Iterable
from typing import ClassVar


class LadderboardError(Exception):
    """The root of every error we raise."""

    code: ClassVar[str] = "error"


class InputError(LadderboardError, ValueError):
    """What was given cannot be used."""

    code = "bad_input"


class LabelsError(InputError):
    """The labels, weights or groups of a holdout cannot be used."""

    code = "bad_labels"


class PredictionsError(InputError):
    """The predictions of a submission cannot be used. Depends on no label."""

    code = "bad_predictions"


class ParameterError(InputError):
    """An option is unknown or out of range."""

    code = "bad_parameter"


class UndefinedMetricError(LadderboardError):
    """The metric has no value on these items, and none is made up."""

    code = "undefined_metric"


class HoldoutSpentError(LadderboardError):
    """The holdout has told all it may tell."""

    code = "holdout_spent"


class GuardFileError(LadderboardError):
    """The file of a holdout guard cannot be used."""

    code = "guard_file"


class WrongLabelsError(GuardFileError):
    """The labels differ from those the guard's file was made with."""

    code = "wrong_labels"


def unknown_name(word: str, given: str, known: Iterable[str]) -> str:
    """The sentence for a name that is not in a list, with the nearest ones first.

    >>> unknown_name("metric", "acuracy", ["accuracy", "auc"])
    "there is no metric 'acuracy'; did you mean accuracy? Known: accuracy, auc"
    """
    from difflib import get_close_matches

    names = sorted(known)
    near = get_close_matches(given, names, n=1)
    hint = f"did you mean {near[0]}? " if near else ""
    return f"there is no {word} {given!r}; {hint}Known: {', '.join(names)}"
