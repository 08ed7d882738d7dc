"""Waiting for a server that is busy or restarts, and saying so."""

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ladderboard.client import Retries

SILENT_SECONDS = 2.0
"""Shorter waits are nobody's concern."""
WAITING = "The server is busy or restarts; waiting for it. Ctrl+C stops; sending again never costs a second attempt."


def patience() -> "Retries":
    """As long as uploads wait, for every request of a command, with a word on standard error when it takes long."""
    from ladderboard.client import retries

    return replace(retries.PATIENT, sleep=_Pauses())


class _Pauses:
    """Sleeps, and says once why."""

    def __init__(self) -> None:
        self._waited, self._has_said = 0.0, False

    def __call__(self, seconds: float) -> None:
        self._waited += seconds
        if self._waited > SILENT_SECONDS and not self._has_said:
            click.echo(WAITING, err=True)
            self._has_said = True
        time.sleep(seconds)
