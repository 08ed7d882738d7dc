"""`ladderboard holdout clients`: who may ask a holdout service, and how often each did."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import click

from ladderboard.cli._shared.lazy_group import LazyGroup
from ladderboard.cli.guard.opening import FILE
from ladderboard.guard.clients import add_client, list_clients, revoke_client
from ladderboard.guard.file import GuardFile


@click.group(cls=LazyGroup)
def clients() -> None:
    r"""Manage who may ask a holdout service: a name and a token for each.

    Changes take effect at once, even while the service runs. They need the guard's file, not the labels.

    \b
    Example:
      ladderboard holdout clients add holdout.db ci
      ladderboard holdout clients list holdout.db
      ladderboard holdout clients revoke holdout.db ci
    """


@clients.command(short_help="Add a client and print its token, which is shown only once.")
@click.argument("path", metavar="GUARD", type=FILE)
@click.argument("name")
def add(path: Path, name: str) -> None:
    r"""Add a client NAME to GUARD and print its token; only a hash of it is stored.

    \b
    Example:
      ladderboard holdout clients add holdout.db ci > ci.token
    """
    with _open_file(path) as connection:
        click.echo(add_client(connection, name))
    click.echo(
        f"The token of {name}. It is not shown again; the client gives it as LADDERBOARD_HOLDOUT_TOKEN.", err=True
    )


@clients.command(short_help="Make a client's token invalid at once.")
@click.argument("path", metavar="GUARD", type=FILE)
@click.argument("name")
def revoke(path: Path, name: str) -> None:
    r"""Make the token of NAME invalid at once; its attempts stay counted. `add` gives the name a new token.

    \b
    Example:
      ladderboard holdout clients revoke holdout.db ci
    """
    with _open_file(path) as connection:
        revoke_client(connection, name)
    click.echo(f"{name} can no longer ask.")


@clients.command("list", short_help="List the clients and their attempts.")
@click.argument("path", metavar="GUARD", type=FILE)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_all(path: Path, *, as_json: bool) -> None:
    r"""List the clients of GUARD with their attempts; tokens are not stored and cannot be shown.

    \b
    Example:
      ladderboard holdout clients list holdout.db
    """
    with _open_file(path) as connection:
        known = list_clients(connection)
    if as_json:
        click.echo(json.dumps([asdict(one) for one in known]))
        return
    for one in known:
        state = ", revoked" if one.is_revoked else ""
        click.echo(f"{one.name}: attempts {one.attempts}, accepted {one.accepts} (added {one.added_at[:10]}{state})")
    if not known:
        click.echo(f"No clients yet. Add one: ladderboard holdout clients add {path} NAME")


@contextmanager
def _open_file(path: Path) -> Iterator[sqlite3.Connection]:
    guard = GuardFile.open(path)
    try:
        with guard.use() as connection:
            yield connection
    finally:
        guard.close()
