"""Where tests of child processes can run."""

import platform
import sys

import pytest

from ladderboard.core.child_process.system_calls import MACHINES

has_filter = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() not in MACHINES, reason="the system has no filter for this processor"
)
