"""The console that tables of people's words are printed on."""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

PIPE_WIDTH = 200


def wide_console() -> "Console":
    """As wide as the terminal; in a pipe, which has no width, wide enough to cut nothing."""
    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() else PIPE_WIDTH)
