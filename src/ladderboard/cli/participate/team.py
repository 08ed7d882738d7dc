"""`ladderboard team`: create, join and leave teams."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from ladderboard.cli._shared.lazy_group import LazyGroup
from ladderboard.cli.participate.connection import (
    competition_options,
    connect,
    connect_to_server,
    echo_json,
    json_option,
    server_option,
)
from ladderboard.cli.participate.submission_report import describe_budget, describe_quota

if TYPE_CHECKING:
    from ladderboard.core.score_format import ScoreFormat
    from ladderboard.server.teams.records import TeamBody


@click.group(cls=LazyGroup)
def team() -> None:
    r"""Manage your team. Everybody submits as a member of a team, and its members share the attempts.

    \b
    Example:
      ladderboard team create "The Night Shift"
      ladderboard team invite
      ladderboard team join 7kq2m-abcde-fghjk-mnpqr
    """


@team.command(short_help="Create a team with you as its first member.")
@click.argument("name")
@competition_options("--in")
def create(name: str, **where: Any) -> None:
    r"""Create the team NAME with you as its first member.

    \b
    Example:
      ladderboard team create "The Night Shift" --competition whales
    """
    with connect(**where) as (client, slug):
        made = client.create_team(slug, name)
    click.echo(f"Created the team {made.name!r} in {made.competition}. You are its first member.")


@team.command(short_help="Create an invitation code for one person.")
@click.option("--merge", is_flag=True, help="Offer to merge this team into another one.")
@competition_options("--in")
def invite(*, merge: bool, **where: Any) -> None:
    r"""Create an invitation code with which one person can join your team.

    \b
    Example:
      ladderboard team invite
    """
    with connect(**where) as (client, slug):
        made = client.invite(slug, merge=merge)
    click.echo(f"Code: {made.code}")
    click.echo(f"Link: {made.link}")
    click.echo(
        f"Valid for {'one team' if merge else 'one person'} until {made.expires_at.isoformat()}. It is not shown again."
    )


@team.command(short_help="Join a team with an invitation code.")
@click.argument("code")
@server_option
def join(code: str, server: str | None) -> None:
    r"""Join a team with the CODE of an invitation. The code knows its competition.

    \b
    Example:
      ladderboard team join 7kq2m-abcde-fghjk-mnpqr
    """
    with connect_to_server(server) as client:
        joined = client.join(code)
    click.echo(f"You joined the team {joined.name!r} in {joined.competition}.")


@team.command(short_help="Show your team: members, score, attempts left.")
@competition_options("--in")
@json_option
def show(*, as_json: bool, **where: Any) -> None:
    r"""Show your team: members, score, attempts left.

    \b
    Example:
      ladderboard team show
    """
    with connect(**where) as (client, slug):
        own = client.team(slug)
        scores = None if as_json else client.competition(slug).score_format
    if scores is None:
        echo_json(own)
    else:
        _describe(own, scores)


@team.command(short_help="Leave your team; another team gives no fresh start.")
@competition_options("--in")
@click.confirmation_option(prompt="You can only rejoin this same team later. Leave it?")
def leave(**where: Any) -> None:
    r"""Leave your team. This gives no fresh start: you can only rejoin the same team.

    \b
    Example:
      ladderboard team leave --yes
    """
    with connect(**where) as (client, slug):
        client.leave(slug)
    click.echo(f"You left your team in {slug}.")


def _describe(own: "TeamBody", scores: "ScoreFormat") -> None:
    click.echo(f"{own.name} in {own.competition} ({own.status})")
    click.echo(f"Members: {', '.join(one.name for one in own.members)}")
    click.echo(f"On the board: {'no score yet' if own.board_value is None else scores.write(own.board_value)}")
    click.echo(describe_quota(own.quota, now=datetime.now(UTC)))
    if own.budget is not None:
        click.echo(describe_budget(own.budget))
