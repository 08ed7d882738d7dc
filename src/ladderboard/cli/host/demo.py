"""`ladderboard demo`: a demo competition with honest teams and one attacker."""

import os
import shutil
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
import uvicorn

from ladderboard.cli._shared.console import show_progress
from ladderboard.cli.host.demo_attack import probe
from ladderboard.cli.host.serve import BACKLOG, open_socket
from ladderboard.cli.host.server_options import port_option
from ladderboard.core.errors import ParameterError
from ladderboard.demo.digits import SLUG
from ladderboard.demo.page import add_demo, collect_story
from ladderboard.demo.simulation import (
    FAST,
    ORGANISER,
    PARTICIPANT,
    PASSWORD,
    READY_FILE,
    Cast,
    make_demo,
    settings_for,
)
from ladderboard.server.app.application import create_app
from ladderboard.server.app.stopping import StopRequest
from ladderboard.server.competitions.context import read_context
from ladderboard.server.services import Services, open_services

MARK = ".ladderboard-demo"
"""A file that marks a complete demo folder: only such a folder is served again, and no other is overwritten."""


@click.command()
@port_option
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
@click.option("--fast", is_flag=True, help="Use fewer teams and rows: ready in seconds.")
@click.option(
    "--data",
    default=Path("ladderboard-demo"),
    show_default=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="The demo's folder; an existing demo is served again.",
)
def demo(*, port: int, no_browser: bool, fast: bool, data: Path) -> None:
    r"""Start a competition with a dozen honest teams and one attacker on your own machine.

    The honest teams train ever better models on scikit-learn's digits. The attacker has no model: where a board allows
    it, the attacker reads the labels off the scores. A page shows this board beside one that shows every score.

    \b
    Example:
      ladderboard demo
      ladderboard demo --fast --port 0 --no-browser
    """
    # Otherwise scikit-learn asks joblib for the physical cores, which prints a traceback where a container hides them.
    os.environ.setdefault("OMP_NUM_THREADS", str(os.cpu_count() or 1))
    # Bound first, so that a taken port is reported at once and not after a minute of work.
    with open_socket("127.0.0.1", port) as listening:
        if not (data / MARK).exists():
            _make(data, fast=fast)
        # Ctrl+C is the way to stop it, not an error, from the moment that is said.
        with StopRequest(signal.SIGINT) as stop, _open_services(data) as services:
            address = f"http://127.0.0.1:{listening.getsockname()[1]}/demo"
            # From here on, browsers wait for the server instead of being refused.
            listening.listen(BACKLOG)
            _show_story(services, data, address)
            if not no_browser and _has_display():
                click.launch(address)
            _serve(services, data, listening, stop)


@contextmanager
def _open_services(data: Path) -> Iterator[Services]:
    services = open_services(settings_for(data), [data / SLUG])
    try:
        yield services
    finally:
        services.close()


def _make(data: Path, *, fast: bool) -> None:
    """Make the demo; remove an unfinished one so that the next try starts afresh."""
    if data.exists() and any(data.iterdir()):
        raise ParameterError(f"{data} exists and is not a demo; choose another folder with --data, or delete it")
    click.echo(f"Simulating two weeks of a competition in {data} …")
    data.mkdir(parents=True, exist_ok=True)
    try:
        with show_progress("Simulating two weeks of a competition") as moved:
            make_demo(data, probe, cast=FAST if fast else Cast(), progress=moved)
        (data / MARK).touch()
    except BaseException:
        shutil.rmtree(data)
        raise


def _show_story(services: Services, data: Path, address: str) -> None:
    story = collect_story(services, read_context(services, SLUG, None), data)
    click.echo(
        f"{story.attacker} made {story.attempts:,} submissions without a model: rank {story.their_rank} of "
        f"{len(story.theirs)} on a board that shows every score, rank {story.our_rank} of {len(story.ours)} here."
    )
    click.echo(f"  Open         {address}")
    click.echo(f"  Organiser    {ORGANISER}, password {PASSWORD}")
    click.echo(f"  Participant  {PARTICIPANT}, password {PASSWORD}; try submitting {data / READY_FILE}")
    click.echo(f"  Stop         Ctrl+C. Start again with the same command; delete with rm -r {data}")


def _has_display() -> bool:
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _serve(services: Services, data: Path, listening: socket.socket, stop: StopRequest) -> None:
    app = create_app(services)
    add_demo(app, data)
    config = uvicorn.Config(app, log_level="warning", access_log=False, server_header=False)
    stop.run(uvicorn.Server(config), listening)
