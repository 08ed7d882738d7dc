"""`ladderboard report`: one page about a set of results."""

import os
import shlex
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from ladderboard.analysis.report import Provenance, hash_input, make_report, write_badge, write_report, write_widget
from ladderboard.cli._shared.matrix_options import add_matrix_argument, read_matrix_or_battles, show_reading
from ladderboard.core.errors import ParameterError

FILE = click.Path(dir_okay=False, path_type=Path)


@click.command()
@add_matrix_argument
@click.option("--to", type=FILE, help="The report to write: .html stands alone, .md, or .json for programs.")
@click.option("--widget", type=FILE, help="Also, or instead: a fragment of HTML to put into another page (.html).")
@click.option("--badge", type=FILE, help="Also, or instead: a badge with the rank range of a system (.svg).")
@click.option("--badge-system", metavar="NAME", help="The system of the badge.  [default: the first]")
@click.option("--title", help="The title of the page.  [default: from the name of MATRIX]")
@click.option("--confidence", default=0.95, show_default=True, help="The confidence of ranges and intervals.")
@click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(min=0), help="The same seed gives the same numbers."
)
def report(
    *,
    matrix: Path,
    to: Path | None,
    widget: Path | None,
    badge: Path | None,
    badge_system: str | None,
    title: str | None,
    confidence: float,
    seed: int,
    **options: Any,
) -> None:
    r"""Write one page about MATRIX, a table of results or a harness's folder: ranks, what is told apart, what decides.

    One table with a rank range and an error for each system; tasks, the winner's luck, records over time, and how it
    was made: version, command, seed, date, and the SHA-256 of MATRIX. For a table of battles (item, a, b, winner):
    strengths, ranks, and whether one strength per system fits. SOURCE_DATE_EPOCH sets the date.

    \b
    Example:
      ladderboard report lm-eval-results/ --metric acc_norm --to report.html
      ladderboard report losses.csv --kind losses --to report.md --badge badge.svg
      ladderboard report battles.csv --to report.html --widget widget.html
    """
    if to is None and badge is None and widget is None:
        raise ParameterError("say where the report goes: --to report.html (.md, .json), --widget or --badge badge.svg")
    results = read_matrix_or_battles(matrix, **options)
    show_reading(results)
    provenance = Provenance(seed=seed, date=_find_date(), command=_find_command(), input_sha256=hash_input(matrix))
    made = make_report(results, confidence=confidence, seed=seed, provenance=provenance)
    if to is not None:
        write_report(made, to, title=title or f"Results: {matrix.resolve().name}")
        click.echo(f"Wrote {to}.")
    if widget is not None:
        write_widget(made, widget)
        click.echo(f"Wrote {widget}.")
    if badge is not None:
        write_badge(made, badge, system=badge_system)
        click.echo(f"Wrote {badge}.")


def _find_date() -> str:
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    now = datetime.now(UTC) if epoch is None else datetime.fromtimestamp(int(epoch), UTC)
    return now.isoformat(timespec="seconds")


def _find_command() -> str:
    return shlex.join(["ladderboard", *sys.argv[1:]])
