"""`ladderboard lab reproduce`: the papers' figures and tables, each with a verdict."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

import ladderboard as lb
from ladderboard.cli.lab.papers_report import write_report
from ladderboard_lab.experiments import Conditions, Experiment, ExperimentResult, experiment_named, list_experiments
from ladderboard_lab.experiments.filling import fill_page
from ladderboard_lab.experiments.quick_seconds import read_quick_seconds
from ladderboard_lab.experiments.writing import Written, read_written, write
from ladderboard_lab.foreign_code import explain_failures


@click.command()
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--all", "everything", is_flag=True, help="Run every experiment.")
@click.option(
    "--list", "listing", is_flag=True, help="List the experiments, with the time that --quick takes, and stop."
)
@click.option("--quick", is_flag=True, help="Use reduced sizes; the verdicts remain meaningful.")
@click.option(
    "--repetitions", type=click.IntRange(min=2), help="Repetitions instead of the paper's or the quick number."
)
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
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The report, as .html or .md.  [default: report.html in --out]",
)
@click.option("--again", is_flag=True, help="Run experiments again that the folder already holds.")
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
@click.option("--control", metavar="NAME", help="Run a negative control of one experiment: its verdict must fail.")
@click.option(
    "--fill",
    "pages",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Write the verdicts into the <!-- verdicts --> tables of this page; repeatable.",
)
def reproduce(
    ids: tuple[str, ...],
    *,
    everything: bool,
    listing: bool,
    out: Path,
    report: Path | None,
    again: bool,
    pages: tuple[Path, ...],
    **options: Any,
) -> None:
    r"""Reproduce the papers' figures and tables.

    Each experiment writes a table (CSV; repetitions also as Parquet), a figure (SVG, PNG, PDF) and a verdict (JSON).
    The report has the claim, its place in the source, our figure, the numbers with their errors and the verdict of
    each. It is written after each experiment. Run the same command again to resume after a stop. An ID may also be
    file.py:NAME, an experiment of your own. A verdict holds, does not hold, or is not decided by so few repetitions;
    it is wrong with a probability of at most 1e-4. The exit code is 0 if every verdict holds, 1 if one does not, and 3
    if none fails and one is not decided.

    \b
    Example:
      ladderboard lab reproduce neto-fig6 --quick
      ladderboard lab reproduce neto-fig6 --data mine.csv --target y
      ladderboard lab reproduce neto-fig2 --quick --control "full disclosure instead of every mechanism"
      ladderboard lab reproduce --all --quick --report report.html
    """
    try:
        if listing:
            _list([experiment_named(name) for name in list_experiments()])
            return
        experiments = [experiment_named(name) for name in dict.fromkeys(list_experiments() if everything else ids)]
        conditions = Conditions(**options, quiet=False)
        report = report or out / "report.html"
        _check(experiments, conditions, report)
        with explain_failures():
            written = _reproduce(experiments, conditions, out, report=report, again=again)
    except lb.LadderboardError as error:
        raise _BadInputError(str(error)) from None
    _fill(pages, written)
    _summarise(written, report)
    decisions = {one.record["decision"] for one in written}
    if decisions != {"holds"}:
        raise click.exceptions.Exit(1 if "does not hold" in decisions else 3)


class _BadInputError(click.ClickException):
    """A request that cannot be carried out."""

    exit_code = 2


def _check(experiments: Sequence[Experiment], conditions: Conditions, report: Path) -> None:
    """Refuse what would fail only after minutes, or silently do something else."""
    if report.suffix not in (".html", ".md"):
        raise _BadInputError(f"{report.name}: the name of a report must end in .html or .md")
    if not experiments:
        raise _BadInputError("name an experiment or add --all; --list shows their names")
    if (conditions.data is None) != (conditions.target is None):
        raise _BadInputError("--data and --target go together: the CSV file and the name of its response column")
    if conditions.data is not None and not any(experiment.takes_data for experiment in experiments):
        raise _BadInputError(
            f"{', '.join(one.id for one in experiments)} cannot use --data: the paper's own data is needed"
        )
    for experiment in experiments:
        if conditions.control is not None and conditions.control not in experiment.controls:
            known = "; ".join(experiment.controls) or "none"
            raise _BadInputError(f"{experiment.id} has no control {conditions.control!r}. Its controls: {known}")


def _reproduce(
    experiments: Sequence[Experiment], conditions: Conditions, out: Path, *, report: Path, again: bool
) -> list[Written]:
    """Run what the folder does not hold yet; the report is complete after each of them."""
    written: list[Written] = []
    started = time.monotonic()
    for number, experiment in enumerate(experiments, 1):
        done = None if again else read_written(experiment, out, conditions)
        if done is None:
            click.echo(_progress_line(number, len(experiments), experiment, time.monotonic() - started), err=True)
            start = time.perf_counter()
            outcome = experiment.run(conditions)
            _check_outcome(experiment, outcome)
            elapsed = time.perf_counter() - start
            done = write(experiment, outcome, out, conditions=conditions, elapsed_seconds=elapsed)
        else:
            click.echo(
                f"[{number}/{len(experiments)}] {experiment.id}: already there (--again runs it again)", err=True
            )
        written.append(done)
        write_report(written, report, folder=out)
    return written


def _check_outcome(experiment: Experiment, outcome: object) -> None:
    if not isinstance(outcome, ExperimentResult):
        raise _BadInputError(f"{experiment.id} returned {type(outcome).__name__}; it must return an ExperimentResult")


def _progress_line(number: int, total: int, experiment: Experiment, elapsed: float) -> str:
    """Which experiment is next; from the fifth on also about how long all of them will take."""
    line = f"[{number}/{total}] {experiment.id}: {experiment.title}"
    if number < 5:
        return line
    left = elapsed / (number - 1) * (total - number + 1)
    return f"{line} (about {max(1, round(left / 60))} min left)"


def _fill(pages: Sequence[Path], written: Sequence[Written]) -> None:
    for page in pages:
        click.echo(f"{page}: {fill_page(page, written)} verdicts filled in", err=True)


def _list(experiments: Sequence[Experiment]) -> None:
    seconds = read_quick_seconds()
    table = Table("id", "source", "content", box=None)
    table.add_column("--quick", justify="right", no_wrap=True)
    for experiment in experiments:
        known = seconds.get(experiment.id)
        table.add_row(
            experiment.id,
            experiment.paper or "own",
            experiment.title,
            "" if known is None else f"{max(1, round(known))} s",
        )
    console = Console(highlight=False)
    console.print(table)
    console.print(
        f"All with --quick: about {round(sum(seconds.values()) / 60)} min of one core; measured one by one, figures "
        "that share runs take less together. Without --quick an experiment has the paper's size and takes many "
        "times as long.",
        soft_wrap=True,
    )


COLOURS = {"holds": "green", "does not hold": "red", "not decided": "yellow"}


def _explain(check: dict[str, Any]) -> str:
    """What does not hold or is not decided, with its counts."""
    found = f" ({', '.join(check['evidence'])} repetitions)" if check["evidence"] else ""
    caveat = f" {check['caveat']}." if check["caveat"] else ""
    return f"{check['decision'].capitalize()}: {check['statement']}{found}.{caveat}"


def _summarise(written: Sequence[Written], report: Path) -> None:
    table = Table("id", "verdict", "finding", "seconds")
    for one in written:
        record = one.record
        finding = Text(record["sentence"])
        for check in record["checks"]:
            if check["decision"] != "holds":
                finding.append(f"\n{_explain(check)}", style=COLOURS[check["decision"]])
        decision = Text(record["decision"], style=COLOURS[record["decision"]])
        table.add_row(record["id"], decision, finding, f"{one.elapsed_seconds:.1f}" if one.elapsed_seconds else "")
    console = Console()
    console.print(table)
    console.print(f"Report: {report}", highlight=False)
