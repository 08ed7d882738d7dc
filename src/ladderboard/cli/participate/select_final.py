"""`ladderboard select-final`: the submissions that count on the private board."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from ladderboard.cli.participate.connection import competition_options, connect, echo_json, json_option

if TYPE_CHECKING:
    from ladderboard.core.score_format import ScoreFormat
    from ladderboard.server.results.records import FinalsBody


@click.command("select-final")
@click.argument("submissions", nargs=-1, metavar="[SUBMISSION]...")
@click.option("--default", "back_to_default", is_flag=True, help="Undo your selection.")
@competition_options("--in")
@json_option
def select_final(submissions: tuple[str, ...], *, back_to_default: bool, as_json: bool, **where: Any) -> None:
    r"""Select the SUBMISSIONs that count in the end, by their ids from `my-submissions`; without any, show them.

    A new selection replaces the old one until the competition is finalized. If you select nothing, your best submission
    on the board and your latest one count.

    \b
    Example:
      ladderboard my-submissions
      ladderboard select-final 01a1e2142843167218905ff7 01a1e21429695dc305d21f8d
    """
    if submissions and back_to_default:
        raise click.UsageError("give either submissions or --default, not both")
    with connect(**where) as (client, slug):
        changes = submissions or back_to_default
        finals = client.pick_finals(slug, submissions) if changes else client.finals(slug)
        scores = None if as_json else client.competition(slug).score_format
    if scores is None:
        echo_json(finals)
        return
    for line in describe_finals(finals, scores):
        click.echo(line)


def describe_finals(finals: "FinalsBody", scores: "ScoreFormat") -> Iterator[str]:
    """Describe what counts in the end, one submission per line."""
    if not finals.submissions:
        yield "Your team has no submission that can count yet."
        return
    has_scores = any(one.release.board_value is not None for one in finals.submissions)
    default = "Default (the best on the board and the latest)" if has_scores else "Default (the latest)"
    how = "Selected" if finals.are_picked else default
    yield f"{how}, at most {finals.most}:"
    for one in finals.submissions:
        number = "no score" if one.release.board_value is None else f"board {scores.write(one.release.board_value)}"
        yield f"  {one.id}  {one.received_at:%Y-%m-%d %H:%M}  {number}  {one.file_name}"
