"""`ladderboard team`: create, join and leave teams."""

from typing import TYPE_CHECKING

import click

from ladderboard.cli._shared.lazy_group import LazyGroup
from ladderboard.cli.participate.connection import (
    choose_competition,
    competition_option,
    connect,
    json_option,
    server_option,
)

if TYPE_CHECKING:
    from ladderboard.wire.teams import TeamBody


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
@competition_option("--in")
@server_option
def create(name: str, *, slug: str | None, server: str | None) -> None:
    r"""Create the team NAME with you as its first member.

    \b
    Example:
      ladderboard team create "The Night Shift" --in whales
    """
    with connect(server) as client:
        made = client.create_team(choose_competition(client, slug), name)
    click.echo(f"Created the team {made.name!r} in {made.competition}. You are its first member.")


@team.command(short_help="Create an invitation code for one person.")
@click.option("--merge", is_flag=True, help="Offer to merge this team into another one.")
@competition_option("--in")
@server_option
def invite(*, merge: bool, slug: str | None, server: str | None) -> None:
    r"""Create an invitation code with which one person can join your team.

    \b
    Example:
      ladderboard team invite
    """
    with connect(server) as client:
        made = client.invite(choose_competition(client, slug), merge=merge)
    click.echo(f"Code: {made.code}")
    click.echo(f"Link: {made.link}")
    click.echo(f"Valid for {'one team' if merge else 'one person'} until {made.expires_at}. It is not shown again.")


@team.command(short_help="Join a team with an invitation code.")
@click.argument("code")
@competition_option("--in")
@server_option
def join(code: str, *, slug: str | None, server: str | None) -> None:
    r"""Join a team with the CODE of an invitation.

    \b
    Example:
      ladderboard team join 7kq2m-abcde-fghjk-mnpqr
    """
    with connect(server) as client:
        joined = client.join(choose_competition(client, slug), code)
    click.echo(f"You joined the team {joined.name!r} in {joined.competition}.")


@team.command(short_help="Show your team: members, score, attempts left.")
@competition_option("--in")
@server_option
@json_option
def show(*, slug: str | None, server: str | None, as_json: bool) -> None:
    r"""Show your team: members, score, attempts left.

    \b
    Example:
      ladderboard team show
    """
    with connect(server) as client:
        own = client.team(choose_competition(client, slug))
    if as_json:
        import json
        from dataclasses import asdict

        click.echo(json.dumps(asdict(own)))
    else:
        _describe(own)


@team.command(short_help="Leave your team; another team gives no fresh start.")
@competition_option("--in")
@server_option
@click.confirmation_option(prompt="You can only rejoin this same team later. Leave it?")
def leave(*, slug: str | None, server: str | None) -> None:
    r"""Leave your team. This gives no fresh start: you can only rejoin the same team.

    \b
    Example:
      ladderboard team leave --yes
    """
    with connect(server) as client:
        slug = choose_competition(client, slug)
        client.leave(slug)
    click.echo(f"You left your team in {slug}.")


def _describe(own: "TeamBody") -> None:
    from datetime import UTC, datetime

    from ladderboard.cli.participate.submission_report import describe_budget, describe_quota

    click.echo(f"{own.name} in {own.competition} ({own.status})")
    click.echo(f"Members: {', '.join(one.name for one in own.members)}")
    click.echo(f"On the board: {'no score yet' if own.board_value is None else f'{own.board_value:g}'}")
    click.echo(describe_quota(own.quota, now=datetime.now(UTC)))
    if own.budget is not None:
        click.echo(describe_budget(own.budget))
