"""The organiser's decisions: `freeze`, `reveal`, `quota`, `baseline`."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from ladderboard.cli._shared.lazy_group import LazyGroup
from ladderboard.cli.host.server_options import database_options

BASELINE_COMMANDS = {"add": ("ladderboard.cli.host.organise:add", "Score a file as a baseline.")}
FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command()
@click.argument("folder", type=FOLDER)
@click.option("--undo", is_flag=True, help="Open it again, as long as it is not finalized.")
@database_options
def freeze(folder: Path, *, undo: bool, **where: Any) -> None:
    r"""Close the competition in FOLDER now: what arrives later is not scored.

    \b
    Example:
      ladderboard freeze my-competition
      ladderboard freeze my-competition --undo
    """
    from ladderboard.cli.host.own_data import open_competition
    from ladderboard.hosting import lifecycle

    with open_competition(folder, **where) as (services, slug):
        if undo:
            lifecycle.unfreeze(services, slug)
        else:
            lifecycle.freeze(services, slug)
    click.echo(f"{slug} is {'open again' if undo else f'closed. Then: ladderboard finalize {folder}'}.")


@click.command()
@click.argument("folder", type=FOLDER)
@click.option("--yes", is_flag=True, help="Do not ask again.")
@database_options
def reveal(folder: Path, *, yes: bool, **where: Any) -> None:
    r"""Show the private board of the finalized competition in FOLDER to everybody.

    From then on the ledger's openings are public too, and so is the solution with its labels, unless the rules say
    publish_solution = false: that is what lets anybody verify the competition. It cannot be taken back.

    \b
    Example:
      ladderboard reveal my-competition
    """
    from ladderboard.cli.host.own_data import open_competition
    from ladderboard.hosting.lifecycle import reveal as reveal_board

    with open_competition(folder, **where) as (services, slug):
        if not yes:
            too = " and can download the solution" if services.competition(slug).rules.publish_solution else ""
            click.confirm(f"Everybody will see the private board{too}. Go on", abort=True)
        reveal_board(services, slug)
    click.echo(f"{slug} is revealed. Anybody can check it: ladderboard ledger verify https://HOST/competitions/{slug}")


@click.command()
@click.argument("competition", type=click.Path(path_type=Path))
@click.argument("team")
@click.option("--extra-per-day", type=int, metavar="N", help="Attempts a day beyond the rules.")
@click.option("--extra-total", type=int, metavar="N", help="Attempts in total beyond the rules.")
@click.option("--reason", default="", help="For the public ledger.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
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
    r"""Show or change what TEAM may ask beyond the rules of COMPETITION (its folder, or its slug).

    Every change is an entry in the public ledger.

    \b
    Example:
      ladderboard quota whales "Team Ada"
      ladderboard quota whales "Team Ada" --extra-per-day 2 --reason "the server was down on Monday"
    """
    from ladderboard.cli.host.own_data import open_own_database, read_slug
    from ladderboard.hosting.teams.grants import grant, read_grant

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
            f"{found.team}: {found.attempts} attempts made; beyond the rules {found.extra_per_day} a day and "
            f"{found.extra_total} in total."
        )


@click.group(cls=LazyGroup, commands_by_name=BASELINE_COMMANDS)
def baseline() -> None:
    r"""Baselines: shown on the board in their places, without a rank.

    \b
    Example:
      ladderboard baseline add my-competition "Majority class" majority.csv
    """


@click.command()
@click.argument("folder", type=FOLDER)
@click.argument("name")
@click.argument("predictions", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@database_options
def add(folder: Path, name: str, predictions: Path, *, as_json: bool, **where: Any) -> None:
    r"""Score the file PREDICTIONS as the baseline NAME of the competition in FOLDER.

    It goes through the same mechanism as every submission, so that its number tells no more than theirs.

    \b
    Example:
      ladderboard baseline add my-competition "Majority class" majority.csv
    """
    from ladderboard.cli.host.own_data import open_competition
    from ladderboard.hosting.boards.baselines import add_baseline

    with open_competition(folder, **where) as (services, slug):
        answer = add_baseline(services, slug, name, predictions.read_bytes(), file_name=predictions.name)
    if as_json:
        click.echo(json.dumps(answer.content, ensure_ascii=False))
        return
    value = answer.content["release"]["board_value"]
    words = "without a number: it beats nothing" if value is None else f"with {value:g}"
    click.echo(f"{name} is on the board {words}.")
