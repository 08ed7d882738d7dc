"""Real Dask schedulers and workers for tests, as processes that can be killed."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from tests.hosting.live import PATIENCE

PROGRAMS = Path(sys.executable).parent


class Process:
    """A process that says when it is ready, until it is killed."""

    def __init__(self, command: Sequence[str], log: Path, *, ready: str) -> None:
        self.log = log
        began = log.stat().st_size if log.exists() else 0
        with log.open("ab") as file:
            self._process = subprocess.Popen(
                [str(PROGRAMS / command[0]), *command[1:]],
                stdout=file,
                stderr=file,
                env=os.environ | {"PYTHONUNBUFFERED": "1"},
            )
        deadline = time.monotonic() + PATIENCE
        while True:
            said = log.read_bytes()[began:].decode()
            if found := re.search(ready, said):
                self.told = found[0]
                return
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                raise RuntimeError(f"{command[0]} did not start: {said[-3000:]}")
            time.sleep(0.02)

    def kill(self) -> None:
        """End it between two instructions."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait(PATIENCE)

    def __enter__(self) -> "Process":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self.kill()


def start_scheduler(folder: Path, *options: str, port: int = 0, scheme: str = "tcp") -> Process:
    """A scheduler; its address is what it ``told``. A port that was just in use may not be free at once."""
    command = ["dask", "scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard", *options]
    command += ["--protocol", scheme]
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return Process(command, folder / "scheduler.log", ready=rf"(?<=Scheduler at:) +{scheme}://[0-9.:]+")
        except RuntimeError:
            if port == 0 or time.monotonic() > deadline:
                raise


def start_worker(folder: Path, address: str, *, data: Path, database: str) -> Process:
    """One of our workers."""
    command = ["ladderboard", "worker", "--scheduler", address, "--data", str(data), "--database", database]
    return Process(command, folder / "worker.log", ready=r"Working for")
