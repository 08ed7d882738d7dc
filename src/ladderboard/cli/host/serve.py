"""`ladderboard serve`: competitions from folders, on one address."""

import json
import os
import shlex
import socket
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from ladderboard.cli.host.server_options import database_options
from ladderboard.core.errors import ParameterError

BACKLOG = 2048
"""How many connections may wait, as uvicorn has it."""


@click.command()
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on; 0.0.0.0: every one.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535), help="0: any free port.")
@database_options
@click.option("--workers", default=1, show_default=True, type=click.IntRange(1, 64), help="Server processes.")
@click.option(
    "--sign-up", type=click.Choice(["open", "code", "list"]), help="Who may make an account.  [default: open]"
)
@click.option("--base-url", metavar="URL", help="The address people see, where a proxy stands before this server.")
def serve(folders: tuple[Path, ...], *, host: str, port: int, workers: int, **given: Any) -> None:
    r"""Serve the competitions in FOLDERS: pages, API, board.

    State is kept in a SQLite file under --data, or in the PostgreSQL database that --database names. A competition
    whose solution changed since it was first served is refused.

    \b
    Example:
      ladderboard serve my-competition
      ladderboard serve a b --database postgresql:///boards --workers 4 --base-url https://board.example.org
    """
    import uvicorn
    from uvicorn.supervisors import Multiprocess

    from ladderboard.hosting.services import open_services
    from ladderboard.hosting.settings import Settings
    from ladderboard.web.stopping_protocol import StoppingProtocol

    settings = Settings.from_environment(**given)
    # Opened here first: what is wrong with a folder is said once and clearly, and the database is brought up to date.
    opened = open_services(settings, folders)
    os.environ.update(_environment(settings, folders))
    config = uvicorn.Config(
        "ladderboard.web.server:app_from_environment",
        factory=True,
        host=host,
        port=port,
        workers=workers,
        http=StoppingProtocol,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=True,
        forwarded_allow_ips=settings.trusted_proxies,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=30,
    )
    listening = open_socket(host, port)
    # Whoever comes from here on waits for the server's processes and is not turned away.
    listening.listen(BACKLOG)
    _say_hello(opened, *listening.getsockname()[:2])
    opened.close()
    # Ctrl+C is how it is stopped, not something that went wrong.
    with suppress(KeyboardInterrupt):
        if workers == 1:
            uvicorn.Server(config).run(sockets=[listening])
        else:
            Multiprocess(config, sockets=[listening]).run()


def open_socket(host: str, port: int) -> socket.socket:
    """A socket at the address; bound by us, so that a taken port is said in a sentence."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as problem:
        listening.close()
        raise ParameterError(
            f"cannot listen on {host}:{port} ({problem.strerror}); give another --port, or 0 for any free one"
        ) from None
    listening.set_inheritable(True)
    return listening


def _environment(settings: Any, folders: tuple[Path, ...]) -> dict[str, str]:
    """The settings for the server's processes, which read them from the environment."""
    from dataclasses import fields

    from ladderboard.hosting.settings import PREFIX
    from ladderboard.web.server import FOLDERS

    told = {PREFIX + one.name.upper(): str(getattr(settings, one.name)) for one in fields(settings)}
    return told | {FOLDERS: json.dumps([str(folder.absolute()) for folder in folders])}


def _say_hello(host: Any, address: str, port: int) -> None:
    from ladderboard.store.accounts import is_any

    listening = _address(address, port)
    seen = host.settings.base_url.rstrip("/") or listening
    for slug, hosted in host.competitions.items():
        click.echo(f"{hosted.rules.title}  {seen}/competitions/{slug}")
    if seen != listening:
        click.echo(f"Listening on {listening}.")
    with host.database.reading() as connection:
        is_organised = is_any(connection, role="organiser")
    if not is_organised:
        where = _where(host.settings)
        click.echo(
            f"There is no organiser yet. In another terminal: ladderboard users add NAME --role organiser{where}"
        )
    url = host.database.url
    kept = url.database if host.database.is_sqlite else url.set(drivername="postgresql").render_as_string()
    click.echo(f"Kept in {kept}. Stop with Ctrl+C.")


def _address(host: str, port: int) -> str:
    """
    >>> _address("127.0.0.1", 8000), _address("::1", 8000)
    ('http://127.0.0.1:8000', 'http://[::1]:8000')
    """
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _where(settings: Any) -> str:
    """The options with which another command finds this server's data; a password stands in no command line."""
    from ladderboard.hosting.settings import Settings

    if settings.database:
        return " --database …, as for this server"
    return "" if settings.data == Settings.data else f" --data {shlex.quote(str(settings.data))}"
