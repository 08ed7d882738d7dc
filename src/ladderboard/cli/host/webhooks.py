"""`ladderboard webhooks`: who is told what happens on a board."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from ladderboard.cli._shared.lazy_group import LazyGroup
from ladderboard.cli.host.server_options import database_options

COMMANDS = {
    "add": ("ladderboard.cli.host.webhooks:add", "Tell an address what happens."),
    "list": ("ladderboard.cli.host.webhooks:list_all", "All webhooks, with what is on its way to them."),
    "remove": ("ladderboard.cli.host.webhooks:remove", "Tell an address nothing more."),
    "retry": ("ladderboard.cli.host.webhooks:retry", "Try again what was given up."),
    "deliver": ("ladderboard.cli.host.webhooks:deliver", "Deliver what is due, without a running server."),
}


@click.group(cls=LazyGroup, commands_by_name=COMMANDS)
def webhooks() -> None:
    r"""Webhooks: signed messages to an address of yours about what happens on a board.

    \b
    Example:
      ladderboard webhooks add https://chat.example.org/hook --competition whales
      ladderboard webhooks list
    """


@click.command()
@click.argument("url")
@click.option("--competition", type=click.Path(path_type=Path), help="Its folder or slug.  [default: all]")
@click.option("--event", "events", multiple=True, metavar="EVENT", help="Repeatable.  [default: all]")
@database_options
def add(url: str, *, competition: Path | None, events: tuple[str, ...], **where: Any) -> None:
    r"""Tell URL of submission, opened, frozen, finalized, revealed, rescored and spent.

    The secret that signs what is sent is shown once.

    \b
    Example:
      ladderboard webhooks add https://chat.example.org/hook --competition whales --event revealed
    """
    from ladderboard.cli.host.own_data import opened_database, slug_in
    from ladderboard.hosting.audit.ledger_view import find_competition
    from ladderboard.hosting.webhooks.events import add_webhook

    slug = None if competition is None else slug_in(competition)
    with opened_database(**where) as database:
        if slug is not None:
            with database.reading() as connection:
                find_competition(connection, slug)
        hook = add_webhook(database, url, slug=slug, events=events)
    click.echo(f"webhook {hook.id}\nsecret  {hook.secret}\nKeep the secret: it is not shown again.")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@database_options
def list_all(*, as_json: bool, **where: Any) -> None:
    r"""All webhooks, with what is on its way to them.

    \b
    Example:
      ladderboard webhooks list --json
    """
    from ladderboard.cli.host.own_data import opened_database
    from ladderboard.hosting.webhooks.events import list_webhooks

    with opened_database(**where) as database:
        found = list_webhooks(database)
    if as_json:
        click.echo(json.dumps([asdict(one) for one in found], default=str, ensure_ascii=False))
        return
    for one in found:
        told = ", ".join(one.events) or "everything"
        click.echo(f"{one.id}  {one.competition or '(all)'}  {one.url}  {told}")
        click.echo(f"    {one.delivered} delivered, {one.waiting} on their way, {one.given_up} given up")


@click.command()
@click.argument("webhook_id")
@database_options
def remove(webhook_id: str, **where: Any) -> None:
    r"""Tell the webhook WEBHOOK_ID nothing more.

    \b
    Example:
      ladderboard webhooks remove 01a1e21c6cb1771df1e727d1
    """
    from ladderboard.cli.host.own_data import opened_database
    from ladderboard.hosting.webhooks.events import remove_webhook

    with opened_database(**where) as database:
        remove_webhook(database, webhook_id)
    click.echo("Removed, with what was on its way.")


@click.command()
@click.argument("webhook_id")
@database_options
def retry(webhook_id: str, **where: Any) -> None:
    r"""Try again what was given up for the webhook WEBHOOK_ID.

    \b
    Example:
      ladderboard webhooks retry 01a1e21c6cb1771df1e727d1
    """
    from ladderboard.cli.host.own_data import opened_database
    from ladderboard.hosting.webhooks.events import retry_webhook

    with opened_database(**where) as database:
        count = retry_webhook(database, webhook_id)
    click.echo(f"{count} deliveries are due again.")


@click.command()
@database_options
def deliver(**where: Any) -> None:
    r"""Deliver what is due now, without a running server; from cron, for example.

    \b
    Example:
      ladderboard webhooks deliver
    """
    from ladderboard.cli.host.own_data import opened_database, settings_of
    from ladderboard.hosting.webhooks.delivery import Deliverer

    settings = settings_of(**where)
    with opened_database(**where) as database:
        deliverer, tried = Deliverer.for_settings(database, settings.webhooks_may_reach), 0
        while batch := deliverer.deliver_due():
            tried += batch
    click.echo(f"{tried} deliveries were tried.")
