"""`ladderboard holdout rehearse`: how often the guard would say "improved" where nothing improves."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ladderboard.cli._shared.console import show_progress
from ladderboard.cli.guard.opening import FILE, open_guard

if TYPE_CHECKING:
    from ladderboard.guard.rehearsal import Rehearsal


@click.command(short_help="Try the guard on copies of one model; spends nothing.")
@click.argument("path", metavar="GUARD", type=FILE)
@click.option("--labels", type=FILE, help="The labels, as given to `init`; graded items have none.")
@click.option("--copies", default=100, show_default=True, help="Copies of the model in each series.")
@click.option("--series", default=200, show_default=True, help="Series, each on a throw-away guard of its own.")
@click.option(
    "--noise", default=0.4, show_default=True, help="The share of wrong predictions, drawn anew for each copy."
)
@click.option("--mechanism", help="Another mechanism to compare, such as full_disclosure.  [default: the guard's]")
@click.option("--seed", default=0, show_default=True, help="Makes the rehearsal reproducible.")
@click.option("--id", "id_column", metavar="COLUMN", help="The column that names the items.")
@click.option("--metric", help="Your metric's new path, if you moved it: path/to/file.py:function.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def rehearse(
    path: Path,
    *,
    labels: Path | None,
    copies: int,
    series: int,
    noise: float,
    mechanism: str | None,
    seed: int,
    id_column: str | None,
    metric: str | None,
    as_json: bool,
) -> None:
    r"""Feed throw-away guards like GUARD with copies of one model and count how often they say "improved".

    All copies are equally good and are wrong on different items. The first "improved" of a series is true: the model
    beats the baseline. Any further one is false; of a gate, where the first copy is the reference, every one is. GUARD
    itself is only read: no attempt is used, nothing is counted.

    \b
    Example:
      ladderboard holdout rehearse holdout.db --labels labels.csv
      ladderboard holdout rehearse holdout.db --labels labels.csv --mechanism full_disclosure
    """
    opened = open_guard(path, labels, id_column, metric)
    with opened as guard, show_progress("Rehearsing") as progress:
        found = guard.rehearse(
            copies=copies, series=series, noise=noise, mechanism=mechanism, seed=seed, progress=progress
        )
    low, high = found.interval
    if as_json:
        click.echo(json.dumps({**asdict(found), "false_rate": found.false_rate, "interval": [low, high]}))
    else:
        _print(found, low, high)


def _print(found: "Rehearsal", low: float, high: float) -> None:
    first = (
        "the first is the reference"
        if found.recognised is None
        else f"recognised as better than the baseline in {found.recognised}"
    )
    click.echo(f"{found.series} series of {found.copies} equally good copies, {found.mechanism}: {first}.")
    click.echo(
        f'A copy was called "improved" over another in {found.false} of {found.series} series: {found.false_rate:.1%} '
        f"(95 % interval {low:.1%} to {high:.1%})."
    )
