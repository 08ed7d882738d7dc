"""`ladderboard lab`: the laboratory's commands."""

import signal
import sys
import threading
from importlib.util import find_spec
from types import FrameType

import click

from ladderboard.cli._shared.lazy_group import LazyGroup
from ladderboard.core.errors import LadderboardError

COMMANDS = {
    "attack": ("ladderboard.cli.lab.attack:attack", "Run one attack against one mechanism and chart it."),
    "arena": (
        "ladderboard.cli.lab.arena:arena",
        "Compare every mechanism under every attack and on honest submissions.",
    ),
    "reproduce": ("ladderboard.cli.lab.reproduce:reproduce", "Reproduce the papers' figures and tables."),
}


@click.group(cls=LazyGroup, commands_by_name=COMMANDS)
def lab() -> None:
    r"""Attack any mechanism, compare all of them, and reproduce the papers' figures.

    \b
    Example:
      ladderboard lab attack --attack hill_climb --mechanism parameter_free_ladder --n 1000 --k 2000
      ladderboard lab arena --quick
    """
    missing = [package for package in ("joblib", "matplotlib", "ruptures", "sklearn") if find_spec(package) is None]
    if missing:
        raise LadderboardError(f"the laboratory needs {', '.join(missing)}: pip install 'ladderboard[lab]'")
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _stop)


def _stop(number: int, _frame: FrameType | None) -> None:
    """End as after Ctrl-C, so that the workers are ended too; the exit code is a shell's for the signal."""
    sys.exit(128 + number)
