"""The child's end: its requests and answers, and limits on what it may use."""

import json
import os
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ladderboard.core.child_process.system_calls import forbid_new_processes


class Requests:
    """The requests of the parent, one after another until there are no more.

    The pipes are moved to other descriptors, so that what the work prints goes nowhere and cannot disturb them.
    """

    def __init__(self) -> None:
        self._requests, self._answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
        nowhere = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):
            os.dup2(nowhere, standard)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        while len(start := self._requests.read(4)) == 4:
            yield json.loads(self._requests.read(struct.unpack(">I", start)[0]))

    def read(self, length: int) -> bytes:
        """Read raw bytes that the header has told of."""
        return self._requests.read(length)

    def send(self, piece: bytes) -> None:
        """Send a piece of the answer."""
        if piece:
            self._answers.write(struct.pack(">I", len(piece)) + piece)

    def answer(self, **content: Any) -> None:
        """Send the last line of the answer."""
        self._answers.write(struct.pack(">I", 0) + json.dumps(content).encode() + b"\n")
        self._answers.flush()


def limit_process() -> None:
    """Forbid core dumps, which would hold labels, and new processes, which would outlive every other limit."""
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    forbid_new_processes()


def limit_memory(size: int) -> None:
    """Limit the address space of this process, in bytes."""
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (size, resource.getrlimit(resource.RLIMIT_AS)[1]))


def limit_seconds(seconds: float, *, of_computing: bool = False) -> None:
    """Have the kernel end this process after so long, even inside compiled code and without a parent; 0: never.

    ``of_computing``: only time on a processor counts, so that a busy machine changes nothing.
    """
    if sys.platform == "win32":
        return
    import signal

    signal.setitimer(signal.ITIMER_PROF if of_computing else signal.ITIMER_REAL, seconds)


def measure_memory() -> tuple[int, int]:
    """Measure this process's address space, and what of it is resident, in bytes; 0 where the system does not tell."""
    try:
        pages = [int(count) for count in Path("/proc/self/statm").read_text().split()[:2]]
    except OSError:
        return 0, 0
    return pages[0] * os.sysconf("SC_PAGE_SIZE"), pages[1] * os.sysconf("SC_PAGE_SIZE")
