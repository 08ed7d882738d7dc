"""`ladderboard shake-up`: what public scores were worth on the private board."""

import json
from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ladderboard.analysis.shake_up import ShakeUp
from ladderboard.analysis.shake_up import shake_up as compare
from ladderboard.core.errors import InputError
from ladderboard.tabular import read_table


@click.command("shake-up")
@click.argument("scores", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--public-column", required=True, metavar="NAME", help="The column of public scores.")
@click.option("--private-column", required=True, metavar="NAME", help="The column of private scores.")
@click.option("--team-column", metavar="NAME", help="The column that names the teams.")
@click.option(
    "--higher-is-better/--lower-is-better", default=None, help="Which way the scores point; one of the two is required."
)
@click.option("--top", default=10, show_default=True, type=click.IntRange(min=1), help="How many teams to show.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Seed of the bootstrap.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def shake_up(
    *,
    scores: Path,
    public_column: str,
    private_column: str,
    team_column: str | None,
    higher_is_better: bool | None,
    top: int,
    seed: int,
    as_json: bool,
) -> None:
    r"""Compare the public and private scores of the same teams, one row per team in SCORES.

    \b
    Example:
      ladderboard shake-up board.csv --public-column public --private-column private --higher-is-better
    """
    table = read_table(scores)
    if higher_is_better is None:
        raise InputError(
            f"{table.name} does not say whether high numbers are good: say --higher-is-better or --lower-is-better"
        )
    found = compare(
        table.numbers(public_column),
        table.numbers(private_column),
        teams=None if team_column is None else table.names(team_column),
        lower_is_better=not higher_is_better,
        seed=seed,
    )
    if as_json:
        moves = [{**asdict(move), "change": move.change} for move in found.moves]
        click.echo(json.dumps({**asdict(found), "moves": moves, "sentence": found.sentence()}))
    else:
        _show(found, top)


def _show(found: ShakeUp, top: int) -> None:
    console = Console(highlight=False)
    console.print(_make_table(found, top))
    console.print(found.sentence(), soft_wrap=True, markup=False)


def _make_table(found: ShakeUp, top: int) -> Table:
    table = Table(box=None, pad_edge=False)
    for column in ("public rank", "private rank", "change", "team", "public", "private"):
        table.add_column(column, justify="left" if column == "team" else "right", no_wrap=True)
    for move in found.moves[:top]:
        change = "=" if move.change == 0 else f"{'▼' if move.change > 0 else '▲'}{abs(move.change)}"
        ranks = (str(move.public_rank), str(move.private_rank), change)
        table.add_row(*ranks, Text(move.team), f"{move.public:.4f}", f"{move.private:.4f}")
    return table
