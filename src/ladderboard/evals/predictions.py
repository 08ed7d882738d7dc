"""Predictions of systems beside a column of labels → losses."""

from collections.abc import Callable, Mapping

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.core.records import FloatArray
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.metrics.base import Metric
from ladderboard.metrics.inputs import Array
from ladderboard.metrics.positive import choose_positive
from ladderboard.tabular.table import locate_error

Place = Callable[[int], str]


def find_wrong_answers(file: str, systems: Mapping[str, Array], labels: Array, place: Place) -> FloatArray:
    """1 where a prediction differs from the label, NaN where it is missing."""
    if _find_absent(labels).any():
        raise InputError(f"{file}, {place(int(np.argmax(_find_absent(labels))))}: the label is missing")
    losses = np.empty((len(labels), len(systems)))
    for j, (name, values) in enumerate(systems.items()):
        if _is_text(values) != _is_text(labels):
            words = ("text", "numbers") if _is_text(values) else ("numbers", "text")
            raise InputError(f"{file}: column {name!r} holds {words[0]}, the labels are {words[1]}")
        losses[:, j] = np.where(_find_absent(values), np.nan, values != labels)
    return losses


def score_by_metric(file: str, systems: Mapping[str, Array], labels: Array, place: Place, metric: Metric) -> FloatArray:
    """The contributions of a metric, negated where higher is better."""
    try:
        key = AnswerKey(labels, choose_positive(metric, labels, how="write the labels as 0 and 1, 1 for that class"))
    except InputError as problem:
        raise locate_error(problem, file, place) from None
    columns = []
    for name, values in systems.items():
        try:
            columns.append(key.evaluate(key.read(values)).losses)
        except InputError as problem:
            raise locate_error(problem, f"{file}, column {name!r}", place) from None
    return np.stack(columns, axis=1) if columns else np.empty((len(labels), 0))


def _is_text(values: Array) -> bool:
    return values.dtype.kind in "OUS"


def _find_absent(values: Array) -> Array:
    if values.dtype.kind == "f":
        return np.isnan(values)
    return np.array([value is None for value in values]) if values.dtype.kind == "O" else np.zeros(len(values), bool)
