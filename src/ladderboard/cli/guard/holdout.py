"""`ladderboard holdout`: the personal holdout guard, for shells and continuous integration."""

import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ladderboard.cli._shared.lazy_group import LazyGroup
from ladderboard.cli._shared.metric_option import MetricOption, add_metric_options
from ladderboard.cli.guard.graded_items import GradedOptions, create_graded_guard, read_given_scores
from ladderboard.cli.guard.note import Note, read_settings, save_note

if TYPE_CHECKING:
    from ladderboard.cli._shared.files import ItemColumns, ItemRows
    from ladderboard.core.records import Release
    from ladderboard.guard.file_schema import GuardSettings
    from ladderboard.guard.holdout import Holdout
    from ladderboard.metrics.base import Metric

NOT_IMPROVED = 3
BESIDE = ("Usage",)
"""The split of a competition, which a guard does not use: all rows count."""

FILE = click.Path(dir_okay=False, path_type=Path)


COMMANDS = {
    "serve": ("ladderboard.cli.guard.serve:serve", "Serve the holdout to other processes, users and agents."),
    "ask": ("ladderboard.cli.guard.ask:ask", "Ask a holdout service to score predictions, or where it stands."),
    "clients": ("ladderboard.cli.guard.clients:clients", "Manage who may ask a holdout service: add, revoke, list."),
}
"""The commands in files of their own: name → (module:object, one-line help)."""


@click.group(cls=LazyGroup, commands_by_name=COMMANDS)
def holdout() -> None:
    r"""Guard a holdout set so that you can use it again and again.

    The guard's file records every attempt and never holds the labels: `score` reads them each time.

    \b
    Example:
      ladderboard holdout init labels.csv --metric error_rate --to holdout.db
      ladderboard holdout score holdout.db --labels labels.csv predictions.csv
      ladderboard holdout status holdout.db
    """


@holdout.command(short_help="Create a guard for a holdout set.")
@click.argument("labels", type=FILE, required=False)
@click.option("--items", type=FILE, help="Instead of labels: the items that are graded outside.")
@click.option("--bounds", type=float, nargs=2, metavar="LOW HIGH", help="The range of an item's score.  [default: 0 1]")
@click.option("--baseline", type=float, help="The mean score to beat first.  [default: the worse bound]")
@click.option("--to", "path", required=True, type=FILE, help="The guard's file to create.")
@add_metric_options("error_rate")
@click.option("--mechanism", help="The rule that decides which scores are shown.  [default: witness_ladder]")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="A mechanism parameter; repeatable.")
@click.option("--column", "columns", multiple=True, metavar="COLUMN", help="The label column; repeatable.")
@click.option("--id", "id_column", metavar="COLUMN", help="The column that names the items.")
@click.option("--weight", metavar="COLUMN", help="The column of positive item weights.")
@click.option("--group", metavar="COLUMN", help="The column that groups items, such as the rows of one patient.")
@click.option("--seed", type=int, help="Makes the secret split and all noise reproducible.")
def init(
    labels: Path | None,
    *,
    items: Path | None,
    bounds: tuple[float, float] | None,
    baseline: float | None,
    path: Path,
    mechanism: str | None,
    settings: tuple[str, ...],
    columns: tuple[str, ...],
    id_column: str | None,
    weight: str | None,
    group: str | None,
    seed: int | None,
    **metric_options: Any,
) -> None:
    r"""Create a guard for the holdout set with the labels in LABELS (.csv, .tsv, .parquet or .npy), or for --items.

    Items that are graded outside (LLM tasks, Dice, ROUGE) need no labels: `score` then takes their scores.

    \b
    Example:
      ladderboard holdout init labels.csv --metric auc --column y --id row --to holdout.db
      ladderboard holdout init labels.npy --mechanism ladder --set step_size=0.01 --to holdout.db
      ladderboard holdout init labels.csv --metric mine.py:cost --lower-is-better --to holdout.db
      ladderboard holdout init --items items.csv --bounds 0 5 --to holdout.db
    """
    from ladderboard.cli._shared.files import ItemColumns, read_rows
    from ladderboard.cli._shared.parameters import parse_parameters
    from ladderboard.mechanisms import make_mechanism

    _refuse_existing(path)
    named = ItemColumns(columns, id_column, weight, group)
    option = MetricOption.take(metric_options).resolve()
    is_named = click.get_current_context().get_parameter_source("metric") is click.core.ParameterSource.COMMANDLINE
    graded = GradedOptions(items, bounds, baseline, option.lower_is_better, option.name if is_named else None)
    graded.check(labels)
    chosen = make_mechanism(mechanism, **parse_parameters(settings))
    with _show_warnings():
        if labels is None:
            guard = create_graded_guard(path, graded, named, chosen, seed)
        else:
            rows = read_rows(labels, named, word="label", beside=BESIDE)
            guard = _open(path, rows, option.load(), mechanism=chosen, seed=seed)
    with guard:
        save_note(path, Note(asdict(option), asdict(named)))
        click.echo(
            f"{path} guards {len(guard)} items with {guard.mechanism.name}; {guard.metric.name} so far: {guard.best}"
        )


@holdout.command(short_help="Score predictions; every new file is an attempt.")
@click.argument("path", metavar="GUARD", type=FILE)
@click.argument("predictions", type=FILE)
@click.option("--labels", type=FILE, help="The labels, as given to `init`; graded items have none.")
@click.option("--column", "columns", multiple=True, metavar="COLUMN", help="The column or score to take; repeatable.")
@click.option("--id", "id_column", metavar="COLUMN", help="The column that names the items, in both files.")
@click.option("--metric", help="Of samples, the score to take. If you moved your own metric: its file.py:function.")
@click.option("--training-score", type=float, help="The score on your training data, for mechanisms that compare it.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.pass_context
def score(
    ctx: click.Context,
    path: Path,
    predictions: Path,
    *,
    labels: Path | None,
    columns: tuple[str, ...],
    id_column: str | None,
    metric: str | None,
    training_score: float | None,
    as_json: bool,
) -> None:
    r"""Score PREDICTIONS on the holdout of GUARD; every new file is an attempt.

    Exit code: 0 improved; 3 not improved; 2 bad input, no attempt used; 4 the holdout is spent. The same predictions
    again cost nothing, and count as improved only while they are the proven entry.

    \b
    Example:
      ladderboard holdout score holdout.db --labels labels.csv predictions.csv --column p --id row
      ladderboard holdout score holdout.db samples.jsonl
    """
    settings = read_settings(path)
    _refuse_other_kind(path, labels, settings)
    if labels is None:
        named = (*columns, metric) if metric else columns
        release = _score_items(path, ItemFile(predictions, named, id_column), as_json=as_json)
    else:
        given = ItemFile(predictions, columns, id_column)
        release = _score_predictions(
            path, labels, given, settings, metric=metric, training_score=training_score, as_json=as_json
        )
    ctx.exit(0 if release.improved else NOT_IMPROVED)


@holdout.command(short_help="Show attempts, the board and the information released; needs no labels.")
@click.argument("path", metavar="GUARD", type=FILE)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def status(path: Path, *, as_json: bool) -> None:
    r"""Show the attempts, the board and the information released by GUARD; needs no labels.

    \b
    Example:
      ladderboard holdout status holdout.db
    """
    from rich.console import Console

    from ladderboard.cli.guard.holdout_report import describe_status, status_as_json
    from ladderboard.guard.file import GuardFile

    guard = GuardFile.open(path)
    if as_json:
        click.echo(json.dumps(status_as_json(guard)))
    else:
        console = Console(highlight=False)
        for line in describe_status(guard, width=min(console.width, 100)):
            console.print(line, soft_wrap=True)
    guard.close()


class ItemFile(NamedTuple):
    """A file of predictions, and what was said of its columns."""

    path: Path
    columns: tuple[str, ...]
    id: str | None


def _score_predictions(
    path: Path,
    labels: Path,
    file: ItemFile,
    settings: "GuardSettings",
    *,
    metric: str | None,
    training_score: float | None,
    as_json: bool,
) -> "Release":
    from ladderboard.cli._shared.files import ItemColumns, read_rows
    from ladderboard.core.errors import PredictionsError

    known, named, option = _read_labels(settings, labels, file.id, metric)
    wanted = ItemColumns(file.columns, _find_id_column(named, file.path))
    given = read_rows(file.path, wanted, word="prediction", classes=_find_classes(known, option.load()))
    with _show_warnings():
        opened = _open(path, known, option.load())
    with opened as guard:
        try:
            release = guard.score(given.align_to(known), training_score=training_score)
        except PredictionsError as error:
            raise given.locate(error, known) from None
        _print_release(guard, release, as_json=as_json)
    return release


def open_guard(path: Path, labels: Path | None, id_column: str | None, metric: str | None) -> "Holdout":
    """Open the guard with its labels, or a guard of graded items, which has none."""
    from ladderboard.guard.holdout import Holdout

    settings = read_settings(path)
    _refuse_other_kind(path, labels, settings)
    with _show_warnings():
        if labels is None:
            return Holdout.from_item_scores(path=path)
        known, _, option = _read_labels(settings, labels, id_column, metric)
        return _open(path, known, option.load(), ids=known.ids)


def _refuse_other_kind(path: Path, labels: Path | None, settings: "GuardSettings") -> None:
    """Refuse labels for a guard of graded items, and a guard of labels without them."""
    if (labels is None) == (settings.item_list is None):
        raise click.UsageError(
            "give --labels, the file that `init` was given"
            if labels is None
            else f"{path} guards graded items, which have no labels; leave --labels out"
        )


def _read_labels(
    settings: "GuardSettings", labels: Path, id_column: str | None, metric: str | None
) -> "tuple[ItemRows, ItemColumns, MetricOption]":
    """Read the labels as `init` found them: the rows, their columns, and the metric."""
    from ladderboard.cli._shared.files import ItemColumns, read_rows

    note = Note.parse(settings.note)
    option = MetricOption(**{"name": settings.metric, **note.metric, **({"name": metric} if metric else {})})
    named = ItemColumns(**note.columns).with_id(id_column)
    return read_rows(labels, named, word="label", beside=BESIDE), named, option


def _score_items(path: Path, file: ItemFile, *, as_json: bool) -> "Release":
    from ladderboard.guard.holdout import Holdout

    with _show_warnings():
        opened = Holdout.from_item_scores(path=path)
    with opened as guard:
        release = guard.score(read_given_scores(guard, *file))
        _print_release(guard, release, as_json=as_json)
    return release


@contextmanager
def _show_warnings() -> Iterator[None]:
    """Print warnings on stderr."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in caught:
        click.echo(f"Warning: {warning.message}", err=True)


def _open(path: Path, rows: "ItemRows", metric: "Metric", **made_with: Any) -> "Holdout":
    """Open the guard of the labels in a file."""
    from ladderboard.core.errors import LabelsError
    from ladderboard.guard.holdout import Holdout

    try:
        return Holdout(rows.values, metric, path=path, weight=rows.weight, group=rows.group, **made_with)
    except LabelsError as error:
        raise rows.locate(error) from None


def _refuse_existing(path: Path) -> None:
    """Refuse to overwrite a guard: a second `init` is no fresh start."""
    if path.exists():
        from ladderboard.core.errors import GuardFileError

        raise GuardFileError(f"{path} already exists; score with it, or choose another name")


def _find_classes(labels: "ItemRows", metric: "Metric") -> list[str]:
    """List the classes that predictions may have a column of probabilities for, in sorted order."""
    if metric.kind.takes != "probabilities":
        return []
    return [str(one) for one in metric.kind.read_labels(labels.values).classes]


def _find_id_column(labels: "ItemColumns", predictions: Path) -> str | None:
    """Find the predictions' id column, named as the labels'; an array has none and is read in order."""
    return None if predictions.suffix == ".npy" else labels.id


def _print_release(guard: "Holdout", release: "Release", *, as_json: bool) -> None:
    from ladderboard.cli.guard.holdout_report import describe_release, release_as_json

    if as_json:
        click.echo(json.dumps(release_as_json(guard, release)))
    else:
        for line in describe_release(guard, release):
            click.echo(line)
