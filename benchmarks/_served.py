"""A server in a process of its own, as `ladderboard serve` starts it, and what the system knows about that process."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread

import httpx

STARTS_WITHIN_SECONDS = 300
MEGABYTE = 1e6


@dataclass(frozen=True)
class Served:
    """Where a server listens, and its process."""

    url: str
    process: int
    _seen: list[float] = field(default_factory=list, repr=False)

    @property
    def memory_megabytes(self) -> float:
        """What it holds now."""
        return self._kilobytes("VmRSS") / 1000

    def forget_peak(self) -> None:
        """Let the peak begin at what is held now."""
        Path(f"/proc/{self.process}/clear_refs").write_text("5")
        self._seen.clear()

    @property
    def peak_megabytes(self) -> float:
        """The most it held since `forget_peak`."""
        return self._kilobytes("VmHWM") / 1000

    @property
    def processor_seconds(self) -> float:
        """What it and its children, those that have ended too, have used of the processor."""
        return sum(map(_processor_seconds, [self.process, *_children(self.process)]))

    @property
    def tree_megabytes(self) -> float:
        """What it and its children hold now."""
        return sum(map(_resident_megabytes, [self.process, *_children(self.process)]))

    @property
    def tree_peak_megabytes(self) -> float:
        """The most that it and its children held at one time while `watching_memory`."""
        return max(self._seen, default=0.0)

    @contextmanager
    def watching_memory(self) -> Iterator[None]:
        """Look at it and its children fifty times a second."""
        is_over = Event()

        def look() -> None:
            while not is_over.wait(0.02):
                self._seen.append(self.tree_megabytes)

        watcher = Thread(target=look)
        watcher.start()
        try:
            yield
        finally:
            is_over.set()
            watcher.join()

    def _kilobytes(self, name: str) -> float:
        return _kilobytes(self.process, name)


def _resident_megabytes(process: int) -> float:
    try:
        return _kilobytes(process, "VmRSS") / 1000
    except (OSError, StopIteration):  # it has ended
        return 0.0


def _processor_seconds(process: int) -> float:
    try:
        own = time.clock_gettime(~process << 3 | 2)  # as clock_getcpuclockid(3) makes it: in nanoseconds
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:  # it has ended
        return 0.0
    # Both times of the children that have been waited for, in hundredths: fields 16 and 17 of proc(5).
    return own + sum(map(int, fields[13:15])) / os.sysconf("SC_CLK_TCK")


def _kilobytes(process: int, name: str) -> float:
    status = Path(f"/proc/{process}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith(f"{name}:"))
    return float(line.split()[1]) * 1.024


def _children(process: int) -> list[int]:
    """The children of all threads of a process, and theirs."""
    found = [int(one) for each in Path(f"/proc/{process}/task").glob("*") for one in _children_of_thread(each)]
    return found + [deeper for child in found for deeper in _children(child)]


def _children_of_thread(thread: Path) -> list[str]:
    try:
        return (thread / "children").read_text().split()
    except OSError:  # it has ended
        return []


@contextmanager
def serving(folder: Path, *competitions: Path, **settings: object) -> Iterator[Served]:
    """Serve competitions from ``folder``; ``settings`` go into the environment."""
    command = str(Path(sys.executable).with_name("ladderboard"))
    # One account may not flood a server; here that is the purpose.
    given = {"uploads_per_minute": 10**6, "upload_processor_seconds_per_minute": 10**6, **settings}
    environment = {f"LADDERBOARD_{name.upper()}": str(value) for name, value in given.items()}
    data = folder / f"data-of-{'-'.join(one.name for one in competitions)}"
    arguments = [command, "serve", *map(str, competitions), "--data", str(data)]
    with _running(arguments, folder, environment, ready="/readyz") as served:
        yield served


@contextmanager
def serving_bare(folder: Path) -> Iterator[Served]:
    """The least that receives a file: one endpoint of Starlette."""
    with _running([sys.executable, "-m", "benchmarks._bare"], folder, {}, ready="/") as served:
        yield served


@contextmanager
def _running(arguments: list[str], folder: Path, environment: dict[str, str], *, ready: str) -> Iterator[Served]:
    port = _free_port()
    log = folder / f"{port}.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            [*arguments, "--port", str(port)], env={**os.environ, **environment}, stdout=output, stderr=output
        )
    served = Served(f"http://127.0.0.1:{port}", process.pid)
    try:
        _wait(f"{served.url}{ready}", process, log)
        yield served
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def _wait(url: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    until = time.monotonic() + STARTS_WITHIN_SECONDS
    while time.monotonic() < until and process.poll() is None:
        try:
            if httpx.get(url, trust_env=False).is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.05)
    raise RuntimeError(f"the server did not start: {log.read_text()[-2000:]}")


def _free_port() -> int:
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return int(asked.getsockname()[1])
