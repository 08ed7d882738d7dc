"""The parent's side of a metric's child process, started on demand and restarted after a crash."""

import contextlib
import hashlib
import json
import os
import select
import signal
import struct
import subprocess
import sys
import threading
import time
import weakref
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ladderboard.core.errors import MetricUnavailableError

Array = npt.NDArray[Any]
SLOTS = 8
"""So many arrays the child keeps: the labels of the public part, of its halves, and the predictions that are scored."""
START_SECONDS = 60.0
GRACE_SECONDS = 1.0
"""The child ends itself when its time is over; the parent waits this much longer before it does so."""
KEPT_ENVIRONMENT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "VIRTUAL_ENV", "SYSTEMROOT")
"""All that a metric sees of the environment, which may hold the address of the database and other secrets."""
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class FunctionFailedError(Exception):
    """The metric's function failed or returned no number. The message is for the organiser only."""


class OutOfTimeError(Exception):
    """The metric's function exceeded its time limit."""


class ChildFellError(Exception):
    """The child process ended during a call."""


@dataclass(frozen=True)
class MetricSource:
    """The source and limits of a child process."""

    source: str
    file: str
    function: str
    memory_bytes: int
    folder: Path | None = None


class MetricChild:
    """A handle on the child process; safe to use from several threads and after a fork."""

    def __init__(self, source: MetricSource) -> None:
        self._source = source
        self._forget()

    def takes_weights(self) -> bool:
        """Whether the function has a parameter ``sample_weight``; raises `FunctionFailedError` if loading fails."""
        with self._ours():
            return self._start_child().takes_weights

    def call(self, arrays: Sequence[Array], *, seconds: float, spend: Callable[[float], None]) -> float:
        """Compute the function's value. A child that crashes is restarted and asked once more.

        ``spend`` is told how long the function took, without the wait for other threads or for a start.
        """
        with self._ours():
            try:
                return self._ask(arrays, seconds, spend)
            except ChildFellError:
                return self._ask(arrays, seconds, spend)

    def close(self) -> None:
        """End the child process; the next call starts another one."""
        with self._ours():
            self._drop()

    def _ours(self) -> threading.Lock:
        """Get this process's lock: after a fork, the child and perhaps the lock belong to the parent."""
        if self._pid != os.getpid():
            self._forget()
        return self._lock

    def _forget(self) -> None:
        self._pid, self._lock = os.getpid(), threading.Lock()
        self._child: _Child | None = None

    def _start_child(self) -> "_Child":
        if self._child is None:
            self._child = _Child(self._source)
            weakref.finalize(self, self._child.end)
        return self._child

    def _ask(self, arrays: Sequence[Array], seconds: float, spend: Callable[[float], None]) -> float:
        try:
            child = self._start_child()
        except FunctionFailedError as problem:  # it could be loaded before: this is not the submission's doing
            raise MetricUnavailableError("cannot start the competition's metric; no attempt was used") from problem
        start = time.monotonic()
        try:
            return child.ask(arrays, seconds)
        except (OutOfTimeError, ChildFellError):
            self._drop()
            raise
        finally:
            spend(time.monotonic() - start)

    def _drop(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.end()


class _Child:
    """A running child process."""

    def __init__(self, source: MetricSource) -> None:
        self._parent = os.getpid()
        self._slots: OrderedDict[bytes, int] = OrderedDict()
        try:
            self._process = _start(source.folder)
        except OSError as problem:
            raise MetricUnavailableError("cannot start the metric's process; no attempt was used") from problem
        setup = {
            "source": source.source,
            "file": source.file,
            "function": source.function,
            "memory_bytes": source.memory_bytes,
        }
        try:
            self._send(setup, ())
            answer = self._answer(START_SECONDS)
        except (OutOfTimeError, ChildFellError) as problem:
            self.end()
            raise FunctionFailedError("the process ended or took too long while loading") from problem
        if "error" in answer:
            self.end()
            raise FunctionFailedError(answer["error"])
        self.takes_weights = bool(answer["takes_weights"])

    def ask(self, arrays: Sequence[Array], seconds: float) -> float:
        references, contents = [], []
        for place, array in enumerate(arrays):
            reference, content = self._reference(np.ascontiguousarray(array), is_weight=place == 2)
            references.append(reference)
            contents.append(content)
        self._send({"arrays": references, "seconds": seconds}, contents)
        answer = self._answer(seconds + GRACE_SECONDS)
        if "error" in answer:
            raise FunctionFailedError(answer["error"])
        return float(answer["value"])

    def end(self) -> None:
        """Kill the process and everything it started."""
        if os.getpid() != self._parent:
            return  # a fork of us: the child is our parent's
        if self._process.returncode is None:  # afterwards its number may be another's
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):  # what was not sent yet finds nobody to read it
                pipe.close()
        self._process.wait()

    def _reference(self, array: Array, *, is_weight: bool) -> tuple[dict[str, Any], memoryview | None]:
        """Name an array in a request, with its bytes if the child does not have it yet."""
        described = {"dtype": array.dtype.str, "shape": array.shape, "bytes": array.nbytes}
        content = array.reshape(-1).view(np.uint8).data
        if is_weight:  # other ones in every call
            return {"slot": None, **described}, content
        shape = f"{array.dtype.str}{array.shape}".encode()
        key = hashlib.blake2b(content, digest_size=16, key=hashlib.blake2b(shape).digest()).digest()
        if key in self._slots:
            self._slots.move_to_end(key)
            return {"slot": self._slots[key]}, None
        slot = len(self._slots) if len(self._slots) < SLOTS else self._slots.popitem(last=False)[1]
        self._slots[key] = slot
        return {"slot": slot, **described}, content

    def _send(self, header: dict[str, Any], contents: Sequence[memoryview | None]) -> None:
        pipe = self._process.stdin
        assert pipe is not None
        encoded = json.dumps(header).encode()
        try:
            pipe.write(struct.pack(">I", len(encoded)) + encoded)
            for content in contents:
                if content is not None:
                    pipe.write(content)
            pipe.flush()
        except (BrokenPipeError, ConnectionError):
            raise ChildFellError from None

    def _answer(self, seconds: float) -> dict[str, Any]:
        pipe = self._process.stdout
        assert pipe is not None
        poll, deadline, line = select.poll(), time.monotonic() + seconds, b""
        poll.register(pipe, select.POLLIN)
        while not line.endswith(b"\n"):
            left = deadline - time.monotonic()
            if left <= 0 or not poll.poll(left * 1000):
                raise OutOfTimeError
            part = os.read(pipe.fileno(), 65536)
            if not part:
                raise OutOfTimeError if self._process.wait() == -signal.SIGALRM else ChildFellError
            line += part
        answer: dict[str, Any] = json.loads(line)
        return answer


def _start(folder: Path | None) -> "subprocess.Popen[bytes]":
    environment = {name: os.environ[name] for name in KEPT_ENVIRONMENT if name in os.environ}
    environment |= dict.fromkeys(ONE_THREAD, "1")
    environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "ladderboard.scoring.metric_process"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env=environment,
        start_new_session=True,  # so that it and what it starts can be ended together, and Ctrl-C reaches only us
    )
