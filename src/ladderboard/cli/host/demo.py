"""`ladderboard demo`: a running competition with honest teams and one attacker, on SQLite."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ladderboard.core.errors import ParameterError

if TYPE_CHECKING:
    import socket

    from ladderboard.hosting.services import Services

MARK = ".ladderboard-demo"
"""In the demo's folder once it is complete: what has it may be served again, and nothing else is ever written over."""
NEEDED = "the demo needs the packages of a server and of the laboratory: pip install 'ladderboard[server,lab]'"


@click.command()
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535), help="0: any free port.")
@click.option("--no-browser", is_flag=True, help="Do not open a browser; without a display none is opened anyway.")
@click.option("--fast", is_flag=True, help="Fewer teams and rows: ready in seconds.")
@click.option(
    "--data",
    default=Path("ladderboard-demo"),
    show_default=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="The demo's folder; what is there already is served again.",
)
def demo(*, port: int, no_browser: bool, fast: bool, data: Path) -> None:
    r"""A competition with a dozen honest teams and one attacker, on your own machine.

    Real models of rising quality on scikit-learn's digits; an attacker of the laboratory, who has no model and reads
    the labels off the board where a board lets him; and a page that shows this board beside one that tells every score.

    \b
    Example:
      ladderboard demo
      ladderboard demo --fast --port 0 --no-browser
    """
    try:
        import sklearn  # noqa: F401 (to see whether it is there)
        import uvicorn  # noqa: F401 (the same)
    except ImportError:
        raise ParameterError(NEEDED) from None
    from ladderboard.cli.host.serve import BACKLOG, open_socket

    # Bound first: a port that is taken is said at once, not after a minute of work.
    with open_socket("127.0.0.1", port) as listening:
        if not (data / MARK).exists():
            _make(data, fast=fast)
        # Ctrl+C is how it is stopped, not something that went wrong.
        with suppress(KeyboardInterrupt), _opened(data) as services:
            address = f"http://127.0.0.1:{listening.getsockname()[1]}/demo"
            # Whoever opens it from here on waits for the server and is not turned away.
            listening.listen(BACKLOG)
            _say(services, data, address)
            if not no_browser and _has_display():
                click.launch(address)
            _serve(services, data, listening)


@contextmanager
def _opened(data: Path) -> Iterator["Services"]:
    from ladderboard.demo.digits import SLUG
    from ladderboard.demo.simulation import settings_for
    from ladderboard.hosting.services import open_services

    services = open_services(settings_for(data), [data / SLUG])
    try:
        yield services
    finally:
        services.close()


def _make(data: Path, *, fast: bool) -> None:
    """Make the demo; a half-made one is removed, so that the next try begins afresh."""
    from ladderboard.cli._shared.console import show_progress
    from ladderboard.cli.host.demo_attack import probe
    from ladderboard.demo.simulation import FAST, Cast, make_demo

    if data.exists() and any(data.iterdir()):
        raise ParameterError(f"{data} exists and is no demo; give another folder with --data, or delete it")
    click.echo(f"Playing two weeks of a competition, in {data} …")
    data.mkdir(parents=True, exist_ok=True)
    try:
        with show_progress("playing two weeks of a competition") as moved:
            make_demo(data, probe, cast=FAST if fast else Cast(), progress=moved)
        (data / MARK).touch()
    except BaseException:
        shutil.rmtree(data)
        raise


def _say(services: "Services", data: Path, address: str) -> None:
    from ladderboard.demo.digits import SLUG
    from ladderboard.demo.page import tell_story
    from ladderboard.demo.simulation import ORGANISER, PARTICIPANT, PASSWORD, READY_FILE
    from ladderboard.web.pages.competition.context import context_of

    story = tell_story(services, context_of(services, SLUG, None), data)
    click.echo(
        f"{story.attacker} made {story.attempts:,} submissions without a model: rank {story.their_rank} of "
        f"{len(story.theirs)} on a board that tells every score, rank {story.our_rank} of {len(story.ours)} here."
    )
    click.echo(f"  Open         {address}")
    click.echo(f"  Organiser    {ORGANISER}, password {PASSWORD}")
    click.echo(f"  Participant  {PARTICIPANT}, password {PASSWORD}; a file to submit: {data / READY_FILE}")
    click.echo(f"  Stop         Ctrl+C; start it again with the same command. Delete it: rm -r {data}")


def _has_display() -> bool:
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _serve(services: "Services", data: Path, listening: "socket.socket") -> None:
    import uvicorn

    from ladderboard.demo.page import add_demo
    from ladderboard.web.app import create_app

    app = create_app(services)
    add_demo(app, data)
    config = uvicorn.Config(app, log_level="warning", access_log=False, server_header=False)
    uvicorn.Server(config).run(sockets=[listening])
