"""A guard's metric with what was settled when the guard was made: its positive class, and what its labels are."""

import json
from pathlib import Path
from typing import Any

import numpy.typing as npt

from ladderboard.core.arrays import show_value
from ladderboard.core.errors import GuardFileError
from ladderboard.guard.file import GuardFile
from ladderboard.metrics.base import Metric
from ladderboard.metrics.positive import choose_positive, match_class

HOW = "positive=… (on the command line --positive)"


def settle_metric(metric: Metric, labels: npt.ArrayLike, given: Any, path: Path | None) -> Metric:
    """The metric with the positive class of the guard at ``path``; of a new guard the one given or known.

    A file of an earlier version goes on with the class that it used, the greater of the two labels, and with numbers
    that it took for classes.
    """
    if path is None or not path.exists():
        return choose_positive(metric, labels, given, how=HOW)
    metric = metric.trusting_classes()
    if not metric.kind.has_positive:
        return choose_positive(metric, labels, given, how=HOW)
    given = metric.kind.positive if given is None else given
    target = metric.kind.with_positive(None).read_labels(labels)
    if target.positive is None:
        return choose_positive(metric, labels, given, how=HOW)
    used = _read_used(path, target.classes)
    if given is not None and match_class(given, target.classes) != used:
        raise GuardFileError(
            f"{path} was made with the positive class {show_value(used)}; leave positive out, or choose another path"
        )
    return metric.with_positive(used)


def encode_positive(positive: Any) -> str | None:
    """The positive class as the guard's file keeps it."""
    if positive is None:
        return None
    return json.dumps(positive.decode("latin-1") if isinstance(positive, bytes) else positive, ensure_ascii=False)


def _read_used(path: Path, classes: tuple[Any, ...]) -> Any:
    """The class that the file has used so far; the greater one where it says none, or one of other labels."""
    guard = GuardFile.open(path)
    guard.close()
    return next((one for one in classes if encode_positive(one) == guard.settings.positive), classes[1])
