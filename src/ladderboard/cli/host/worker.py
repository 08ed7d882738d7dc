"""`ladderboard worker`: a Dask worker that scores the queued submissions of a server."""

import asyncio
import os
import signal
import tempfile
from typing import Any

import click

from ladderboard.cli.host.server_options import database_options
from ladderboard.core.errors import ParameterError
from ladderboard.core.library_threads import use_one_thread


@click.command()
@click.option("--scheduler", metavar="ADDRESS", help="A Dask scheduler, such as tcp://127.0.0.1:8786 or tls://….")
@click.option(
    "--threads", default=1, show_default=True, type=click.IntRange(1, 256), help="How many it scores at once."
)
@database_options
def worker(*, threads: int, **given: Any) -> None:
    r"""Score queued submissions on this machine for a server that was started with the same --scheduler.

    It reads solutions and files from the server's database, as the server does, so it must be trusted like the server.
    A scheduler that is not on this machine needs tls://. It waits for a scheduler that is not there yet.

    \b
    Example:
      dask scheduler --host 127.0.0.1
      ladderboard serve my-competition --scheduler tcp://127.0.0.1:8786
      ladderboard worker --scheduler tcp://127.0.0.1:8786 --threads 2
    """
    use_one_thread()
    from ladderboard.scoring.sandbox import find_obstacle
    from ladderboard.server.services import open_database
    from ladderboard.server.settings import Settings

    settings = Settings.from_environment(**given)
    if not settings.scheduler:
        raise ParameterError("a worker needs --scheduler, the address of a Dask scheduler; `dask scheduler` starts one")
    from ladderboard.server.jobs.cluster import refuse_open_scheduler
    from ladderboard.server.jobs.worker import open_worker

    refuse_open_scheduler(settings)
    obstacle = find_obstacle()
    if obstacle is not None:
        click.echo(f"Submitted programs cannot run on this worker: {obstacle}.", err=True)
    with open_database(settings) as database, tempfile.TemporaryDirectory(prefix="ladderboard-worker-") as folder:
        os.environ["DASK_TEMPORARY_DIRECTORY"] = folder
        open_worker(settings, database)
        asyncio.run(_run(settings, threads))


async def _run(settings: Any, threads: int) -> None:
    from ladderboard.server.jobs.worker import run_worker

    stopping, loop = asyncio.Event(), asyncio.get_running_loop()
    for one in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(one, stopping.set)
    await run_worker(settings, threads=threads, stopping=stopping, told=click.echo)
