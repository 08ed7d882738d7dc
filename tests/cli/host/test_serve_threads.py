"""Libraries of `ladderboard serve` and `ladderboard holdout serve` work in the thread that calls them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ladderboard.core.library_threads import ONE_THREAD

COUNT = """
import sys
from ladderboard.cli.main import cli
try:
    cli(sys.argv[1:])
except SystemExit as end:
    assert end.code != 0  # refused, after what comes before all imports
import numpy, polars, threadpoolctl
print(max(pool["num_threads"] for pool in threadpoolctl.threadpool_info()), polars.thread_pool_size())
"""


@pytest.mark.parametrize("command", ["serve {0}", "holdout serve {0}/none.db"])
def test_a_server_leaves_the_other_processors_to_other_requests(tmp_path: Path, command: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name not in ONE_THREAD}
    given = [sys.executable, "-c", COUNT, *command.format(tmp_path).split()]
    asked = {
        two: subprocess.check_output(given, env=environment | two_threads(two), text=True) for two in (False, True)
    }
    assert [answer.splitlines()[-1] for answer in asked.values()] == ["1 1", "2 2"]


def two_threads(are_set: bool) -> dict[str, str]:
    """What whoever runs the server asks for."""
    return dict.fromkeys(ONE_THREAD, "2") if are_set else {}
