"""`ladderboard flags`: what an organiser should look at."""

import json
from pathlib import Path
from typing import Any

import click

from ladderboard.cli.host.server_options import database_options


@click.command()
@click.argument("competition", type=click.Path(path_type=Path))
@click.option("--last", default=50, show_default=True, type=click.IntRange(min=1), help="The newest ones.")
@click.option("--all", "with_dismissed", is_flag=True, help="Those that were dismissed as well.")
@click.option("--dismiss", metavar="FLAG", help="Put this one aside.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@database_options
def flags(
    competition: Path, *, last: int, with_dismissed: bool, dismiss: str | None, as_json: bool, **where: Any
) -> None:
    r"""List what was noticed in COMPETITION (its folder, or its slug): near-duplicates, probing, copies.

    A flag is a hint and no verdict; participants never see it. It was found from predictions alone, not from scores.

    \b
    Example:
      ladderboard flags whales
      ladderboard flags whales --dismiss 01a1e21c6cb1771df1e727d1
    """
    from ladderboard.cli.host.own_data import opened_database, slug_in
    from ladderboard.hosting.audit.ledger_view import find_competition
    from ladderboard.store.sketches import listed_flags

    slug = slug_in(competition)
    with opened_database(**where) as database:
        if dismiss is not None:
            _dismiss(database, slug, dismiss)
            return
        with database.reading() as connection:
            find_competition(connection, slug)
            found, total = listed_flags(connection, slug, offset=0, limit=last, dismissed=with_dismissed)
    if as_json:
        click.echo(json.dumps([row._asdict() for row in found], default=str, ensure_ascii=False, indent=2))
        return
    for row in found:
        click.echo(_line(row))
    click.echo(f"{total} flags" + (f", the newest {last} are shown." if total > last else "."))


def _line(row: Any) -> str:
    from ladderboard.hosting.moderation.similarity import KINDS

    other = "" if row.other_team in (None, row.team) else f" ({row.other_team})"
    put_aside = "" if row.dismissed_at is None else " [dismissed]"
    return f"{row.id}  {row.at:%Y-%m-%d %H:%M}  {row.team}: {KINDS.get(row.kind, row.kind)}{other}{put_aside}"


def _dismiss(database: Any, slug: str, flag_id: str) -> None:
    from ladderboard.core.errors import NotFoundError
    from ladderboard.store.sketches import dismiss_flag

    with database.transaction() as connection:
        if not dismiss_flag(connection, slug, flag_id, database.now(connection)):
            raise NotFoundError(f"{slug} has no flag {flag_id!r}")
    click.echo("Dismissed.")
