"""The parent's end of a child process, and the handle that keeps one warm."""

import contextlib
import json
import os
import signal
import struct
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, Generic, Protocol, TypeVar

from ladderboard.core.library_threads import ONE_THREAD

KEPT_ENVIRONMENT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "VIRTUAL_ENV", "SYSTEMROOT")
"""All that a child sees of the environment, which may hold the address of the database and other secrets."""
LONGEST_LINE = 1 << 20
"""The last line of an answer; a child that sends more of it has gone astray."""
TIMERS = {getattr(signal, name, None) for name in ("SIGALRM", "SIGPROF")}
"""What ends a child that has limited its own time."""


class ChildFellError(Exception):
    """The child process ended during a request, or answered nonsense."""


class OutOfTimeError(Exception):
    """The child process took too long."""


class ChildProcess:
    """A running Python process, started with ``arguments`` such as ``("-m", "package.module")``; raises `OSError`."""

    def __init__(self, arguments: tuple[str, ...], *, folder: Path | None = None) -> None:
        self._parent, self._is_late = os.getpid(), False
        self._process = self._start(arguments, folder)

    def _start(self, arguments: tuple[str, ...], folder: Path | None) -> "subprocess.Popen[bytes]":
        environment = {name: os.environ[name] for name in KEPT_ENVIRONMENT if name in os.environ}
        environment |= dict.fromkeys(ONE_THREAD, "1")
        environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
        return subprocess.Popen(  # noqa: S603 (our own interpreter)
            [sys.executable, "-P", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=environment,
            start_new_session=True,  # so that Ctrl-C reaches only us
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def ask(
        self, header: dict[str, Any], *contents: bytes | memoryview, seconds: float, most_bytes: int = 0
    ) -> tuple[dict[str, Any], bytes]:
        """Send a request and wait for its answer: the last line, and all pieces together.

        Raises `OutOfTimeError` after ``seconds``, and `ChildFellError` where no answer comes, or one of more than
        ``most_bytes``.
        """
        watchdog = threading.Timer(seconds, self._stop_late)
        watchdog.start()
        try:
            self._send(header, contents)
            return self._receive(most_bytes)
        except (OSError, ValueError, struct.error):
            self._kill()  # changes nothing for one that a signal has ended already
            code = self._process.wait()
            # What starts another program for us tells of its signal by a code from 128 on.
            is_late = -code in TIMERS or code - 128 in TIMERS or self._is_late
            raise OutOfTimeError if is_late else ChildFellError from None
        finally:
            watchdog.cancel()

    def end(self) -> None:
        """Kill the process."""
        if os.getpid() != self._parent:
            return  # a fork of us: the child is our parent's
        self._kill()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):  # what was not sent yet finds nobody to read it
                pipe.close()
        self._process.wait()

    def _send(self, header: dict[str, Any], contents: tuple[bytes | memoryview, ...]) -> None:
        pipe = self._process.stdin
        assert pipe is not None
        encoded = json.dumps(header).encode()
        pipe.write(struct.pack(">I", len(encoded)) + encoded)
        for content in contents:
            pipe.write(content)
        pipe.flush()

    def _receive(self, most_bytes: int) -> tuple[dict[str, Any], bytes]:
        pipe = self._process.stdout
        assert pipe is not None
        received = bytearray()
        while length := _read_length(pipe):
            if len(received) + length > most_bytes:
                raise ValueError("more than was asked for")
            received += pipe.read(length)
        answer = json.loads(pipe.readline(LONGEST_LINE))
        if not isinstance(answer, dict):
            raise ValueError("no answer")
        return answer, bytes(received)

    def _stop_late(self) -> None:
        self._is_late = True
        self._kill()

    def _kill(self) -> None:
        """Kill it with its group: where `child.forbid_processes` has no effect, it may have started others."""
        if self._process.returncode is not None:  # its number may be another's by now
            return
        if sys.platform == "win32":
            self._process.kill()
            return
        with contextlib.suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)


def _read_length(pipe: IO[bytes]) -> int:
    return int(struct.unpack(">I", pipe.read(4))[0])


class Endable(Protocol):
    """What is kept warm: a child, or what holds one."""

    @property
    def is_running(self) -> bool: ...
    def end(self) -> None: ...


Kind = TypeVar("Kind", bound=Endable)


class KeptChild(Generic[Kind]):
    """A handle on a child that is started when it is needed; safe to use from several threads and after a fork."""

    running: Kind | None

    def __init__(self, start: Callable[[], Kind]) -> None:
        self._start = start
        self._forget()

    @contextlib.contextmanager
    def use(self) -> Iterator[Kind]:
        """Have the child for oneself; one that falls or is too slow is dropped, and the next use starts another."""
        with self._get_lock():
            if self.running is None or not self.running.is_running:
                self._drop()
                self.running = self._start()
                self._end = weakref.finalize(self, self.running.end)
            try:
                yield self.running
            except (ChildFellError, OutOfTimeError):
                self._drop()
                raise

    def close(self) -> None:
        """End the child; the next use starts another."""
        with self._get_lock():
            self._drop()

    def _get_lock(self) -> threading.Lock:
        """Get this process's lock: after a fork, the child and perhaps the lock belong to the parent."""
        if self._pid != os.getpid():
            self._forget()
        return self._lock

    def _forget(self) -> None:
        self._pid, self._lock = os.getpid(), threading.Lock()
        self.running = None

    def _drop(self) -> None:
        if self.running is not None:
            self.running = None
            self._end()
