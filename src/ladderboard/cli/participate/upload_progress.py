"""A bar while a file is sent, and a spinner while it is scored."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


@contextmanager
def upload_progress(name: str, *, console: "Console | None" = None) -> Iterator[Callable[[int, int], None]]:
    """Give a ``progress(sent, total)`` in bytes; nothing is drawn where standard error is no terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, SpinnerColumn, TextColumn, TransferSpeedColumn

    console = console or Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(f"Sending {name}", total=None)

        def progress(sent: int, total: int) -> None:
            words = f"Scoring {name}" if sent == total else f"Sending {name}"
            bar.update(task, description=words, completed=sent, total=total)

        yield progress
