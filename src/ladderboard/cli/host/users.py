"""`ladderboard users`: people, from the organiser's terminal; works on the database, whether or not a server runs."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ladderboard.cli._shared.lazy_group import LazyGroup
from ladderboard.cli.host.server_options import database_options

if TYPE_CHECKING:
    from ladderboard.hosting.people.registry import Registry

ROLES = ("organiser", "participant", "reader")

COMMANDS = {
    "add": ("ladderboard.cli.host.users:add", "Make an account; the first organiser is made so."),
    "list": ("ladderboard.cli.host.users:list_users", "All accounts, by name."),
    "reset": (
        "ladderboard.cli.host.users:reset",
        "A one-time code for somebody who lost the password; needs no e-mail.",
    ),
    "role": ("ladderboard.cli.host.users:role", "Make somebody organiser, participant or reader."),
    "disable": ("ladderboard.cli.host.users:disable", "Lock somebody out, at once."),
    "enable": ("ladderboard.cli.host.users:enable", "Let somebody in again."),
    "sign-up-code": ("ladderboard.cli.host.users:sign_up_code", "A code with which people can sign up."),
    "allow": ("ladderboard.cli.host.users:allow", "Put names on the list of those who may sign up."),
}


@click.group(cls=LazyGroup, commands_by_name=COMMANDS)
def users() -> None:
    r"""People: make accounts, help to a new password, say who may sign up.

    \b
    Example:
      ladderboard users add ada --role organiser
      ladderboard users reset grace
      ladderboard serve my-competition --sign-up code
      ladderboard users sign-up-code --uses 30
    """


@click.command()
@click.argument("name")
@click.option("--role", type=click.Choice(ROLES), default="participant", show_default=True)
@click.option("--password-stdin", is_flag=True, help="Read the password from standard input; you are asked otherwise.")
@database_options
def add(name: str, *, role: Any, password_stdin: bool, **where: Any) -> None:
    r"""Make an account named NAME.

    \b
    Example:
      ladderboard users add ada --role organiser
      pwgen 20 1 | ladderboard users add robot --password-stdin
    """
    with _registry(**where) as registry:
        account = registry.add(name, _password(from_stdin=password_stdin), role=role)
    click.echo(f"{account.name} is {_article(account.role)} now.")


@click.command("list")
@click.option("--json", "as_json", is_flag=True, help="The accounts as JSON.")
@database_options
def list_users(*, as_json: bool, **where: Any) -> None:
    r"""All accounts, by name.

    \b
    Example:
      ladderboard users list --json
    """
    with _registry(**where) as registry:
        accounts, _ = registry.listed(limit=sys.maxsize)
    if as_json:
        rows = [
            {
                "name": one.name,
                "role": one.role,
                "created_at": one.created_at.isoformat(),
                "disabled_at": None if one.disabled_at is None else one.disabled_at.isoformat(),
            }
            for one in accounts
        ]
        click.echo(json.dumps(rows, ensure_ascii=False))
        return
    for one in accounts:
        click.echo(f"{one.name:40}  {one.role:11}  {one.created_at:%Y-%m-%d}{'  disabled' if one.disabled_at else ''}")


@click.command()
@click.argument("name")
@database_options
def reset(name: str, **where: Any) -> None:
    r"""A one-time code with which NAME sets a new password; it is good for 48 hours.

    \b
    Example:
      ladderboard users reset grace
    """
    with _registry(**where) as registry:
        code = registry.reset_code(name)
        base = registry.base_url or "http://…"
    click.echo(f"Give this to {name}; it works once, within 48 hours:")
    click.echo(f"  code  {code}")
    click.echo(f"  page  {base}/reset-password?code={code}")


@click.command()
@click.argument("name")
@click.argument("role", metavar="ROLE", type=click.Choice(ROLES))
@database_options
def role(name: str, *, role: Any, **where: Any) -> None:
    r"""Make NAME organiser, participant or reader; it holds at once.

    \b
    Example:
      ladderboard users role grace organiser
    """
    with _registry(**where) as registry:
        account = registry.set_role(name, role)
    click.echo(f"{account.name} is {_article(account.role)} now.")


@click.command()
@click.argument("name")
@database_options
def disable(name: str, **where: Any) -> None:
    r"""Lock NAME out: no sign-in, sessions and tokens stop at once; what was submitted stays.

    \b
    Example:
      ladderboard users disable mallory
    """
    with _registry(**where) as registry:
        account = registry.disable(name)
    click.echo(f"{account.name} is disabled.")


@click.command()
@click.argument("name")
@database_options
def enable(name: str, **where: Any) -> None:
    r"""Let NAME in again.

    \b
    Example:
      ladderboard users enable mallory
    """
    with _registry(**where) as registry:
        account = registry.enable(name)
    click.echo(f"{account.name} may sign in again.")


@click.command("sign-up-code")
@click.option("--uses", type=click.IntRange(1), help="For so many people.  [default: without limit]")
@database_options
def sign_up_code(*, uses: int | None, **where: Any) -> None:
    r"""A new code with which people can sign up on a server that runs with --sign-up code.

    \b
    Example:
      ladderboard users sign-up-code --uses 30
    """
    with _registry(**where) as registry:
        click.echo(registry.sign_up_code(uses=uses))


@click.command()
@click.argument("names", nargs=-1, required=True)
@database_options
def allow(names: tuple[str, ...], **where: Any) -> None:
    r"""Let NAMES sign up on a server that runs with --sign-up list; whoever comes first with a name has it.

    \b
    Example:
      ladderboard users allow ada grace "Team of Alan"
    """
    with _registry(**where) as registry:
        for name in names:
            click.echo(f"{registry.allow(name)} may sign up.")


@contextmanager
def _registry(*, data: Path | None, database: str | None) -> Iterator["Registry"]:
    """The people in the server's database; its tables are made where they are missing."""
    from ladderboard.hosting.people.accounts import Accounts
    from ladderboard.hosting.people.registry import Registry
    from ladderboard.hosting.settings import Settings
    from ladderboard.store.database import Database
    from ladderboard.store.migrations import upgrade

    settings = Settings.from_environment(data=data, database=database)
    opened = Database(settings.database_url)
    try:
        upgrade(opened)
        yield Registry(Accounts(opened, settings))
    finally:
        opened.close()


def _password(*, from_stdin: bool) -> str:
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    password: str = click.prompt("Password", hide_input=True, confirmation_prompt=True)
    return password


def _article(role: str) -> str:
    return f"an {role}" if role == "organiser" else f"a {role}"
