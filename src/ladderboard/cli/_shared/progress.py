"""A progress bar for long work of the core, which itself knows no terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


@contextmanager
def progress_bar(description: str, *, console: "Console | None" = None) -> Iterator[Callable[[int, int], None]]:
    """Give a ``progress(done, total)`` that draws one bar on standard error, and clears it at the end.

    Work that comes in several parts starts the same bar anew for each. Nothing is drawn where standard error is no
    terminal.

    >>> with progress_bar("Scoring") as progress:
    ...     for item in range(3):
    ...         progress(item + 1, 3)
    """
    from rich.console import Console
    from rich.progress import Progress

    console = console or Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(description, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
