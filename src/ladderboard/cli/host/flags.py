"""`ladderboard flags`: submissions that an organiser should look at."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ladderboard.cli._shared.console import count_noun
from ladderboard.cli.host.own_data import open_own_database, read_slug
from ladderboard.cli.host.server_options import database_options
from ladderboard.server.moderation.rules import KINDS, dismiss_flag, list_flags

if TYPE_CHECKING:
    from ladderboard.server.moderation.records import NamedFlag


@click.command()
@click.argument("competition", type=click.Path(path_type=Path))
@click.option(
    "--last", default=50, show_default=True, type=click.IntRange(min=1), help="How many flags to list, newest first."
)
@click.option("--all", "with_dismissed", is_flag=True, help="Include dismissed flags.")
@click.option("--dismiss", metavar="FLAG", help="Dismiss this flag.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@database_options
def flags(
    competition: Path, *, last: int, with_dismissed: bool, dismiss: str | None, as_json: bool, **where: Any
) -> None:
    r"""List the flags of COMPETITION (its folder, or its slug): near-duplicates, probing, copies.

    Flags are hints, not verdicts. They come from predictions alone, never from scores; participants never see them.

    \b
    Example:
      ladderboard flags whales
      ladderboard flags whales --dismiss 01a1e21c6cb1771df1e727d1
    """
    slug = read_slug(competition)
    with open_own_database(**where) as database:
        if dismiss is not None:
            dismiss_flag(database, slug, dismiss)
            click.echo("Dismissed.")
            return
        found, total = list_flags(database, slug, limit=last, dismissed=with_dismissed)
    if as_json:
        click.echo(json.dumps([asdict(flag) for flag in found], default=str, ensure_ascii=False, indent=2))
        return
    for flag in found:
        click.echo(_describe(flag))
    click.echo(count_noun(total, "flag") + (f"; the newest {last} are listed." if total > last else "."))


def _describe(flag: "NamedFlag") -> str:
    other = "" if flag.other_team in (None, flag.team) else f" ({flag.other_team})"
    dismissed = "" if flag.dismissed_at is None else " [dismissed]"
    return f"{flag.id}  {flag.at:%Y-%m-%d %H:%M}  {flag.team}: {KINDS.get(flag.kind, flag.kind)}{other}{dismissed}"
