"""`ladderboard freeze`, `reveal`, `quota` and `baseline`: the organiser's decisions."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from ladderboard.cli._shared.lazy_group import LazyGroup
from ladderboard.cli.host.own_data import open_competition, open_own_database, read_slug
from ladderboard.cli.host.server_options import database_options, spell_next_command
from ladderboard.server import lifecycle
from ladderboard.server.lifecycle import reveal as reveal_board
from ladderboard.server.operations.rules import add_baseline
from ladderboard.server.submissions.records import QUEUED
from ladderboard.server.teams.grants import grant, read_grant

FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command()
@click.argument("folder", type=FOLDER)
@click.option("--undo", is_flag=True, help="Reopen it, unless it is finalized.")
@database_options
def freeze(folder: Path, *, undo: bool, **where: Any) -> None:
    r"""Close the competition in FOLDER now: later submissions are not scored.

    \b
    Example:
      ladderboard freeze my-competition
      ladderboard freeze my-competition --undo
    """
    with open_competition(folder, **where) as (services, slug):
        if undo:
            lifecycle.unfreeze(services, slug)
        else:
            lifecycle.freeze(services, slug)
    following = spell_next_command("finalize", folder, where)
    click.echo(f"{slug} is open again." if undo else f"{slug} is closed. Next: {following}")


@click.command()
@click.argument("folder", type=FOLDER)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@database_options
def reveal(folder: Path, *, yes: bool, **where: Any) -> None:
    r"""Publish the private leaderboard of the finalized competition in FOLDER.

    This also publishes the ledger's openings and, unless the rules say publish_solution = false, the solution with its
    labels, so that anybody can verify the competition. You cannot undo it.

    \b
    Example:
      ladderboard reveal my-competition
    """
    with open_competition(folder, **where) as (services, slug):
        if not yes:
            too = " and can download the solution" if services.competition(slug).rules.publish_solution else ""
            click.confirm(f"Everybody will see the private board{too}. Continue", abort=True)
        reveal_board(services, slug)
    click.echo(f"{slug} is revealed. Anybody can verify it: ladderboard ledger verify https://HOST/competitions/{slug}")


@click.command()
@click.argument("competition", type=click.Path(path_type=Path))
@click.argument("team")
@click.option("--extra-per-day", type=int, metavar="N", help="Extra attempts per day.")
@click.option("--extra-total", type=int, metavar="N", help="Extra attempts in total.")
@click.option("--reason", default="", help="The reason, for the public ledger.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@database_options
def quota(  # noqa: PLR0917  # click passes options by name
    competition: Path,
    team: str,
    extra_per_day: int | None,
    extra_total: int | None,
    reason: str,
    as_json: bool,
    **where: Any,
) -> None:
    r"""Show or change the extra attempts of TEAM in COMPETITION (its folder or slug).

    Every change is recorded in the public ledger.

    \b
    Example:
      ladderboard quota whales "Team Ada"
      ladderboard quota whales "Team Ada" --extra-per-day 2 --reason "the server was down on Monday"
    """
    with open_own_database(**where) as database:
        slug = read_slug(competition)
        if extra_per_day is None and extra_total is None:
            found = read_grant(database, slug, team)
        else:
            found = grant(database, slug, team, per_day=extra_per_day, total=extra_total, reason=reason)
    if as_json:
        click.echo(json.dumps(asdict(found), ensure_ascii=False))
    else:
        click.echo(
            f"{found.team}: {found.attempts} attempts made; {found.extra_per_day} extra per day and "
            f"{found.extra_total} extra in total."
        )


@click.group(cls=LazyGroup)
def baseline() -> None:
    r"""Manage baselines, which the board shows in their places without a rank.

    \b
    Example:
      ladderboard baseline add my-competition "Majority class" majority.csv
    """


@baseline.command(short_help="Score a file as a baseline.")
@click.argument("folder", type=FOLDER)
@click.argument("name")
@click.argument("predictions", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@database_options
def add(folder: Path, name: str, predictions: Path, *, as_json: bool, **where: Any) -> None:
    r"""Score the file PREDICTIONS as the baseline NAME of the competition in FOLDER.

    It goes through the same mechanism as every submission, so its score reveals no more than theirs.

    \b
    Example:
      ladderboard baseline add my-competition "Majority class" majority.csv
    """
    with open_competition(folder, **where) as (services, slug):
        answer = add_baseline(services, slug, name, predictions.read_bytes(), file_name=predictions.name)
        live = services.competition(slug)
    if as_json:
        click.echo(json.dumps(answer.content, ensure_ascii=False))
        return
    if answer.status == QUEUED:
        click.echo(f"{name} is in the queue; the server of this competition scores it in its turn.")
        return
    if not live.mechanism.shows_scores:
        click.echo(f"{name} was received; it is scored with the teams at the reveal.")
        return
    value = answer.content["release"]["board_value"]
    without = "without a score, because it is not better than the public baseline"
    words = without if value is None else f"with {live.score_format.write(value)}"
    click.echo(f"{name} is on the board {words}.")
