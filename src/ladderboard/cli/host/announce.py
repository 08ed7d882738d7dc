"""`ladderboard announce`: tell everybody who sees a competition something, from the organiser's terminal."""

from pathlib import Path
from typing import Any, TextIO

import click

from ladderboard.cli.host.own_data import open_own_database, read_slug
from ladderboard.cli.host.server_options import database_options
from ladderboard.server.announcements.rules import post


@click.command()
@click.argument("competition", type=click.Path(path_type=Path))
@click.argument("title")
@click.argument("text", type=click.File(encoding="utf-8"), default="-")
@database_options
def announce(competition: Path, title: str, text: TextIO, **where: Any) -> None:
    r"""Post an announcement on the page of COMPETITION (its folder or slug) and in its feed.

    TEXT is a file with Markdown; standard input if there is none.

    \b
    Example:
      ladderboard announce whales "Two more days" news.md
      echo "The deadline is Friday now." | ladderboard announce whales "Two more days"
    """
    with open_own_database(**where) as database:
        slug = read_slug(competition)
        posted = post(database, slug, title, text.read())
    click.echo(f"Posted on /competitions/{slug}/announcements#{posted.id}")
