"""`ladderboard lab reproduce`: the papers' figures and tables, each with a verdict."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ladderboard_lab.experiments import Conditions, Experiment
    from ladderboard_lab.experiments.writing import Written


@click.command()
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--all", "everything", is_flag=True, help="Run every experiment.")
@click.option("--list", "listing", is_flag=True, help="List the experiments and stop.")
@click.option("--quick", is_flag=True, help="Use reduced sizes; the verdicts remain meaningful.")
@click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(min=0), help="The same seed gives the same files."
)
@click.option("--workers", default=2, show_default=True, type=click.IntRange(min=1), help="Processes on this machine.")
@click.option("--cluster", metavar="ADDRESS", help="A Dask scheduler, such as tcp://10.0.0.1:8786.")
@click.option(
    "--out",
    default=Path("reproduced"),
    show_default=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder to write to.",
)
@click.option(
    "--data",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A CSV file of your own (one row per item, numbers only) instead of simulated features.",
)
@click.option("--target", metavar="COLUMN", help="The response column of --data.")
@click.option(
    "--shared",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder of the papers' published data.  [default: ../shared/data, if it exists]",
)
def reproduce(ids: tuple[str, ...], *, everything: bool, listing: bool, out: Path, **options: Any) -> None:
    r"""Reproduce the papers' figures and tables.

    Each experiment writes a table (CSV), a figure (SVG and PNG) and a verdict (JSON) on the paper's number or claim. An
    HTML report shows all of them. The exit code is 0 if every verdict holds and 1 if one does not.

    \b
    Example:
      ladderboard lab reproduce neto-fig6 --quick
      ladderboard lab reproduce neto-fig6 --data mine.csv --target y
      ladderboard lab reproduce --all --quick --out reproduced
    """
    import ladderboard as lb

    try:
        from ladderboard_lab.experiments import EXPERIMENTS, Conditions, experiment_named

        if listing:
            _list([experiment_named(name) for name in EXPERIMENTS])
            return
        experiments = [experiment_named(name) for name in dict.fromkeys(EXPERIMENTS if everything else ids)]
        conditions = Conditions(**options, quiet=False)
        _check(experiments, conditions)
        written = _reproduce(experiments, conditions, out)
    except lb.LadderboardError as error:
        raise _BadInputError(str(error)) from None
    _summarise(written, out)
    if not all(one.outcome.verdict.holds for one in written):
        raise click.exceptions.Exit(1)


class _BadInputError(click.ClickException):
    """A request that cannot be carried out."""

    exit_code = 2


def _check(experiments: Sequence["Experiment"], conditions: "Conditions") -> None:
    """Refuse what would fail only after minutes, or silently do something else."""
    if not experiments:
        raise _BadInputError("name an experiment or add --all; --list shows their names")
    if (conditions.data is None) != (conditions.target is None):
        raise _BadInputError("--data and --target go together: the CSV file and the name of its response column")
    if conditions.data is not None and not any(experiment.takes_data for experiment in experiments):
        raise _BadInputError(
            f"{', '.join(one.id for one in experiments)} cannot use --data: the paper's own data is needed"
        )


def _reproduce(experiments: Sequence["Experiment"], conditions: "Conditions", out: Path) -> list["Written"]:
    from ladderboard_lab.experiments.report import write_report
    from ladderboard_lab.experiments.writing import write

    written = []
    for number, experiment in enumerate(experiments, 1):
        click.echo(f"[{number}/{len(experiments)}] {experiment.id}: {experiment.title}", err=True)
        start = time.perf_counter()
        outcome = experiment.run(conditions)
        elapsed = time.perf_counter() - start
        written.append(write(experiment, outcome, out, conditions=conditions, elapsed_seconds=elapsed))
    write_report(written, out / "report.html")
    return written


def _list(experiments: Sequence["Experiment"]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("id", "paper", "content", box=None)
    for experiment in experiments:
        table.add_row(experiment.id, experiment.paper, experiment.title)
    Console().print(table)


def _summarise(written: Sequence["Written"], out: Path) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("id", "verdict", "finding", "seconds")
    for one in written:
        verdict = one.outcome.verdict
        word = "[green]holds[/]" if verdict.holds else "[red]does not hold[/]"
        table.add_row(one.experiment.id, word, Text(verdict.sentence), f"{one.elapsed_seconds:.1f}")
    console = Console()
    console.print(table)
    console.print(f"Report: {out / 'report.html'}", highlight=False)
