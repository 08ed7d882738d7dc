"""The process in the sandbox that runs a participant's program: `python -m ladderboard.scoring.code_process`.

The first request is answered as soon as the sandbox stands, so that what goes wrong before is told apart from what the
program did. The second names the command; its answer has what the program wrote as its output, the first and the last
of its log, and how it ended. The sandbox ends with this process, and whatever the program has left running in it.
"""

import contextlib
import os
import resource
import select
import signal
import stat
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ladderboard.core.child_process.child import Requests

PIECE = 1 << 16
LOOK_SECONDS = 0.05
CUT = b"\n[... the middle of the log is left out ...]\n"


class Log:
    """The first and the last of what a program says; a flood of it takes no memory."""

    def __init__(self, most: int) -> None:
        self._half, self._first, self._last, self._is_cut = most // 2, bytearray(), bytearray(), False

    def add(self, piece: bytes) -> None:
        room = max(0, self._half - len(self._first))
        self._first += piece[:room]
        self._last += piece[room:]
        if len(self._last) > self._half:
            del self._last[: -self._half]
            self._is_cut = True

    @property
    def content(self) -> bytes:
        return bytes(self._first) + (CUT if self._is_cut else b"") + bytes(self._last)


def main() -> None:
    """Say that the sandbox stands, run one program, and answer with what became of it."""
    requests = Requests()
    for number, request in enumerate(requests):
        if number == 0:
            requests.answer(ready=True)
            continue
        answer(requests, request)
        return


def answer(requests: Requests, request: Mapping[str, Any]) -> None:
    """Run the program and send its log and its output."""
    start, log = time.monotonic(), Log(request["log_bytes"])
    Path(request["output"]).parent.mkdir(exist_ok=True)
    try:
        problem = run(request["command"], log, seconds=request["seconds"], environment=request["environment"])
    except OSError as error:
        problem = f"it cannot be started: {error.strerror}"
    output, refusal = (b"", problem) if problem else read_output(Path(request["output"]), request["output_bytes"])
    content = log.content
    for piece in (content, output):
        for at in range(0, len(piece), 1 << 20):
            requests.send(piece[at : at + (1 << 20)])
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / (1 << 10)
    requests.answer(log=len(content), problem=refusal, seconds=time.monotonic() - start, memory_mb=round(peak, 1))


def run(command: list[str], log: Log, *, seconds: float, environment: Mapping[str, str]) -> str:
    """Run a command until it ends or has had its time; returns what went wrong, empty where nothing did."""
    until = time.monotonic() + seconds
    process = subprocess.Popen(  # noqa: S603 (what this is for)
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=dict(environment),
        start_new_session=True,
        preexec_fn=_be_first_to_go,  # noqa: PLW1509 (there is one thread)
    )
    assert process.stdout is not None
    pipe, is_open = process.stdout.fileno(), True
    while process.poll() is None and time.monotonic() < until:
        if not is_open:
            time.sleep(LOOK_SECONDS)
        elif select.select([pipe], [], [], LOOK_SECONDS)[0]:
            is_open = _read_piece(pipe, log)
    code = process.poll()
    _end_all()
    while is_open and select.select([pipe], [], [], 0)[0]:
        is_open = _read_piece(pipe, log)
    process.wait()
    if code is None:
        return f"it took longer than {seconds:.0f} s"
    return "" if code == 0 else describe_end(code)


def describe_end(code: int) -> str:
    """
    >>> describe_end(3), describe_end(-9)
    ('it ended with exit code 3', 'it was ended by the signal SIGKILL: a limit of its memory, or of its time')
    """
    if code >= 0:
        return f"it ended with exit code {code}"
    name = signal.Signals(-code).name if -code in set(signal.Signals) else str(-code)
    why = ": a limit of its memory, or of its time" if -code in (signal.SIGKILL, signal.SIGXCPU) else ""
    return f"it was ended by the signal {name}{why}"


def read_output(path: Path, most: int) -> tuple[bytes, str]:
    """What the program has written, and what is wrong with it."""
    try:
        opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return b"", "it wrote no output"
    with os.fdopen(opened, "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            return b"", "its output is no ordinary file"
        if found.st_size > most:
            return b"", f"its output has {found.st_size:,} bytes; {most:,} are allowed"
        return file.read(most), ""


def _read_piece(pipe: int, log: Log) -> bool:
    piece = os.read(pipe, PIECE)
    log.add(piece)
    return bool(piece)


def _end_all() -> None:
    """End whatever the program has started: all processes of the sandbox but this one and its first."""
    with contextlib.suppress(OSError):
        os.kill(-1, signal.SIGKILL)


def _be_first_to_go() -> None:
    """Let the kernel choose the program, not us, where the sandbox's memory is used up."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


if __name__ == "__main__":
    main()
