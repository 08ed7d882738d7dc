"""`ladderboard archive`: a finished competition as a static site, from the server's own data."""

from pathlib import Path
from typing import Any

import click

from ladderboard.cli._shared.console import show_progress
from ladderboard.cli.host.own_data import open_competition
from ladderboard.cli.host.server_options import database_options
from ladderboard.server.archive.site import list_members
from ladderboard.server.operations.archives import write_export

FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command()
@click.argument("folder", type=FOLDER)
@click.option("--to", "target", required=True, type=click.Path(path_type=Path), help="A new folder, or a FILE.zip.")
@database_options
def archive(folder: Path, *, target: Path, **where: Any) -> None:
    r"""Write the finished competition in FOLDER as a static site that needs no server.

    It has every page, table and download that everybody could see, and the ledger. Open its index.html, or put the
    folder on any web server.

    \b
    Example:
      ladderboard archive whales --to whales-archive
    """
    with open_competition(folder, **where) as (services, slug), show_progress("Archiving") as progress:
        names: list[str] = []

        def announce(name: str) -> None:
            names.append(name)
            progress(len(names), max(len(names), 20))

        write_export(list_members(services, slug), target, progress=announce)
    click.echo(f"{len(names)} files in {target}; open {target / 'index.html'}")
