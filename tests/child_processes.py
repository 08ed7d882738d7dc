"""Where tests of child processes can run, and processes that die at a place of their writing."""

import platform
import resource
import signal
import sys

import pytest

from ladderboard.core.child_process.system_calls import MACHINES

has_filter = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() not in MACHINES, reason="the system has no filter for this processor"
)


def die_beyond(size: int) -> None:
    """Kill this process within the write that would make a file longer than ``size`` bytes, at the same byte each time.

    It ends by `SIGXFSZ`, as suddenly as by `SIGKILL`: no handler runs, and what was written stays written.
    """
    sys.dont_write_bytecode = True  # a module imported later is not meant
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python would raise an OSError
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
