"""`ladderboard webhooks`: addresses that receive the events of a server."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from ladderboard.cli._shared.lazy_group import LazyGroup
from ladderboard.cli.host.own_data import open_own_database, read_settings, read_slug
from ladderboard.cli.host.server_options import database_options
from ladderboard.server.webhooks.delivery import Deliverer
from ladderboard.server.webhooks.events import add_webhook, list_webhooks, remove_webhook, retry_webhook


@click.group(cls=LazyGroup)
def webhooks() -> None:
    r"""Manage webhooks: signed messages about a server's events, sent to an address of yours.

    \b
    Example:
      ladderboard webhooks add https://chat.example.org/hook --competition whales
      ladderboard webhooks list
    """


@webhooks.command(short_help="Add a webhook.")
@click.argument("url")
@click.option("--competition", type=click.Path(path_type=Path), help="Its folder or slug.  [default: all]")
@click.option("--event", "events", multiple=True, metavar="EVENT", help="Repeatable.  [default: all]")
@database_options
def add(url: str, *, competition: Path | None, events: tuple[str, ...], **where: Any) -> None:
    r"""Add a webhook for the events submission, opened, frozen, finalized, revealed, rescored and spent.

    The secret that signs the messages is shown only once.

    \b
    Example:
      ladderboard webhooks add https://chat.example.org/hook --competition whales --event revealed
    """
    slug = None if competition is None else read_slug(competition)
    with open_own_database(**where) as database:
        may_reach = read_settings(**where).webhooks_may_reach
        hook = add_webhook(database, url, slug=slug, events=events, may_reach=may_reach)
    click.echo(f"webhook {hook.id}\nsecret  {hook.secret}\nStore the secret: it is not shown again.")


@webhooks.command("list", short_help="List all webhooks, with the numbers of their deliveries.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@database_options
def list_all(*, as_json: bool, **where: Any) -> None:
    r"""List all webhooks, with the numbers of their deliveries.

    \b
    Example:
      ladderboard webhooks list --json
    """
    with open_own_database(**where) as database:
        found = list_webhooks(database)
    if as_json:
        click.echo(json.dumps([asdict(one) for one in found], default=str, ensure_ascii=False))
        return
    for one in found:
        events = ", ".join(one.events) or "all events"
        click.echo(f"{one.id}  {one.competition or '(all)'}  {one.url}  {events}")
        click.echo(f"    {one.delivered} delivered, {one.waiting} waiting, {one.given_up} given up")


@webhooks.command(short_help="Remove a webhook.")
@click.argument("webhook_id")
@database_options
def remove(webhook_id: str, **where: Any) -> None:
    r"""Remove the webhook WEBHOOK_ID.

    \b
    Example:
      ladderboard webhooks remove 01a1e21c6cb1771df1e727d1
    """
    with open_own_database(**where) as database:
        remove_webhook(database, webhook_id)
    click.echo("Removed, with its waiting deliveries.")


@webhooks.command(short_help="Retry deliveries that were given up.")
@click.argument("webhook_id")
@database_options
def retry(webhook_id: str, **where: Any) -> None:
    r"""Retry the deliveries that were given up for the webhook WEBHOOK_ID.

    \b
    Example:
      ladderboard webhooks retry 01a1e21c6cb1771df1e727d1
    """
    with open_own_database(**where) as database:
        count = retry_webhook(database, webhook_id)
    click.echo("1 delivery is due again." if count == 1 else f"{count:,} deliveries are due again.")


@webhooks.command(short_help="Make the deliveries that are due, without a running server.")
@database_options
def deliver(**where: Any) -> None:
    r"""Make the deliveries that are due, without a running server; for example from cron.

    \b
    Example:
      ladderboard webhooks deliver
    """
    settings = read_settings(**where)
    with open_own_database(**where) as database:
        deliverer, tried = Deliverer.for_settings(database, settings.webhooks_may_reach), 0
        while batch := deliverer.deliver_due():
            tried += batch
    click.echo("1 delivery was tried." if tried == 1 else f"{tried:,} deliveries were tried.")
