"""`ladderboard plan`: how many submissions a test set bears, before a competition opens."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ladderboard.core.errors import ParameterError

if TYPE_CHECKING:
    from rich.table import Table

    from ladderboard.metrics.inputs import Array
    from ladderboard.planning.plan import Simulate, SubmissionPlan

FILE = click.Path(dir_okay=False, path_type=Path)
REPORTS = (".html", ".md")


@click.command()
@click.argument("labels", required=False, type=FILE)
@click.option("--metric", default="error_rate", show_default=True, help="A name, or path/to/file.py:function.")
@click.option("--lower-is-better/--higher-is-better", default=None, help="The direction of a function of your own.")
@click.option("--takes", default="numbers", show_default=True, help="What a function of your own takes as predictions.")
@click.option("--tolerance", default=0.02, show_default=True, help="Overfit to be borne, in units of the metric.")
@click.option("--column", "columns", multiple=True, metavar="COLUMN", help="The label column; repeatable.")
@click.option("--id", "id_column", metavar="COLUMN", help="A column of LABELS that names the items.")
@click.option("--n", type=int, help="Without LABELS: how many items there will be.")
@click.option("--base-rate", type=float, help="With --n: the share of positives.  [default: 0.5]")
@click.option("--teams", default=1, show_default=True, type=click.IntRange(min=1), help="How many teams there are.")
@click.option("--accepts", default=5, show_default=True, type=click.IntRange(min=0), help="Of a team, for the meter.")
@click.option("--mechanism", help="The rule that releases numbers.  [default: what suits the items]")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="A parameter of it; repeatable.")
@click.option("--no-attacks", is_flag=True, help="What is proven only; takes a second.")
@click.option("--quick", is_flag=True, help="Fewer attempts at attacking: some ten seconds instead of a minute.")
@click.option("--workers", default=2, show_default=True, type=click.IntRange(min=1), help="Processes on this machine.")
@click.option("--cluster", metavar="ADDRESS", help="A Dask scheduler, such as tcp://10.0.0.1:8786.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Same seed, same plan.")
@click.option("--json", "as_json", is_flag=True, help="Everything as JSON.")
@click.option("--report", type=FILE, help="Write one page with charts (.html or .md).")
def plan(
    labels: Path | None,
    *,
    metric: str,
    lower_is_better: bool | None,
    takes: str,
    tolerance: float,
    columns: tuple[str, ...],
    id_column: str | None,
    n: int | None,
    base_rate: float | None,
    teams: int,
    accepts: int,
    mechanism: str | None,
    settings: tuple[str, ...],
    as_json: bool,
    report: Path | None,
    **simulation: Any,
) -> None:
    r"""How many submissions may I allow? From LABELS (.csv, .tsv, .parquet or .npy), or their number alone.

    Attacks of the laboratory are run on shuffled versions of the labels, and what is proven stands beside them. The
    plan names a mechanism, the submissions per team and in all, what the board will see, and a public part.

    \b
    Example:
      ladderboard plan labels.csv --metric auc --tolerance .02 --teams 20 --report plan.html
      ladderboard plan --n 628 --base-rate .3 --quick
      ladderboard plan --n 50000 --no-attacks --json
    """
    from ladderboard.cli._shared.console import show_progress
    from ladderboard.cli._shared.metric_option import MetricOption
    from ladderboard.cli._shared.parameters import parse_parameters
    from ladderboard.mechanisms import make_mechanism
    from ladderboard.planning.plan import plan_submissions

    _check_report(report)
    chosen = None if mechanism is None else make_mechanism(mechanism, **parse_parameters(settings))
    if settings and mechanism is None:
        raise ParameterError("--set goes with --mechanism, whose parameters it sets")
    with show_progress("Attacking") as progress:
        found = plan_submissions(
            _read(labels, columns, id_column),
            MetricOption(metric, lower_is_better, takes).metric(),
            tolerance,
            n=n,
            base_rate=base_rate,
            mechanism=chosen,
            teams=teams,
            accepts=accepts,
            simulate=_simulator(**simulation),
            progress=progress,
        )
    if report is not None:
        from ladderboard.cli.analyse.plan_report import write_report

        write_report(found, report)
    if as_json:
        click.echo(json.dumps(plan_as_json(found), allow_nan=False))
    else:
        _show(found)


def _check_report(report: Path | None) -> None:
    """Refuse what would only fail after a minute."""
    if report is not None and report.suffix not in REPORTS:
        raise ParameterError(f"{report.name}: a report is written as {' or '.join(REPORTS)}")
    if report is not None and not report.absolute().parent.is_dir():
        raise ParameterError(f"{report}: there is no such folder")


def _read(labels: Path | None, columns: tuple[str, ...], id_column: str | None) -> "Array | None":
    from ladderboard.cli._shared.files import Columns, read_rows

    if labels is None:
        if columns or id_column:
            raise ParameterError("--column and --id go with LABELS, the file they are in")
        return None
    return read_rows(labels, Columns(columns, id_column), word="label").values


def _simulator(*, no_attacks: bool, quick: bool, workers: int, cluster: str | None, seed: int) -> "Simulate | None":
    if no_attacks:
        return None
    try:
        from ladderboard_lab.planning.simulator import QUICK, THOROUGH, PlanningSimulator
    except ImportError:
        raise ParameterError(
            "attacks need the laboratory: pip install 'ladderboard[lab]', or say --no-attacks"
        ) from None
    return PlanningSimulator(QUICK if quick else THOROUGH, workers=workers, cluster=cluster, seed=seed)


def _show(found: "SubmissionPlan") -> None:
    from rich.console import Console

    from ladderboard.cli.analyse.plan_words import describe_detectable_gains, describe_parameters

    console = Console(highlight=False)
    console.print(
        f"{found.items:,} items, {found.metric}: baseline {found.baseline_score:.4f}, standard error "
        f"{found.standard_error:.4f}, tolerance {found.tolerance:g}",
        markup=False,
    )
    console.print(f"{found.mechanism.name} ({describe_parameters(found)}): {found.reason}", markup=False)
    console.print("", _table(found), "", sep="\n")
    for words in (*describe_detectable_gains(found), found.public_part.sentence(), "", found.sentence()):
        console.print(words, soft_wrap=True, markup=False)


def _table(found: "SubmissionPlan") -> "Table":
    from rich.table import Table

    from ladderboard.cli.analyse.plan_words import list_rules

    table = Table("rule", box=None, pad_edge=False)
    table.add_column("per team", justify="right", no_wrap=True)
    if found.teams > 1:
        table.add_column("in all", justify="right", no_wrap=True)
    table.add_column("because")
    for row in list_rules(found):
        counts = (row.per_team, row.in_total) if found.teams > 1 else (row.per_team,)
        table.add_row(row.rule, *counts, row.because)
    return table


def plan_as_json(found: "SubmissionPlan") -> dict[str, Any]:
    """The whole plan; the mechanism by its name and parameters."""
    named = {"name": found.mechanism.name, "parameters": found.mechanism.parameters()}
    return {**asdict(found), "mechanism": named, "in_total": found.in_total, "sentence": found.sentence()}
