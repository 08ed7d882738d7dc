"""Opening a guard on the command line: its labels, its metric, and a file of predictions in its order."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ladderboard.cli._shared.files import ItemColumns, ItemRows, read_rows
from ladderboard.cli._shared.metric_option import MetricOption
from ladderboard.cli.guard.graded_items import read_given_scores
from ladderboard.cli.guard.note import Note, read_settings
from ladderboard.core.errors import LabelsError, PredictionsError
from ladderboard.guard.graded import GradingHoldout
from ladderboard.guard.holdout import Holdout
from ladderboard.guard.tasks import read_outputs

if TYPE_CHECKING:
    from ladderboard.metrics.base import Metric

FILE = click.Path(dir_okay=False, path_type=Path)
BESIDE = ("Usage",)
"""The split of a competition, which a guard does not use: all rows count."""


class ItemFile(NamedTuple):
    """A file of predictions, and what was said of its columns."""

    path: Path
    columns: tuple[str, ...]
    id: str | None


@contextmanager
def open_with_predictions(
    path: Path, labels: Path | None, file: ItemFile, metric: str | None
) -> Iterator[tuple[Holdout, Any]]:
    """Open a guard and read predictions in its order, or scores of graded items; errors name the file's rows."""
    _check_labels(path, labels)
    if labels is None:
        named_scores = (*file.columns, metric) if metric else file.columns
        with _open_graded(path) as guard:
            if isinstance(guard, GradingHoldout):
                yield guard, read_outputs(file.path)
            else:
                yield guard, read_given_scores(guard, file.path, named_scores, file.id)
        return
    known, named, loaded = _read_labels(path, labels, file.id, metric)
    wanted = ItemColumns(file.columns, _find_id_column(named, file.path))
    given = read_rows(
        file.path, wanted, word="prediction", classes=_find_classes(known, loaded), are_texts=loaded.kind.has_texts
    )
    with _open_quietly(path, known, loaded) as guard:
        try:
            yield guard, given.align_to(known)
        except PredictionsError as error:
            raise given.locate(error, known) from None


def open_guard(path: Path, labels: Path | None, id_column: str | None, metric: str | None) -> Holdout:
    """Open the guard with its labels, or a guard of graded items, which has none."""
    _check_labels(path, labels)
    if labels is None:
        return _open_graded(path)
    known, _, loaded = _read_labels(path, labels, id_column, metric)
    return _open_quietly(path, known, loaded, ids=known.ids)


def open_rows(path: Path, rows: ItemRows, metric: "Metric", **made_with: Any) -> Holdout:
    """Open the guard of the labels in a file, or create it."""
    try:
        labels = rows.as_labels(is_table=metric.kind.has_columns)
        return Holdout(labels, metric, path=path, weight=rows.weight, group=rows.group, **made_with)
    except LabelsError as error:
        raise rows.locate(error) from None


@contextmanager
def show_warnings() -> Iterator[None]:
    """Print warnings on stderr."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in caught:
        click.echo(f"Warning: {warning.message}", err=True)


def _check_labels(path: Path, labels: Path | None) -> None:
    if (labels is None) == (read_settings(path).item_list is None):
        raise click.UsageError(
            "give --labels, the file that `init` was given"
            if labels is None
            else f"{path} guards graded items, which have no labels; leave --labels out"
        )


def _open_graded(path: Path) -> Holdout:
    note = Note.parse(read_settings(path).note)
    with show_warnings():
        if note.grader is None:
            return Holdout.from_item_scores(path=path)
        return Holdout.from_grader(Path(str(note.tasks)), Path(note.grader), path=path)


def _open_quietly(path: Path, rows: ItemRows, metric: "Metric", **made_with: Any) -> Holdout:
    with show_warnings():
        return open_rows(path, rows, metric, **made_with)


def _read_labels(
    path: Path, labels: Path, id_column: str | None, metric: str | None
) -> "tuple[ItemRows, ItemColumns, Metric]":
    """Read the labels as `init` found them: the rows, their columns, and the metric."""
    settings = read_settings(path)
    note = Note.parse(settings.note)
    option = MetricOption(**{"name": settings.metric, **note.metric, **({"name": metric} if metric else {})})
    named = ItemColumns(**note.columns).with_id(id_column)
    loaded = option.load()
    rows = read_rows(
        labels, named, word="label", beside=BESIDE, is_table=loaded.kind.has_columns, are_texts=loaded.kind.has_texts
    )
    return rows, named, loaded


def _find_classes(labels: ItemRows, metric: "Metric") -> list[str]:
    """List what predictions may have a column for, in order: each class, or each label or target."""
    if metric.kind.has_columns:
        return list(labels.columns)
    if metric.kind.takes != "probabilities":
        return []
    return [str(one) for one in metric.kind.trusting_classes().read_labels(labels.values).classes]


def _find_id_column(labels: ItemColumns, predictions: Path) -> str | None:
    """Find the predictions' id column, named as the labels'; an array has none and is read in order."""
    return None if predictions.suffix == ".npy" else labels.id
