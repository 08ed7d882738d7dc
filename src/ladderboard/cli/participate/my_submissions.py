"""`ladderboard my-submissions`: the team's submissions and their scores."""

from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING, Any

import click
from rich.table import Table
from rich.text import Text

from ladderboard.cli._shared.console import make_console
from ladderboard.cli.participate.connection import competition_options, connect, echo_json, json_option
from ladderboard.mechanisms.outcomes import TITLES

if TYPE_CHECKING:
    from datetime import datetime

    from ladderboard.core.score_format import ScoreFormat
    from ladderboard.server.submissions.records import SubmissionBody


@click.command("my-submissions")
@competition_options("--in")
@click.option("--last", type=click.IntRange(min=1), metavar="N", help="Show only the newest N.  [default: all]")
@json_option
def my_submissions(*, last: int | None, as_json: bool, **where: Any) -> None:
    r"""List your team's submissions, newest first.

    "score" is the submission's own score; where it says "not shown", the file was not clearly better than your best.
    "board" is what the board showed after it. After the reveal, "public" and "private" are its scores on all public and
    on all private rows, and a last line says what would have been your best pick.

    \b
    Example:
      ladderboard my-submissions --last 10
    """
    with connect(**where) as (client, slug):
        found = list(islice(client.submissions(slug), last))
        competition = None if as_json or not found else client.competition(slug)
        is_revealed = competition is not None and competition.status == "revealed"
        best = client.finals(slug).best if is_revealed else None
    if as_json:
        echo_json(found)
    elif competition is None:
        click.echo(
            f"Your team has not submitted to {slug} yet. Submit with `ladderboard submit FILE --competition {slug}`."
        )
    else:
        after = competition.private_score_format if is_revealed else None
        make_console().print(_table(found, competition.score_format, after))
        if best is not None:
            click.echo(best.sentence)


def _table(found: Iterable["SubmissionBody"], scores: "ScoreFormat", after: "ScoreFormat | None") -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("id", no_wrap=True)
    table.add_column("attempt", justify="right", no_wrap=True)
    table.add_column("received", no_wrap=True)
    table.add_column("outcome", no_wrap=True)
    for column in ("score", "board") if after is None else ("score", "board", "public", "private"):
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
            "not shown" if one.own_value is None else scores.write(one.own_value),
            scores.write(one.release.board_value),
            *([] if after is None else [scores.write(one.public_value), after.write(one.private_value)]),
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


def _format_time(moment: "datetime") -> str:
    """Format a time in this computer's zone, to the minute."""
    return moment.astimezone().strftime("%Y-%m-%d %H:%M")
