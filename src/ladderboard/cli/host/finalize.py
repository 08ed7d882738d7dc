"""`ladderboard finalize` and `ladderboard rescore`: final results and corrections."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.table import Table

from ladderboard.cli.host.own_data import open_competition, open_correction
from ladderboard.cli.host.server_options import database_options, spell_next_command
from ladderboard.server.results import finalizing
from ladderboard.server.results.private_scores import find_private_format
from ladderboard.server.results.rescoring import preview_rescoring, publish_rescoring

if TYPE_CHECKING:
    from ladderboard.core.score_format import ScoreFormat
    from ladderboard.server.competitions.live_competition import LiveCompetition
    from ladderboard.server.results.private_board import PrivateBoard
    from ladderboard.server.results.records import RescoringBody
    from ladderboard.server.results.steps import Steps

FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command()
@click.argument("folder", type=FOLDER)
@click.option("--preview", is_flag=True, help="Show the result without storing it. Keep it private.")
@click.option(
    "--at-once", is_flag=True, help="Do not wait for submissions that arrived in time and are still being scored."
)
@click.option("--top", default=20, show_default=True, type=click.IntRange(min=1), help="How many teams to show.")
@click.option("--json", "as_json", is_flag=True, help="Print the whole board as JSON.")
@database_options
def finalize(folder: Path, *, preview: bool, at_once: bool, top: int, as_json: bool, **where: Any) -> None:
    r"""Compute the private leaderboard of the closed competition in FOLDER from the selected submissions.

    It is stored once and shown to organisers; participants see it after `ladderboard reveal`. Selections can no longer
    be changed.

    \b
    Example:
      ladderboard finalize my-competition --preview
      ladderboard finalize my-competition --data ladderboard-data
    """
    with open_competition(folder, **where) as (host, slug):
        board = _follow(
            finalizing.preview_in_steps(host, slug)
            if preview
            else finalizing.finalize_in_steps(host, slug, at_once=at_once)
        )
        live = host.competition(slug)
    if as_json:
        click.echo(json.dumps(board.to_dict(), ensure_ascii=False, indent=2))
        return
    _print(_make_private_table(board, live, top))
    click.echo(board.statement)
    if preview:
        click.echo("Nothing was stored. These are private scores: show them to nobody before the reveal.")
    else:
        click.echo(f"Finalized. Publish the board with `{spell_next_command('reveal', folder, where)}`.")


@click.command()
@click.argument("folder", type=FOLDER)
@click.option("--publish", is_flag=True, help="Publish the new scores. Without it, only preview them.")
@click.option("--yes", is_flag=True, help="Publish without asking for confirmation.")
@click.option("--top", default=20, show_default=True, type=click.IntRange(min=1), help="How many teams to show.")
@click.option("--json", "as_json", is_flag=True, help="Print the whole comparison as JSON.")
@database_options
def rescore(folder: Path, *, publish: bool, yes: bool, top: int, as_json: bool, **where: Any) -> None:
    r"""Rescore every submission with the corrected solution or metric in FOLDER.

    FOLDER is the one that is being served, or a copy. Without --publish, only preview the changes. Publishing stores
    the corrected solution with the new scores, all or nothing, and a running server goes on with them. The old scores
    stay in the ledger, and the leakage meter counts both.

    \b
    Example:
      ladderboard rescore my-competition
      ladderboard rescore my-competition --publish
    """
    with open_correction(folder, **where) as (host, corrected):
        found = preview_rescoring(host, corrected.slug, corrected)
        scores = corrected.mechanism.score_format(corrected.public.yardstick)
        if publish:
            if not yes:
                _print(_make_rescoring_table(found, scores, top))
                click.confirm(f"Publish scoring version {found.scoring_version}? You cannot undo this", abort=True)
            found = publish_rescoring(host, corrected.slug, corrected)
    if as_json:
        click.echo(json.dumps(asdict(found), ensure_ascii=False, indent=2))
        return
    if not publish or yes:
        _print(_make_rescoring_table(found, scores, top))
    _summarise_rescoring(found, is_published=publish)


def _follow(steps: "Steps[PrivateBoard]") -> "PrivateBoard":
    """Take all steps, and show how far they are where somebody is watching."""
    console = Console(stderr=True)
    with console.status("Computing the private board …") as status:
        while True:
            try:
                status.update(next(steps).sentence)
            except StopIteration as end:
                board: PrivateBoard = end.value
                return board


def _summarise_rescoring(found: "RescoringBody", *, is_published: bool) -> None:
    click.echo(
        f"{found.releases_changed} of {found.submissions} scores change, {found.acceptances_changed} of them between "
        f"accepted and not accepted; the leakage meter adds {found.bits_told:.0f} bits."
    )
    if is_published:
        click.echo("Published. The database keeps the corrected solution; a running server goes on with it.")
    else:
        click.echo("Nothing was stored. Add --publish to publish it.")


def _make_private_table(board: "PrivateBoard", live: "LiveCompetition", top: int) -> Table:
    table = Table("rank", "rank range", "team", board.metric, "public", "moved")
    private, public = find_private_format(live), live.score_format
    for row in board.rows[:top]:
        found = row.rank_range
        table.add_row(
            _format_rank(row.rank),
            "" if found is None else f"{found.best} to {found.worst}",
            row.team if row.kind == "team" else f"{row.team} (baseline)",
            private.write(row.value),
            public.write(row.public_value),
            "" if not row.moved else f"{row.moved:+d}",
        )
    return table


def _make_rescoring_table(found: "RescoringBody", scores: "ScoreFormat", top: int) -> Table:
    table = Table("team", "rank before", "after", "value before", "after")
    for team in found.teams[:top]:
        ranks, values = (team.rank_before, team.rank_after), (team.value_before, team.value_after)
        table.add_row(team.team, *map(_format_rank, ranks), *map(scores.write, values))
    return table


def _format_rank(rank: int | None) -> str:
    return "" if rank is None else str(rank)


def _print(table: Table) -> None:
    Console().print(table)
