"""`ladderboard my-submissions`: the team's submissions and their scores."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from ladderboard.cli.participate.connection import competition_options, connect, json_option

if TYPE_CHECKING:
    from rich.table import Table

    from ladderboard.server.submissions.records import SubmissionBody


@click.command("my-submissions")
@competition_options("--in")
@click.option("--last", type=click.IntRange(min=1), metavar="N", help="Show only the newest N.  [default: all]")
@json_option
def my_submissions(*, last: int | None, as_json: bool, **where: Any) -> None:
    r"""List your team's submissions, newest first.

    "score" is the submission's own score; where it says "not shown", the file was not clearly better than your best.
    "board" is what the board showed after it, "private" its score on the private rows, once they are revealed.

    \b
    Example:
      ladderboard my-submissions --last 10
    """
    with connect(**where) as (client, slug):
        found = list(islice(client.submissions(slug), last))
    if as_json:
        click.echo(json.dumps([asdict(one) for one in found]))
    elif not found:
        click.echo(
            f"Your team has not submitted to {slug} yet. Submit with `ladderboard submit FILE --competition {slug}`."
        )
    else:
        from ladderboard.cli._shared.console import make_console

        make_console().print(_table(found))


def _table(found: Iterable["SubmissionBody"]) -> "Table":
    from rich.table import Table
    from rich.text import Text

    from ladderboard.mechanisms.outcomes import TITLES

    table = Table(box=None, pad_edge=False)
    table.add_column("id", no_wrap=True)
    table.add_column("attempt", justify="right", no_wrap=True)
    table.add_column("received", no_wrap=True)
    table.add_column("outcome", no_wrap=True)
    found = list(found)
    is_revealed = any(one.private_value is not None for one in found)
    for column in ("score", "board", "private") if is_revealed else ("score", "board"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    # These two may shrink so that numbers are never cut.
    table.add_column("file")
    table.add_column("note")
    for one in found:
        table.add_row(
            one.id,
            str(one.attempt),
            _format_time(one.received_at),
            "" if one.outcome is None else TITLES[one.outcome],
            "not shown" if one.own_value is None else f"{one.own_value:g}",
            "–" if one.release.board_value is None else f"{one.release.board_value:g}",
            *(["–" if one.private_value is None else f"{one.private_value:g}"] if is_revealed else []),
            " ".join(_marks(one)),
            Text(one.file_name, no_wrap=True, overflow="ellipsis"),
            Text(one.note, no_wrap=True, overflow="ellipsis"),
        )
    return table


def _marks(one: "SubmissionBody") -> Iterable[str]:
    if one.is_picked:
        yield "final"
    if one.phase != "live":
        yield one.phase


def _format_time(text: str) -> str:
    """Format a time in this computer's zone, to the minute."""
    from datetime import datetime

    return datetime.fromisoformat(text).astimezone().strftime("%Y-%m-%d %H:%M")
