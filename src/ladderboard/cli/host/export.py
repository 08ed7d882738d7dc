"""`ladderboard export`: a competition's data as files, from the server's own data."""

from pathlib import Path
from typing import Any

import click

from ladderboard.cli._shared.console import show_progress
from ladderboard.cli.host.own_data import open_own_database, read_settings, read_slug
from ladderboard.cli.host.server_options import database_options
from ladderboard.server.operations.archives import write_export
from ladderboard.server.operations.exports import stream_export
from ladderboard.server.services import files_for


@click.command()
@click.argument("competition", type=click.Path(path_type=Path))
@click.option("--to", "target", required=True, type=click.Path(path_type=Path), help="A new folder, or a FILE.zip.")
@click.option("--format", "form", type=click.Choice(["csv", "json"]), default="csv", show_default=True)
@click.option("--files", "with_files", is_flag=True, help="The submitted files as well.")
@database_options
def export(competition: Path, *, target: Path, form: Any, with_files: bool, **where: Any) -> None:
    r"""Export COMPETITION (its folder, or its slug): teams, submissions with scores shown, boards, flags, ledger.

    Cells that a spreadsheet would take for a formula begin with an apostrophe. A running server is not disturbed, and
    the export is consistent: it contains nothing written after it began.

    \b
    Example:
      ladderboard export whales --to whales.zip
      ladderboard export whales --to whales-export --format json --files
    """
    with (
        open_own_database(**where) as database,
        database.reading() as connection,
        show_progress("Exporting") as progress,
    ):
        files = files_for(read_settings(**where), database) if with_files else None
        names: list[str] = []

        def announce(name: str) -> None:
            names.append(name)
            progress(len(names), max(len(names), 8))

        write_export(
            stream_export(connection, read_slug(competition), form=form, files=files), target, progress=announce
        )
    click.echo(f"{len(names)} files in {target}")
