"""`ladderboard serve`: a server for competition folders."""

import json
import os
import signal
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ladderboard.cli.host.server_options import database_options, port_option
from ladderboard.core.errors import ParameterError
from ladderboard.core.library_threads import use_one_thread

if TYPE_CHECKING:
    from ladderboard.server.app.stopping import StopRequest

BACKLOG = 2048
"""How many connections may wait; uvicorn's default."""


@click.command()
@click.argument("folders", nargs=-1, type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on; 0.0.0.0 for all.")
@port_option
@database_options
@click.option("--workers", default=1, show_default=True, type=click.IntRange(1, 64), help="Number of server processes.")
@click.option(
    "--sign-up", type=click.Choice(["open", "code", "list"]), help="Who may create an account.  [default: open]"
)
@click.option("--scheduler", metavar="ADDRESS", help="A Dask scheduler whose workers score what is queued.")
@click.option("--base-url", metavar="URL", help="The public address, if the server is behind a proxy.")
def serve(folders: tuple[Path, ...], *, host: str, port: int, workers: int, **given: Any) -> None:
    r"""Serve the competitions in FOLDERS, and those made in the browser: web pages, API and leaderboard.

    Without an organiser's account it prints a link that makes one, once. Data is stored in a SQLite file under --data,
    or in the PostgreSQL database given by --database. The database keeps the solution of each competition; `ladderboard
    rescore` corrects it. Changes to competition.toml and description.md take effect while it is served.

    \b
    Example:
      ladderboard serve
      ladderboard serve my-competition
      ladderboard serve a b --database postgresql:///boards --workers 4 --base-url https://board.example.org
    """
    use_one_thread()  # before NumPy is imported, so that imports follow
    from ladderboard.cli.host.own_data import warn_of_unpublished
    from ladderboard.server.app.stopping import StopRequest
    from ladderboard.server.services import open_services
    from ladderboard.server.settings import Settings

    settings = Settings.from_environment(**given)
    if settings.scheduler:
        from ladderboard.server.jobs.cluster import refuse_open_scheduler

        refuse_open_scheduler(settings)
    # Opened here first: problems of a folder are reported once and clearly, and the database is brought up to date.
    services = open_services(settings, folders)
    warn_of_unpublished(services)
    _tell_processes(settings, folders)
    # Ctrl+C is the way to stop it, not an error, from the moment that is said.
    with open_socket(host, port) as listening, StopRequest(signal.SIGINT) as stop:
        # From here on, clients wait for the server's processes instead of being refused.
        listening.listen(BACKLOG)
        _show_addresses(services, *listening.getsockname()[:2])
        services.close()
        _run(listening, stop, settings, host=host, port=port, workers=workers)


def _run(listening: socket.socket, stop: "StopRequest", settings: Any, *, host: str, port: int, workers: int) -> None:
    import uvicorn
    from uvicorn.supervisors import Multiprocess

    from ladderboard.server.app.http_protocol import LimitedProtocol
    from ladderboard.server.monitoring.metrics import share_metrics

    config = uvicorn.Config(
        "ladderboard.server.app.application:app_from_environment",
        factory=True,
        host=host,
        port=port,
        workers=workers,
        http=LimitedProtocol,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=True,
        forwarded_allow_ips=settings.trusted_proxies,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=30,
    )
    if workers == 1:
        stop.run(uvicorn.Server(config), listening)
    else:
        with share_metrics():
            supervisor = Multiprocess(config, sockets=[listening])  # from here on it hears signals itself
            if not stop.is_made:
                supervisor.run()


def open_socket(host: str, port: int) -> socket.socket:
    """Bind a socket to the address, so that a taken port is reported in one sentence."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as problem:
        listening.close()
        raise ParameterError(
            f"cannot listen on {host}:{port} ({problem.strerror}); choose another --port, or 0 for any free one"
        ) from None
    listening.set_inheritable(True)
    return listening


def _tell_processes(settings: Any, folders: tuple[Path, ...]) -> None:
    """Spell the settings as the environment of the server's processes."""
    from dataclasses import fields

    from ladderboard.server.app.application import FOLDERS
    from ladderboard.server.settings import FILE, PREFIX

    os.environ[FOLDERS] = json.dumps([str(folder.absolute()) for folder in folders])
    for one in fields(settings):
        variable = PREFIX + one.name.upper()
        os.environ.pop(variable + FILE, None)  # it has been read
        os.environ[variable] = str(getattr(settings, one.name))


def _show_addresses(host: Any, address: str, port: int) -> None:
    from ladderboard.server.people.accounts import Accounts
    from ladderboard.server.people.first_organiser import LINK_PATH, make_link_code

    listening = format_address(address, port)
    seen = host.settings.base_url.rstrip("/") or listening
    for slug, hosted in host.competitions.items():
        click.echo(f"{hosted.rules.title}  {seen}/competitions/{slug}")
    if seen != listening:
        click.echo(f"Listening on {listening}.")
    if not Accounts(host.database, host.settings).has_organiser():
        code = make_link_code(host.database)
        click.echo(f"There is no organiser yet. This link makes the first one, once:\n  {seen}{LINK_PATH}?code={code}")
    click.echo(f"Data in {host.database.location}. Stop with Ctrl+C.")


def format_address(host: str, port: int) -> str:
    """
    >>> format_address("127.0.0.1", 8000), format_address("::1", 8000)
    ('http://127.0.0.1:8000', 'http://[::1]:8000')
    """
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
