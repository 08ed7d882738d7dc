"""The options that say which server's data a command works on, and where a server listens."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def database_options(command: Command) -> Command:
    """``--data`` and ``--database``: the same for `serve` and for every command of the organiser."""
    where = click.option(
        "--data",
        type=click.Path(path_type=Path, file_okay=False),
        help="The server's folder: its SQLite database and submitted files.  [default: ladderboard-data]",
    )
    which = click.option("--database", metavar="URL", help="sqlite:///FILE or postgresql://…  [default: in --data]")
    return where(which(command))


def spell_next_command(command: str, folder: Path, where: dict[str, Any]) -> str:
    """Spell another of the organiser's commands for the same data.

    >>> spell_next_command("reveal", Path("pets"), {"data": Path("here"), "database": None})
    'ladderboard reveal pets --data here'
    """
    options = {f"--{name}": str(value) for name, value in where.items() if value is not None}
    return shlex.join(["ladderboard", command, str(folder), *(word for pair in options.items() for word in pair)])


port_option = click.option(
    "--port",
    default=8000,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="The port to listen on; 0 for any free one.",
)
