"""`ladderboard power`: how many items or repeats a comparison needs, before the run."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from ladderboard.cli._shared.console import make_console
from ladderboard.cli._shared.matrix_options import add_optional_matrix_argument, read_matrix
from ladderboard.inference.comparison_power import ComparisonPower, power_to_compare

SHOWN_REPEATS = (1, 2, 4, 8, 16)


@click.command()
@add_optional_matrix_argument
@click.option("--gain", type=float, help="The true gain that should be proven, in the unit of the scores: 0.02.")
@click.option("--items", type=click.IntRange(min=2), help="How many items there are.")
@click.option("--repeats", default=1, show_default=True, type=click.IntRange(min=1), help="Runs of each item.")
@click.option("--power", "chance", default=0.8, show_default=True, help="How often a true gain should be proven.")
@click.option("--disagreement", type=float, help="A guess: the share of items on which single runs of the two differ.")
@click.option("--flips", default=0.0, help="A guess: the share on which two runs of one system differ.  [default: 0]")
@click.option("--confidence", default=0.95, show_default=True, help="The confidence of the comparison.")
@click.option("--json", "as_json", is_flag=True, help="Print the plan as JSON.")
def power(
    *,
    matrix: Path | None,
    gain: float | None,
    items: int | None,
    repeats: int,
    chance: float,
    disagreement: float | None,
    flips: float,
    confidence: float,
    as_json: bool,
    **options: Any,
) -> None:
    r"""Plan a comparison: the items that a gain needs, the gain that items prove, or the power of both.

    MATRIX is a pilot: results of two systems like those to be compared (--systems a,b), or of several, whose typical
    pair counts. Without one, guess --disagreement: 0.1 to 0.2 for neighbours on a board, less for variants of one
    model.

    \b
    Example:
      ladderboard power --gain 0.02 --disagreement 0.15
      ladderboard power pilot.csv --kind correct --gain 0.01
      ladderboard power inspect-logs/ --systems new,old --gain 0.02 --repeats 4
      ladderboard power --items 500 --disagreement 0.15
    """
    plan = power_to_compare(
        gain,
        items,
        repeats=repeats,
        power=chance,
        disagreement=disagreement,
        flips=flips,
        pilot=None if matrix is None else read_matrix(matrix, **options),
        confidence=confidence,
    )
    others = [] if items is not None or plan.run_variance == 0 else [plan.with_repeats(k) for k in SHOWN_REPEATS]
    if as_json:
        click.echo(json.dumps({**asdict(plan), "by_repeats": {one.repeats: one.items for one in others}}))
        return
    click.echo(plan.sentence())
    if others:
        _show_repeats(others)


def _show_repeats(plans: list[ComparisonPower]) -> None:
    click.echo("\nThe same gain and power with other numbers of runs:")
    table = Table("runs", "items", "runs in all", box=None, pad_edge=False)
    for column in table.columns:
        column.justify = "right"
    for one in plans:
        table.add_row(f"{one.repeats}", f"{one.items:,}", f"{one.items * one.repeats:,}")
    make_console().print(table)
