"""`ladderboard plan`: how many submissions a test set can bear."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np
from click.core import ParameterSource
from rich.console import Console
from rich.table import Table

from ladderboard.cli._shared.console import count_noun, show_progress
from ladderboard.cli._shared.files import ItemColumns, read_rows
from ladderboard.cli._shared.metric_option import MetricOption, add_metric_options
from ladderboard.cli._shared.parameters import parse_parameters
from ladderboard.cli.analyse.plan_report import write_report
from ladderboard.cli.analyse.plan_words import describe_detectable_gains, describe_parameters, list_rules
from ladderboard.competition import load_competition
from ladderboard.core.errors import ParameterError
from ladderboard.mechanisms import make_mechanism
from ladderboard.planning.plan import Simulate, SubmissionPlan, plan_submissions

if TYPE_CHECKING:
    from ladderboard.mechanisms.base import Mechanism
    from ladderboard.metrics.base import Metric
    from ladderboard.metrics.inputs import Array, InputKind

FILE = click.Path(dir_okay=False, path_type=Path)
FILE_OR_FOLDER = click.Path(path_type=Path)
REPORTS = (".html", ".md")


@click.command()
@click.argument("labels", required=False, type=FILE_OR_FOLDER)
@add_metric_options("error_rate")
@click.option("--tolerance", default=0.02, show_default=True, help="The largest acceptable overfit, in metric units.")
@click.option("--column", "columns", multiple=True, metavar="COLUMN", help="The label column; repeatable.")
@click.option("--id", "id_column", metavar="COLUMN", help="The column of LABELS that names the items.")
@click.option("--n", type=int, help="Without LABELS: how many items there will be.")
@click.option("--base-rate", type=float, help="With --n: the share of positives.  [default: 0.5]")
@click.option("--teams", default=1, show_default=True, type=click.IntRange(min=1), help="How many teams will compete.")
@click.option(
    "--accepts",
    default=5,
    show_default=True,
    type=click.IntRange(min=0),
    help="Accepted submissions to expect per team.",
)
@click.option("--mechanism", help="The rule that decides which scores are shown.  [default: what suits the items]")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="A mechanism parameter; repeatable.")
@click.option("--no-attacks", is_flag=True, help="Use proven bounds only; takes a second.")
@click.option("--quick", is_flag=True, help="Fewer simulated attacks: about ten seconds instead of a minute.")
@click.option("--workers", default=2, show_default=True, type=click.IntRange(min=1), help="Processes on this machine.")
@click.option("--cluster", metavar="ADDRESS", help="A Dask scheduler, such as tcp://10.0.0.1:8786.")
@click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(min=0), help="The same seed gives the same plan."
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@click.option("--report", type=FILE, help="Write a one-page report with charts (.html or .md).")
def plan(labels: Path | None, *, tolerance: float, as_json: bool, report: Path | None, **options: Any) -> None:
    r"""Plan how many submissions to allow, from LABELS (.csv, .tsv, .parquet, .npy or the folder of a competition) or
    from their number alone.

    Where a folder or a file says which rows are public, only those count: the board scores no others. A folder also
    sets the metric and the mechanism.

    The laboratory's attacks are run on shuffled labels and compared with what is proven. The plan recommends a
    mechanism, submission limits per team and in total, and the size of the public part, and says which gains the board
    can detect.

    \b
    Example:
      ladderboard plan my-competition --teams 20
      ladderboard plan labels.csv --metric auc --tolerance .02 --teams 20 --report plan.html
      ladderboard plan --n 628 --base-rate .3 --quick
      ladderboard plan --n 50000 --no-attacks --json
    """
    _check_report(report)
    found = _plan(labels, tolerance, **options)
    if report is not None:
        write_report(found, report)
    if as_json:
        click.echo(json.dumps(plan_as_json(found), allow_nan=False))
    else:
        _show(found)


def _plan(labels: Path | None, tolerance: float, **options: Any) -> SubmissionPlan:
    mechanism, metric = _choose_mechanism(options), MetricOption.take(options)
    columns = ItemColumns(options.pop("columns"), options.pop("id_column"))
    given = {name: options.pop(name) for name in ("n", "base_rate", "teams", "accepts")}
    if labels is not None and labels.is_dir():
        scored = _read_folder(labels, columns)
    else:
        scored = _read(labels, columns, metric.load().kind)
    is_named = click.get_current_context().get_parameter_source("metric") is not ParameterSource.DEFAULT
    with show_progress("Attacking") as progress:
        return plan_submissions(
            scored.labels,
            metric.load() if scored.metric is None or is_named else scored.metric,
            tolerance,
            mechanism=mechanism or scored.mechanism,
            simulate=_make_simulator(**options),
            progress=progress,
            **given,
        )


def _choose_mechanism(options: dict[str, Any]) -> "Mechanism | None":
    name, settings = options.pop("mechanism"), options.pop("settings")
    if name is None and settings:
        raise ParameterError("--set needs --mechanism: it sets a parameter of that mechanism")
    return None if name is None else make_mechanism(name, **parse_parameters(settings))


def _check_report(report: Path | None) -> None:
    """Refuse a report that would only fail after a minute of work."""
    if report is not None and report.suffix not in REPORTS:
        raise ParameterError(f"{report.name}: the name of a report must end in {' or '.join(REPORTS)}")
    if report is not None and not report.absolute().parent.is_dir():
        raise ParameterError(f"{report}: there is no such folder; create it first")


@dataclass(frozen=True, eq=False)
class _Scored:
    """What the board will score: labels, and the metric and the mechanism where a folder says them."""

    labels: "Array | None"
    metric: "Metric | None" = None
    mechanism: "Mechanism | None" = None


def _read_folder(folder: Path, columns: ItemColumns) -> _Scored:
    if columns.are_named:
        raise ParameterError("--column and --id are for a file; for a folder, competition.toml names them")
    competition = load_competition(folder)
    public = competition.solution.labels[competition.solution.rows("Public")]
    click.echo(f"{folder}: {count_noun(len(public), 'public row')} of {len(competition.solution.labels):,}", err=True)
    if competition.solution.group is not None or competition.solution.weight is not None:
        click.echo("Groups and weights are not counted; with groups, fewer units are scored than rows.", err=True)
    return _Scored(public, competition.metric, competition.mechanism)


def _read(labels: Path | None, columns: ItemColumns, kind: "InputKind") -> _Scored:
    if labels is None:
        if columns.are_named:
            raise ParameterError("--column and --id need LABELS, the file that has these columns")
        return _Scored(None)
    rows = read_rows(
        labels, columns, word="label", beside=("Usage",), is_table=kind.has_columns, are_texts=kind.has_texts
    )
    usage = None if rows.table is None else next((name for name in rows.table.columns if name.lower() == "usage"), None)
    if usage is None or rows.table is None or usage in rows.columns:
        return _Scored(rows.values)
    is_public = np.char.lower(np.array(rows.table.names(usage))) == "public"
    if not is_public.any():
        raise ParameterError(f"{labels.name}: no row has the {usage} Public, which is what the board scores")
    click.echo(f"{labels.name}: {count_noun(int(is_public.sum()), 'public row')} of {len(is_public):,}", err=True)
    return _Scored(rows.values[is_public])


def _make_simulator(*, no_attacks: bool, quick: bool, workers: int, cluster: str | None, seed: int) -> Simulate | None:
    if no_attacks:
        return None
    try:
        from ladderboard_lab.planning.simulator import QUICK, THOROUGH, PlanningSimulator
    except ImportError:
        raise ParameterError(
            "simulated attacks need the laboratory: pip install '.[lab]' in Ladderboard's checkout, or add --no-attacks"
        ) from None
    return PlanningSimulator(QUICK if quick else THOROUGH, workers=workers, cluster=cluster, seed=seed)


def _show(found: SubmissionPlan) -> None:
    analysts = () if found.natural_analysts is None else (found.natural_analysts.sentence(),)
    console = Console(highlight=False)
    console.print(
        f"{found.items:,} items, {found.metric}: baseline {found.baseline_score:.4f}, standard error "
        f"{found.standard_error:.4f}, tolerance {found.tolerance:g}",
        markup=False,
    )
    console.print(f"{found.mechanism.name} ({describe_parameters(found)}): {found.reason}", markup=False)
    console.print("", _table(found), "", sep="\n")
    for words in (*describe_detectable_gains(found), *analysts, found.public_part.sentence(), "", found.sentence()):
        console.print(words, soft_wrap=True, markup=False)


def _table(found: SubmissionPlan) -> Table:
    table = Table("rule", box=None, pad_edge=False)
    table.add_column("per team", justify="right", no_wrap=True)
    if found.teams > 1:
        table.add_column("in total", justify="right", no_wrap=True)
    table.add_column("because")
    for row in list_rules(found):
        counts = (row.per_team, row.in_total) if found.teams > 1 else (row.per_team,)
        table.add_row(row.rule, *counts, row.because)
    return table


def plan_as_json(found: SubmissionPlan) -> dict[str, Any]:
    """Convert a plan to JSON; the mechanism by its name and parameters."""
    named = {"name": found.mechanism.name, "parameters": found.mechanism.parameters()}
    return {**asdict(found), "mechanism": named, "in_total": found.in_total, "sentence": found.sentence()}
