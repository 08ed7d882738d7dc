"""`ladderboard grades`: the gradebook of a competition as CSV, from the server's own data."""

from pathlib import Path
from typing import Any

import click

from ladderboard.cli.host.own_data import open_own_database, read_slug
from ladderboard.cli.host.server_options import database_options
from ladderboard.server.operations.gradebook import write_grades


@click.command()
@click.argument("competition", type=click.Path(path_type=Path))
@click.option("--points", metavar="RULE", default="", help="linear, ranks or baselines; see the examples.")
@click.option(
    "--for", "layout", type=click.Choice(["full", "moodle", "canvas"]), default="full", show_default=True,
    help="For whose importer.",
)  # fmt: skip
@database_options
def grades(competition: Path, *, points: str, layout: Any, **where: Any) -> None:
    r"""Print the gradebook of COMPETITION (its folder or slug) as CSV: a row for each person.

    Points are counted from final scores, so finalize first. `ranks` counts by the best rank that a team may truly
    have, and `baselines` gives the most of those that a team beats.

    \b
    Example:
      ladderboard grades whales > grades.csv
      ladderboard grades whales --points "linear 0.6=0 0.9=100" --for moodle > moodle.csv
      ladderboard grades whales --points "ranks 1=100 5=80 rest=50"
      ladderboard grades whales --points "baselines 'Majority class'=40 Forest=80" --for canvas
    """
    with open_own_database(**where) as database:
        click.echo(write_grades(database, read_slug(competition), rule=points, layout=layout), nl=False)
