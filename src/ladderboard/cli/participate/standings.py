"""`ladderboard standings`: a leaderboard in the terminal."""

from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import click
from rich.table import Table
from rich.text import Text

from ladderboard.cli._shared.console import make_console
from ladderboard.cli.participate.connection import competition_options, connect, echo_json, json_option

if TYPE_CHECKING:
    from datetime import datetime

    from ladderboard.client import Client
    from ladderboard.server.boards.records import LeaderboardBody, StandingBody
    from ladderboard.server.submissions.records import RankRangeBody

USUAL_ROWS = 50
MOST_ROWS = 200
"""The most rows on one page of the server."""


@click.command()
@competition_options("--of")
@click.option(
    "--top",
    type=click.IntRange(min=1),
    metavar="N",
    default=USUAL_ROWS,
    show_default=True,
    help="How many rows to show.",
)
@click.option("--all", "wants_all", is_flag=True, help="Show all rows.")
@click.option("--private", "is_private", is_flag=True, help="Show the private board, once it is revealed.")
@json_option
def standings(*, top: int, wants_all: bool, is_private: bool, as_json: bool, **where: Any) -> None:
    r"""Show the leaderboard of a competition.

    Equal scores share a rank. "plausible" are the ranks that a team could truly have.

    \b
    Example:
      ladderboard standings --competition whales --top 10
      ladderboard standings --private --json
    """
    with connect(**where, as_anybody=True) as (client, slug):
        if is_private:
            _show_private(client, slug, top=None if wants_all else top, as_json=as_json)
        else:
            _show_public(client, slug, top=None if wants_all else top, as_json=as_json)


def _show_public(client: "Client", slug: str, *, top: int | None, as_json: bool) -> None:
    pages = client.leaderboard_pages(slug, per_page=min(top or MOST_ROWS, MOST_ROWS))
    first = next(pages)
    rows = list(islice((row for page in chain([first], pages) for row in page.items), top))
    if as_json:
        echo_json(replace(first, items=rows, per_page=len(rows), next=None))
        return
    if not rows:
        click.echo(f"The board of {slug} is empty so far.")
        return
    if not first.shows_scores:
        _show_entrants(first, rows)
        return
    scores = client.competition(slug).score_format
    table = _make_table("team", first.metric, "attempts", "new score")
    for row in rows:
        table.add_row(
            _format_rank(row.rank, is_tied=row.is_tied),
            _format_range(row.rank_range),
            _format_name(row.team, row.kind),
            scores.write(row.value),
            str(row.attempts),
            _format_day(row.last_improvement),
        )
    _print(table, _make_footer(first, len(rows)))


def _show_entrants(board: "LeaderboardBody", rows: "list[StandingBody]") -> None:
    """Show a board without scores: teams by name and how often they have submitted."""
    table = Table(box=None, pad_edge=False)
    table.add_column("team")
    table.add_column("attempts", justify="right", no_wrap=True)
    for row in rows:
        table.add_row(_format_name(row.team, row.kind), str(row.attempts))
    _print(table, f"No scores are shown before the reveal. {_count_rows(board, len(rows))}{_status(board)}")


def _show_private(client: "Client", slug: str, *, top: int | None, as_json: bool) -> None:
    board = client.private_leaderboard(slug)
    if as_json:
        echo_json(board)
        return
    competition = client.competition(slug)
    public = competition.score_format
    private = competition.private_score_format or public
    table = _make_table("team", board.metric, "public", "moved")
    for row in board.items[:top]:
        table.add_row(
            _format_rank(row.rank, is_tied=row.is_tied),
            _format_range(row.rank_range),
            _format_name(row.team, row.kind),
            private.write(row.value),
            public.write(row.public_value),
            "" if not row.moved else f"{row.moved:+d}",
        )
    _print(table, board.statement)


def _make_table(name: str, *numbers: str) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("rank", justify="right", no_wrap=True)
    table.add_column("plausible", justify="right", no_wrap=True)
    table.add_column(name)  # may shrink so that numbers are never cut
    for number in numbers:
        table.add_column(number, justify="right", no_wrap=True)
    return table


def _print(table: Table, footer: str) -> None:
    console = make_console()
    console.print(table)
    console.print(footer, soft_wrap=True, markup=False)


def _make_footer(board: "LeaderboardBody", shown: int) -> str:
    better = "lower" if board.lower_is_better else "higher"
    return f"{board.metric}: {better} is better. {_count_rows(board, shown)}{_status(board)}"


def _count_rows(board: "LeaderboardBody", shown: int) -> str:
    return f"Showing {shown} of {board.total:,} rows; --all shows the rest. " if shown < board.total else ""


def _status(board: "LeaderboardBody") -> str:
    return f"The competition is {board.status}."


def _format_rank(rank: int | None, *, is_tied: bool) -> str:
    return "" if rank is None else f"={rank}" if is_tied else str(rank)


def _format_range(one: "RankRangeBody | None") -> str:
    if one is None:
        return ""
    return str(one.best) if one.best == one.worst else f"{one.best}–{one.worst}"


def _format_name(team: str, kind: str) -> Any:
    return Text(team, style="italic" if kind == "baseline" else "", no_wrap=True, overflow="ellipsis")


def _format_day(moment: "datetime | None") -> str:
    return "" if moment is None else f"{moment:%Y-%m-%d}"
