"""Consoles and progress bars for the terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, SpinnerColumn, TextColumn, TransferSpeedColumn
from rich.progress import Progress as Bar

PIPE_WIDTH = 200

Progress = Callable[[int, int], None]
"""Called with the amount done and the total."""


def make_console() -> Console:
    """Make a console as wide as the terminal; in a pipe, which has no width, wide enough to cut nothing."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else PIPE_WIDTH)


def count_noun(count: int, noun: str) -> str:
    """Write a count with its noun.

    >>> count_noun(1, "flag"), count_noun(1200, "flag")
    ('1 flag', '1,200 flags')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


@contextmanager
def show_progress(description: str, *, console: Console | None = None) -> Iterator[Progress]:
    """Show a progress bar on standard error and clear it at the end; yield the function that moves it.

    Work in several parts restarts the bar for each part. Nothing is drawn unless standard error is a terminal.

    >>> with show_progress("Scoring") as progress:
    ...     for item in range(3):
    ...         progress(item + 1, 3)
    """
    console = console or Console(stderr=True)
    with Bar(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(description, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def show_upload_progress(
    name: str, *, console: Console | None = None
) -> Iterator[tuple[Progress, Callable[[str], None]]]:
    """Show a bar while a file is sent and a spinner while it is scored.

    Yields ``progress(sent, total)`` in bytes, and ``note(words)`` for what is said while it waits for its turn.
    """
    console = console or Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(f"Sending {name}", total=None)

        def progress(sent: int, total: int) -> None:
            words = f"Scoring {name}" if sent == total else f"Sending {name}"
            bar.update(task, description=words, completed=sent, total=total)

        yield progress, lambda words: bar.update(task, description=f"{name}: {words}")
