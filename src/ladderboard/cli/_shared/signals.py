"""Ending by SIGTERM: as after Ctrl-C, so that processes and temporary folders go too."""

import signal
import sys
import threading
from types import FrameType


def clean_up_on_sigterm() -> None:
    """Let SIGTERM raise `SystemExit`, so that every ``finally`` runs; the exit code is a shell's for the signal."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _exit)


def _exit(number: int, _frame: FrameType | None) -> None:
    sys.exit(128 + number)
