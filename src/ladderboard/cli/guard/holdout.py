"""`ladderboard holdout init`, `score` and `status`: the holdout guard, for shells and continuous integration."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from ladderboard.cli._shared.files import ItemColumns, read_rows
from ladderboard.cli._shared.metric_option import MetricOption, add_metric_options
from ladderboard.cli._shared.parameters import parse_parameters
from ladderboard.cli.guard.answers import print_answer
from ladderboard.cli.guard.graded_items import GradedOptions, create_graded_guard
from ladderboard.cli.guard.holdout_report import describe_release, describe_status, release_as_json, status_as_json
from ladderboard.cli.guard.note import Note, save_note
from ladderboard.cli.guard.opening import (
    BESIDE,
    FILE,
    ItemFile,
    open_rows,
    open_with_predictions,
    show_warnings,
)
from ladderboard.core.errors import GuardFileError
from ladderboard.guard.file import GuardFile
from ladderboard.guard.reference import MARGIN
from ladderboard.mechanisms import GATE_MECHANISM, make_mechanism

if TYPE_CHECKING:
    from ladderboard.core.records import Release
    from ladderboard.guard.holdout import Holdout

NOT_IMPROVED = 3


@click.command()
@click.argument("labels", type=FILE, required=False)
@click.option("--items", type=FILE, help="Instead of labels: the items that are graded outside.")
@click.option(
    "--grader", type=FILE, help="A Python file with grade(item, output), which grades outputs of --items here."
)
@click.option("--bounds", type=float, nargs=2, metavar="LOW HIGH", help="The range of an item's score.  [default: 0 1]")
@click.option("--baseline", type=float, help="The mean score to beat first.  [default: the worse bound]")
@click.option("--to", "path", required=True, type=FILE, help="The guard's file to create.")
@add_metric_options("error_rate")
@click.option("--gate", is_flag=True, help="For who steers by data of their own: it only certifies, on all items.")
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
    grader: Path | None,
    bounds: tuple[float, float] | None,
    baseline: float | None,
    path: Path,
    gate: bool,
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

    Items that are graded outside (LLM tasks, Dice, ROUGE) need no labels: `score` then takes their scores. With
    --grader they are graded here, in the sandbox: `score` then takes outputs, lines with an id and an output.

    With --gate, for continuous integration: choose by data of your own, pin the model in use, and let `score` say
    whether a candidate is proven better. All items testify, and no score is shown without that proof.

    \b
    Example:
      ladderboard holdout init labels.csv --metric auc --column y --id row --to holdout.db
      ladderboard holdout init labels.npy --mechanism ladder --set step_size=0.01 --to holdout.db
      ladderboard holdout init labels.csv --metric mine.py:cost --lower-is-better --to holdout.db
      ladderboard holdout init --items items.csv --bounds 0 5 --to holdout.db
      ladderboard holdout init --items tasks.jsonl --grader grade.py --to holdout.db
      ladderboard holdout init labels.csv --gate --to gate.db
    """
    _refuse_existing(path)
    if gate and mechanism is not None:
        raise click.UsageError("--gate has a mechanism of its own; leave out --gate or --mechanism")
    named = ItemColumns(columns, id_column, weight, group)
    option = MetricOption.take(metric_options).resolve()
    is_named = click.get_current_context().get_parameter_source("metric") is click.core.ParameterSource.COMMANDLINE
    name = option.name if is_named else None
    graded = GradedOptions(items, bounds, baseline, option.lower_is_better, name, grader)
    graded.check(labels)
    chosen = make_mechanism(GATE_MECHANISM if gate else mechanism, **parse_parameters(settings))
    with show_warnings():
        if labels is None:
            guard = create_graded_guard(path, graded, named, chosen, seed)
        else:
            loaded = option.load()
            rows = read_rows(
                labels,
                named,
                word="label",
                beside=BESIDE,
                is_table=loaded.kind.has_columns,
                are_texts=loaded.kind.has_texts,
            )
            guard = open_rows(path, rows, loaded, mechanism=chosen, seed=seed, ids=rows.ids)
    with guard:
        pinned = (items, grader) if grader is not None else ()
        save_note(path, Note(asdict(option), asdict(named), *(str(one and one.absolute()) for one in pinned)))
        next_step = (
            f"next, pin the model in use: ladderboard holdout pin {path} PREDICTIONS"
            if chosen.certifies
            else f"{guard.metric.name} so far: {guard.best}"
        )
        click.echo(f"{path} guards {len(guard)} items with {chosen.name}; {next_step}")


@click.command()
@click.argument("path", metavar="GUARD", type=FILE)
@click.argument("predictions", type=FILE)
@click.option("--labels", type=FILE, help="The labels, as given to `init`; graded items have none.")
@click.option("--column", "columns", multiple=True, metavar="COLUMN", help="The column or score to take; repeatable.")
@click.option("--id", "id_column", metavar="COLUMN", help="The column that names the items, in both files.")
@click.option("--metric", help="With samples: the score to take. If you moved your own metric: its file.py:function.")
@click.option("--training-score", type=float, help="The score on your training data, for mechanisms that compare it.")
@click.option("--not-worse", is_flag=True, help="Ask only whether they are not worse than the pinned model; no score.")
@click.option(
    "--margin", type=float, help="The loss that --not-worse tolerates, in the metric's unit.  [default: 0.005]"
)
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
    not_worse: bool,
    margin: float | None,
    as_json: bool,
) -> None:
    r"""Score PREDICTIONS on the holdout of GUARD; every new file is an attempt.

    Exit code: 0 improved (proven); 3 not proven, whether shown or not; 2 bad input, no attempt used; 4 the holdout is
    spent. The same predictions again cost nothing, and count as improved only while they are the proven entry. A gate
    compares with what was pinned first, until something is certified.

    With --not-worse no score is shown and no attempt is used. Exit code: 0 not worse than the pinned model; 3 not
    proven.

    \b
    Example:
      ladderboard holdout score holdout.db --labels labels.csv predictions.csv --column p --id row
      ladderboard holdout score holdout.db samples.jsonl
      ladderboard holdout score holdout.db --labels labels.csv predictions.csv --not-worse --margin 0.01
    """
    if margin is not None and not not_worse:
        raise click.UsageError("--margin belongs to --not-worse; give both")
    with open_with_predictions(path, labels, ItemFile(predictions, columns, id_column), metric) as (guard, given):
        if not_worse:
            is_passed = _ask(guard, given, margin, as_json=as_json)
        else:
            release = guard.score(given, training_score=training_score)
            _print_release(guard, release, as_json=as_json)
            is_passed = release.improved
    ctx.exit(0 if is_passed else NOT_IMPROVED)


@click.command()
@click.argument("path", metavar="GUARD", type=FILE)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def status(path: Path, *, as_json: bool) -> None:
    r"""Show the attempts, the board and the information released by GUARD; needs no labels.

    \b
    Example:
      ladderboard holdout status holdout.db
    """
    guard = GuardFile.open(path)
    if as_json:
        click.echo(json.dumps(status_as_json(guard)))
    else:
        console = Console(highlight=False)
        for line in describe_status(guard, width=min(console.width, 100)):
            console.print(line, soft_wrap=True)
    guard.close()


def _ask(guard: "Holdout", given: Any, margin: float | None, *, as_json: bool) -> bool:
    answer = guard.check_not_worse(given, margin=MARGIN if margin is None else margin)
    print_answer(guard, answer, as_json=as_json)
    return answer.not_worse


def _refuse_existing(path: Path) -> None:
    """Refuse to overwrite a guard: a second `init` is no fresh start."""
    if path.exists():
        raise GuardFileError(f"{path} already exists; score with it, or choose another name")


def _print_release(guard: "Holdout", release: "Release", *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(release_as_json(guard, release)))
    else:
        for line in describe_release(guard, release):
            click.echo(line)
