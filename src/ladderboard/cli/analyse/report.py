"""`ladderboard report`: one page about a set of results."""

from pathlib import Path
from typing import Any

import click

from ladderboard.analysis.report import make_report, write_badge, write_report
from ladderboard.cli._shared.matrix_options import add_matrix_argument, read_matrix_or_battles, show_reading
from ladderboard.core.errors import ParameterError

FILE = click.Path(dir_okay=False, path_type=Path)


@click.command()
@add_matrix_argument
@click.option("--to", type=FILE, help="The page to write: .html stands alone, .md has its pictures beside it.")
@click.option("--badge", type=FILE, help="Also, or instead: a badge with the rank range of a system (.svg).")
@click.option("--badge-system", metavar="NAME", help="The system of the badge.  [default: the first]")
@click.option("--title", help="The title of the page.  [default: from the name of MATRIX]")
@click.option("--confidence", default=0.95, show_default=True, help="The confidence of ranges and intervals.")
@click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(min=0), help="The same seed gives the same page."
)
def report(
    *,
    matrix: Path,
    to: Path | None,
    badge: Path | None,
    badge_system: str | None,
    title: str | None,
    confidence: float,
    seed: int,
    **options: Any,
) -> None:
    r"""Write one page about MATRIX, a table of results or a harness's folder: ranks, ties, winner, records, tasks.

    For a table of battles (item, a, b, winner): strengths, ranks, ties, and whether one strength per system fits.

    \b
    Example:
      ladderboard report lm-eval-results/ --metric acc_norm --to report.html
      ladderboard report losses.csv --kind losses --to report.md --badge badge.svg
      ladderboard report battles.csv --to report.html
    """
    if to is None and badge is None:
        raise ParameterError("say where the report goes: --to report.html, --to report.md or --badge badge.svg")
    results = read_matrix_or_battles(matrix, **options)
    show_reading(results)
    made = make_report(results, confidence=confidence, seed=seed)
    if to is not None:
        write_report(made, to, title=title or f"Results: {matrix.resolve().name}")
        click.echo(f"Wrote {to}.")
    if badge is not None:
        write_badge(made, badge, system=badge_system)
        click.echo(f"Wrote {badge}.")
