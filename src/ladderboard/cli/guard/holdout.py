"""`ladderboard holdout`: the personal guard on files, for shells and continuous integration."""

import json
import warnings
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ladderboard.cli._shared.lazy_group import LazyGroup

if TYPE_CHECKING:
    from ladderboard.cli._shared.files import Columns, Rows
    from ladderboard.core.records import Release
    from ladderboard.guard.file_schema import GuardSettings
    from ladderboard.guard.holdout import Holdout
    from ladderboard.metrics.base import Metric

NOT_IMPROVED = 3

COMMANDS = {
    "init": ("ladderboard.cli.guard.holdout:init", "Make the guard of a holdout set."),
    "score": ("ladderboard.cli.guard.holdout:score", "Score predictions; every new file is an attempt."),
    "status": ("ladderboard.cli.guard.holdout:status", "Attempts, the board, and how much was told; needs no labels."),
}

FILE = click.Path(dir_okay=False, path_type=Path)


@click.group(cls=LazyGroup, commands_by_name=COMMANDS)
def holdout() -> None:
    r"""A holdout set that may be asked again and again.

    The guard's file remembers every attempt and never holds the labels: `score` takes them again each time.

    \b
    Example:
      ladderboard holdout init labels.csv --metric error_rate --to holdout.db
      ladderboard holdout score holdout.db --labels labels.csv predictions.csv
      ladderboard holdout status holdout.db
    """


@dataclass(frozen=True)
class Note:
    """What `score` has to know again: how `init` found the labels and the metric. Kept in the guard's file."""

    metric: dict[str, Any] = field(default_factory=dict)
    columns: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str) -> "Note":
        return cls(**json.loads(text)) if text else cls()


@click.command()
@click.argument("labels", type=FILE)
@click.option("--to", "path", required=True, type=FILE, help="The guard's file, made new.")
@click.option("--metric", default="error_rate", show_default=True, help="A name, or path/to/file.py:function.")
@click.option("--lower-is-better/--higher-is-better", default=None, help="The direction of a function of your own.")
@click.option("--takes", default="numbers", show_default=True, help="What a function of your own takes as predictions.")
@click.option("--mechanism", help="The rule that releases numbers.  [default: witness_ladder]")
@click.option(
    "--set", "settings", multiple=True, metavar="NAME=VALUE", help="A parameter of the mechanism; repeatable."
)
@click.option("--column", "columns", multiple=True, metavar="COLUMN", help="The label column; repeatable.")
@click.option("--id", "id_column", metavar="COLUMN", help="The column that names the items.")
@click.option("--weight", metavar="COLUMN", help="A positive weight for each item.")
@click.option("--group", metavar="COLUMN", help="Items that belong together, such as the rows of one patient.")
@click.option("--seed", type=int, help="Makes the secret split and all noise repeatable.")
def init(
    labels: Path,
    *,
    path: Path,
    metric: str,
    lower_is_better: bool | None,
    takes: str,
    mechanism: str | None,
    settings: tuple[str, ...],
    columns: tuple[str, ...],
    id_column: str | None,
    weight: str | None,
    group: str | None,
    seed: int | None,
) -> None:
    r"""Make the guard of the holdout set whose labels are in LABELS (.csv, .tsv, .parquet or .npy).

    \b
    Example:
      ladderboard holdout init labels.csv --metric auc --column y --id row --to holdout.db
      ladderboard holdout init labels.npy --mechanism ladder --set step_size=0.01 --to holdout.db
      ladderboard holdout init labels.csv --metric mine.py:cost --lower-is-better --to holdout.db
    """
    from ladderboard.cli._shared.files import Columns, read_rows
    from ladderboard.cli._shared.metric_option import MetricOption
    from ladderboard.mechanisms import make_mechanism

    _refuse_existing(path)
    named = Columns(columns, id_column, weight, group)
    option = MetricOption(metric, lower_is_better, takes).located()
    rows = read_rows(labels, named, word="label")
    chosen = make_mechanism(mechanism, **_parameters(settings))
    with _open(path, rows, option.metric(), mechanism=chosen, seed=seed) as guard:
        _keep_note(path, Note(asdict(option), asdict(named)))
        click.echo(
            f"{path} guards {len(guard)} items with {guard.mechanism.name}; {guard.metric.name} now: {guard.best}"
        )


@click.command()
@click.argument("path", metavar="GUARD", type=FILE)
@click.argument("predictions", type=FILE)
@click.option("--labels", required=True, type=FILE, help="The labels, as given to `init`.")
@click.option("--column", "columns", multiple=True, metavar="COLUMN", help="The prediction column; repeatable.")
@click.option("--id", "id_column", metavar="COLUMN", help="The column that names the items, in both files.")
@click.option("--metric", help="Where the file of your own metric is now, as path/to/file.py:function.")
@click.option("--training-score", type=float, help="For mechanisms that compare with it, such as thresholdout.")
@click.option("--json", "as_json", is_flag=True, help="The release as JSON.")
@click.pass_context
def score(
    ctx: click.Context,
    path: Path,
    predictions: Path,
    *,
    labels: Path,
    columns: tuple[str, ...],
    id_column: str | None,
    metric: str | None,
    training_score: float | None,
    as_json: bool,
) -> None:
    r"""Score PREDICTIONS against the holdout that GUARD guards; every new file is an attempt.

    Exit code: 0 improved, 3 not improved, 2 bad input (nothing charged), 4 the holdout is spent.

    \b
    Example:
      ladderboard holdout score holdout.db --labels labels.csv predictions.csv --column p --id row
    """
    from ladderboard.cli._shared.files import Columns, read_rows
    from ladderboard.cli._shared.metric_option import MetricOption
    from ladderboard.core.errors import PredictionsError

    settings = _settings_of(path)
    note = Note.of(settings.note)
    option = MetricOption(**{"name": settings.metric, **note.metric, **({"name": metric} if metric else {})})
    named = Columns(**note.columns).with_id(id_column)
    known = read_rows(labels, named, word="label")
    given = read_rows(predictions, Columns(columns, _id_column(named, predictions)), word="prediction")
    with _open(path, known, option.metric()) as guard:
        try:
            release = guard.score(given.in_order_of(known), training_score=training_score)
        except PredictionsError as error:
            raise given.located(error, known) from None
        _print_release(guard, release, as_json=as_json)
    ctx.exit(0 if release.improved else NOT_IMPROVED)


@click.command()
@click.argument("path", metavar="GUARD", type=FILE)
@click.option("--json", "as_json", is_flag=True, help="Everything that was told, as JSON.")
def status(path: Path, *, as_json: bool) -> None:
    r"""Attempts, the board, and how much GUARD has told; needs no labels.

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


def _open(path: Path, rows: "Rows", metric: "Metric", **made_with: Any) -> "Holdout":
    """The guard; what it warns of goes to stderr as a sentence."""
    from ladderboard.core.errors import LabelsError
    from ladderboard.guard.holdout import Holdout

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            guard = Holdout(rows.values, metric, path=path, weight=rows.weight, group=rows.group, **made_with)
        except LabelsError as error:
            raise rows.located(error) from None
    for warning in caught:
        click.echo(f"Warning: {warning.message}", err=True)
    return guard


def _refuse_existing(path: Path) -> None:
    """A second `init` must not be taken for a fresh start."""
    if path.exists():
        from ladderboard.core.errors import GuardFileError

        raise GuardFileError(f"{path} is there already; score with it, or choose another name")


def _settings_of(path: Path) -> "GuardSettings":
    from ladderboard.guard.file import GuardFile

    guard = GuardFile.open(path)
    guard.close()
    return guard.settings


def _keep_note(path: Path, note: Note) -> None:
    from ladderboard.guard.file import GuardFile

    guard = GuardFile.open(path)
    guard.write_note(json.dumps(asdict(note)))
    guard.close()


def _parameters(settings: tuple[str, ...]) -> dict[str, Any]:
    """``name=value`` pairs; a value is a number, true, false, null, or else text."""
    from ladderboard.core.errors import ParameterError

    parameters = {}
    for setting in settings:
        name, separator, value = setting.partition("=")
        if not separator:
            raise ParameterError(f"--set {setting}: write it as name=value")
        try:
            parameters[name] = json.loads(value)
        except ValueError:
            parameters[name] = value
    return parameters


def _id_column(labels: "Columns", predictions: Path) -> str | None:
    """The predictions' id column is called as the labels'; an array has none and is taken in order."""
    return None if predictions.suffix == ".npy" else labels.id


def _print_release(guard: "Holdout", release: "Release", *, as_json: bool) -> None:
    from ladderboard.cli.guard.holdout_report import describe_release, release_as_json

    if as_json:
        click.echo(json.dumps(release_as_json(release, guard.leakage)))
    else:
        click.echo(describe_release(release, metric=guard.metric.name, lower_is_better=guard.metric.lower_is_better))
