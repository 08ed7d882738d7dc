"""`ladderboard finalize` and `ladderboard rescore`: the end of a competition, and a correction of its solution."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ladderboard.cli.host.server_options import database_options

if TYPE_CHECKING:
    from rich.table import Table

    from ladderboard.hosting.corrections.rescoring import Rescoring
    from ladderboard.hosting.results.private_board import PrivateBoard

FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command()
@click.argument("folder", type=FOLDER)
@click.option("--preview", is_flag=True, help="Show what it would be now; store nothing. For your eyes only.")
@click.option("--at-once", is_flag=True, help="Do not wait for what arrived in time and may still be being scored.")
@click.option("--top", default=20, show_default=True, type=click.IntRange(min=1), help="Show the first teams only.")
@click.option("--json", "as_json", is_flag=True, help="The whole board as JSON.")
@database_options
def finalize(folder: Path, *, preview: bool, at_once: bool, top: int, as_json: bool, **where: Any) -> None:
    r"""Compute the private board of the closed competition in FOLDER, on the picked submissions.

    It is stored once and shown to organisers; participants see it after `ladderboard reveal`. Picks cannot be changed
    any more.

    \b
    Example:
      ladderboard finalize my-competition --preview
      ladderboard finalize my-competition --data ladderboard-data
    """
    from ladderboard.cli.host.own_data import open_competition
    from ladderboard.hosting.results import finalizing

    with open_competition(folder, **where) as (host, slug):
        board = finalizing.preview(host, slug) if preview else finalizing.finalize(host, slug, at_once=at_once)
    if as_json:
        click.echo(json.dumps(board.to_dict(), ensure_ascii=False, indent=2))
        return
    _print(_private_table(board, top))
    click.echo(board.statement)
    if preview:
        click.echo("Nothing was stored. These are the private numbers: show them to nobody before the reveal.")
    else:
        click.echo(f"Finalized. Show it to everybody with `ladderboard reveal {folder}`.")


@click.command()
@click.argument("folder", type=FOLDER)
@click.option("--served", type=FOLDER, help="The folder as it is being served: rows that change sides are refused.")
@click.option("--publish", is_flag=True, help="Publish it: every release changes, once. Without it: a preview.")
@click.option("--yes", is_flag=True, help="Do not ask again before publishing.")
@click.option("--top", default=20, show_default=True, type=click.IntRange(min=1), help="Show the first teams only.")
@click.option("--json", "as_json", is_flag=True, help="The whole comparison as JSON.")
@database_options
def rescore(
    folder: Path, *, served: Path | None, publish: bool, yes: bool, top: int, as_json: bool, **where: Any
) -> None:
    r"""Score everything anew with the corrected solution or metric in FOLDER.

    First a preview of what would change; --publish makes it a new scoring version. The old releases stay in the ledger,
    and the leakage meter counts both. Then restart the server with the corrected folder.

    \b
    Example:
      ladderboard rescore corrected --served my-competition
      ladderboard rescore corrected --served my-competition --publish
    """
    from ladderboard.cli.host.own_data import open_correction
    from ladderboard.hosting.corrections.rescoring import preview_rescoring, publish_rescoring

    if served is None:
        click.echo("Without --served it is not checked that rows stay on their side, public or private.", err=True)
    with open_correction(folder, served=served, **where) as (host, corrected):
        found = preview_rescoring(host, corrected.slug, corrected)
        if publish:
            if not yes:
                _print(_rescoring_table(found, top))
                click.confirm(f"Publish scoring version {found.scoring_version}? It cannot be taken back", abort=True)
            found = publish_rescoring(host, corrected.slug, corrected)
    if as_json:
        click.echo(json.dumps(found.to_dict(), ensure_ascii=False, indent=2))
        return
    if not publish or yes:
        _print(_rescoring_table(found, top))
    click.echo(
        f"{found.releases_changed} of {found.submissions} releases change, {found.acceptances_changed} of them between "
        f"accepted and not; the meter counts {found.bits_told:.0f} bits more."
    )
    if publish:
        click.echo(
            f"Published. A server of {folder} reads it by itself within half a minute, and refuses submissions until "
            "then; one that serves another copy needs the corrected files there."
        )
    else:
        click.echo("Nothing was stored; publish it with --publish.")


def _private_table(board: "PrivateBoard", top: int) -> "Table":
    from rich.table import Table

    table = Table("rank", "may be", "team", board.metric, "public", "moved")
    for row in board.rows[:top]:
        found = row.rank_range
        table.add_row(
            _shown(row.rank),
            "" if found is None else f"{found['best']} to {found['worst']}",
            row.team if row.kind == "team" else f"{row.team} (baseline)",
            _shown(row.value),
            _shown(row.public_value),
            "" if not row.moved else f"{row.moved:+d}",
        )
    return table


def _rescoring_table(found: "Rescoring", top: int) -> "Table":
    from rich.table import Table

    table = Table("team", "rank before", "after", "value before", "after")
    for team in found.teams[:top]:
        cells = (team.rank_before, team.rank_after, team.value_before, team.value_after)
        table.add_row(team.team, *map(_shown, cells))
    return table


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


def _print(table: "Table") -> None:
    from rich.console import Console

    Console().print(table)
