"""`ladderboard users`: accounts, managed from the organiser's terminal, whether or not a server is running."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from ladderboard.cli._shared.lazy_group import LazyGroup
from ladderboard.cli.host.own_data import open_own_database, read_settings
from ladderboard.cli.host.server_options import database_options
from ladderboard.core.words import with_article
from ladderboard.server.own_data.rules import delete_account
from ladderboard.server.people.accounts import Accounts, Registry

ROLES = ("organiser", "participant", "reader")
SHOWN = ("name", "role", "created_at", "disabled_at")
"""Of each account, in JSON."""


@click.group(cls=LazyGroup)
def users() -> None:
    r"""Manage accounts: add them, reset passwords, decide who may sign up.

    \b
    Example:
      ladderboard users add ada --role organiser
      ladderboard users reset grace
      ladderboard serve my-competition --sign-up code
      ladderboard users sign-up-code --uses 30
    """


@users.command(short_help="Add an account; this is how the first organiser is added.")
@click.argument("name")
@click.option("--role", type=click.Choice(ROLES), default="participant", show_default=True)
@click.option("--password-stdin", is_flag=True, help="Read the password from standard input instead of asking for it.")
@database_options
def add(name: str, *, role: Any, password_stdin: bool, **where: Any) -> None:
    r"""Add an account named NAME.

    \b
    Example:
      ladderboard users add ada --role organiser
      pwgen 20 1 | ladderboard users add robot --password-stdin
    """
    with _open_registry(**where) as registry:
        account = registry.add(name, _password(from_stdin=password_stdin), role=role)
    click.echo(f"{account.name} is {with_article(account.role)} now.")


@users.command("list", short_help="List all accounts, by name.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@database_options
def list_users(*, as_json: bool, **where: Any) -> None:
    r"""List all accounts, by name.

    \b
    Example:
      ladderboard users list --json
    """
    with _open_registry(**where) as registry:
        accounts, _ = registry.list_accounts(limit=sys.maxsize)
    if as_json:
        rows = [{name: getattr(one, name) for name in SHOWN} for one in accounts]
        click.echo(json.dumps(rows, default=datetime.isoformat, ensure_ascii=False))
        return
    for one in accounts:
        click.echo(f"{one.name:40}  {one.role:11}  {one.created_at:%Y-%m-%d}{'  disabled' if one.disabled_at else ''}")


@users.command(short_help="Create a one-time code for somebody who lost the password.")
@click.argument("name")
@database_options
def reset(name: str, **where: Any) -> None:
    r"""Create a one-time code with which NAME sets a new password within 48 hours.

    \b
    Example:
      ladderboard users reset grace
    """
    with _open_registry(**where) as registry:
        code = registry.make_reset_code(name)
        base = registry.base_url or "http://…"
    click.echo(f"Give this to {name}; it works once, within 48 hours:")
    click.echo(f"  code  {code}")
    click.echo(f"  page  {base}/reset-password?code={code}")


@users.command(short_help="Change somebody's role: organiser, participant or reader.")
@click.argument("name")
@click.argument("role", metavar="ROLE", type=click.Choice(ROLES))
@database_options
def role(name: str, *, role: Any, **where: Any) -> None:
    r"""Make NAME an organiser, participant or reader, effective at once.

    \b
    Example:
      ladderboard users role grace organiser
    """
    with _open_registry(**where) as registry:
        account = registry.set_role(name, role)
    click.echo(f"{account.name} is {with_article(account.role)} now.")


@users.command(short_help="Disable an account immediately.")
@click.argument("name")
@database_options
def disable(name: str, **where: Any) -> None:
    r"""Disable NAME: no sign-in, sessions and tokens stop at once; submissions stay.

    \b
    Example:
      ladderboard users disable mallory
    """
    with _open_registry(**where) as registry:
        account = registry.disable(name)
    click.echo(f"{account.name} is disabled.")


@users.command(short_help="Delete an account and who it was.")
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@database_options
def delete(name: str, *, yes: bool, **where: Any) -> None:
    r"""Delete the account NAME: everything that says who it was goes, what its teams submitted stays.

    You cannot undo it. Backups made before still have it.

    \b
    Example:
      ladderboard users delete grace
    """
    if not yes:
        click.confirm(f"Delete the account {name} for good", abort=True)
    with open_own_database(**where) as database:
        stored = delete_account(database, name)
    click.echo(f"{stored} is deleted.")


@users.command(short_help="Enable a disabled account.")
@click.argument("name")
@database_options
def enable(name: str, **where: Any) -> None:
    r"""Enable the disabled account NAME.

    \b
    Example:
      ladderboard users enable mallory
    """
    with _open_registry(**where) as registry:
        account = registry.enable(name)
    click.echo(f"{account.name} may sign in again.")


@users.command("sign-up-code", short_help="Create a code with which people can sign up.")
@click.option("--uses", type=click.IntRange(1), help="The number of people who may use it.  [default: no limit]")
@database_options
def sign_up_code(*, uses: int | None, **where: Any) -> None:
    r"""Create a code with which people can sign up on a server that runs with --sign-up code.

    \b
    Example:
      ladderboard users sign-up-code --uses 30
    """
    with _open_registry(**where) as registry:
        click.echo(registry.make_sign_up_code(uses=uses))


@users.command(short_help="Allow names to sign up.")
@click.argument("names", nargs=-1, required=True)
@database_options
def allow(names: tuple[str, ...], **where: Any) -> None:
    r"""Allow NAMES to sign up on a server that runs with --sign-up list; the first to use a name gets it.

    \b
    Example:
      ladderboard users allow ada grace "Team of Alan"
    """
    with _open_registry(**where) as registry:
        for name in names:
            click.echo(f"{registry.allow(name)} may sign up.")


@contextmanager
def _open_registry(*, data: Path | None, database: str | None) -> Iterator[Registry]:
    """Open the registry of the server's database."""
    with open_own_database(data, database) as opened:
        yield Registry(Accounts(opened, read_settings(data, database)))


def _password(*, from_stdin: bool) -> str:
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    password: str = click.prompt("Password", hide_input=True, confirmation_prompt=True)
    return password
