"""The parent's side of the process that reads Parquet files: kept warm, and replaced after a file that ended it."""

import contextlib
import json
import os
import struct
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path
from tempfile import gettempdir
from typing import IO, Any

SECONDS = 30.0
"""For one file."""
AT_ONCE_PER_MACHINE = 2
"""Processes of one user that read a file at the same time, however many servers they belong to."""
MODULE = "ladderboard.tabular.parquet.reader_process"


class ParquetReader:
    """A handle on the child process, which is started on demand; safe to use from several threads and after a fork."""

    def __init__(self, command: tuple[str, ...] = (sys.executable, "-P", "-m", MODULE)) -> None:
        self._command = command
        self._forget()

    def read(self, data: bytes, *, most_rows: int, most_bytes: int) -> tuple[dict[str, Any], bytes]:
        """How it ended and the text; an empty ending where the process died, hung or babbled."""
        header = {"bytes": len(data), "most_rows": most_rows, "most_bytes": most_bytes}
        with self._get_lock(), _hold_turn():
            child = self._get_child()
            watchdog = threading.Timer(SECONDS, child.kill)
            watchdog.start()
            try:
                ending, text = _ask(child, header, data)
            except (OSError, ValueError, struct.error):
                self._drop()
                return {}, b""
            finally:
                watchdog.cancel()
            if ending.pop("is_worn", False):
                self._drop()
            return ending, text

    def close(self) -> None:
        """End the process; the next file starts another one."""
        with self._get_lock():
            self._drop()

    def _get_lock(self) -> threading.Lock:
        """Get this process's lock: after a fork, the child and perhaps the lock belong to the parent."""
        if self._pid != os.getpid():
            self._forget()
        return self._lock

    def _forget(self) -> None:
        self._pid, self._lock = os.getpid(), threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None

    def _get_child(self) -> "subprocess.Popen[bytes]":
        if self._child is None or self._child.poll() is not None:
            self._child = _start(self._command)
            weakref.finalize(self, _end, self._child, os.getpid())
        return self._child

    def _drop(self) -> None:
        if self._child is not None:
            _end(self._child, os.getpid())
        self._child = None


def _start(command: tuple[str, ...]) -> "subprocess.Popen[bytes]":
    # One thread, as a file is read in turn, and every thread reserves memory; nothing else of the environment, which
    # may hold the address of the database and other secrets.
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "SYSTEMROOT", "TMPDIR") if name in os.environ}
    path = os.pathsep.join(path for path in sys.path if path)
    return subprocess.Popen(  # noqa: S603 (our own module, run by our own interpreter)
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**kept, "PYTHONPATH": path, "POLARS_MAX_THREADS": "1"},
        start_new_session=True,  # so that Ctrl-C reaches only us
    )


def _ask(child: "subprocess.Popen[bytes]", header: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
    assert child.stdin is not None
    assert child.stdout is not None
    encoded = json.dumps(header).encode()
    child.stdin.write(struct.pack(">I", len(encoded)) + encoded)
    child.stdin.write(data)
    child.stdin.flush()
    text = bytearray()
    while length := _read_length(child.stdout):
        if len(text) + length > header["most_bytes"]:
            raise ValueError("more text than was asked for")
        text += child.stdout.read(length)
    ending: dict[str, Any] = json.loads(child.stdout.readline())
    return ending, bytes(text)


def _read_length(answers: IO[bytes]) -> int:
    return int(struct.unpack(">I", answers.read(4))[0])


def _end(child: "subprocess.Popen[bytes]", parent: int) -> None:
    if os.getpid() != parent:
        return  # a fork of us: the child is our parent's
    child.kill()
    for pipe in (child.stdin, child.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):  # what was not sent yet finds nobody to read it
                pipe.close()
    child.wait()


@contextlib.contextmanager
def _hold_turn() -> Iterator[None]:
    """Wait for one of the few places that all processes of this user share, and hold it."""
    try:
        import fcntl
    except ImportError:  # not on Windows
        yield
        return
    folder = Path(gettempdir()) / f"ladderboard-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    with contextlib.ExitStack() as opened:
        places = [
            opened.enter_context((folder / f"parquet-{place}.lock").open("w")) for place in range(AT_ONCE_PER_MACHINE)
        ]
        for place in places:
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
                yield
                return
        fcntl.flock(places[os.getpid() % len(places)], fcntl.LOCK_EX)
        yield
