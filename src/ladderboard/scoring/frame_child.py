"""The parent's side of the process that runs a function of pandas frames: in the sandbox, kept while it is used."""

import hashlib
import json
import logging
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from ladderboard.core.child_process.parent import ChildFellError, ChildProcess, KeptChild, OutOfTimeError
from ladderboard.core.errors import MetricUnavailableError, NoSandboxError
from ladderboard.core.records import IntArray
from ladderboard.metrics.inputs import Array
from ladderboard.scoring.custom_metric import find_clock
from ladderboard.scoring.metric_child import FunctionFailedError, find_patience
from ladderboard.scoring.sandbox import SandboxedProcess, SandboxLimits, find_obstacle

MODULE = "ladderboard.scoring.frame_process"
START_SECONDS = 120.0
"""Importing pandas on a busy machine."""
FOR_EVER = 1e9
"""Of processor time: the process lives on, and each call has a limit of its own."""
SLOTS = 4
UNAVAILABLE = "the competition's metric cannot run right now; no attempt was used"
log = logging.getLogger("ladderboard.scoring")


@dataclass(frozen=True)
class FrameSource:
    """A function of frames, its options and its limits."""

    source: str
    file: str
    function: str
    options: Mapping[str, Any] = field(default_factory=dict)
    time_limit: float = 60.0
    memory_mb: int = 4096


@dataclass(frozen=True, eq=False)
class FrameTables:
    """What the function is given beside a submission. ``columns``: of submissions, in the order of the sample."""

    solution: bytes = field(repr=False)
    """As CSV, without the column Usage."""
    id_column: str
    columns: Sequence[str]
    sample: Array = field(repr=False)
    """The sample's rows, in the order of the solution."""


@dataclass(frozen=True)
class FrameAnswer:
    """One call: its value, and what it took; ``visible``: a text for participants."""

    value: float
    seconds: float
    memory_mb: float


class FrameChild:
    """The function, on any rows of the solution; safe to use from several threads and after a fork."""

    def __init__(self, source: FrameSource, tables: FrameTables) -> None:
        self._source = source
        self._child = KeptChild(partial(FrameProcess, source, tables))
        self.last: FrameAnswer | None = None
        """The last call that gave a value, for rehearsals."""

    @property
    def time_limit(self) -> float:
        return self._source.time_limit

    def score(
        self, rows: IntArray, submission: Array, keep: IntArray | None = None, *, given: IntArray | None = None
    ) -> float:
        """The function's value on these rows of the solution, of which ``keep`` chooses some.

        ``given``: which row of the submission stands for each, where they are shuffled. Raises `FunctionFailedError`,
        after telling the organiser's log why.
        """
        try:
            answer = self._ask(rows, submission if given is None else submission[given], keep)
        except OutOfTimeError:
            answer = {"error": f"took longer than {self._source.time_limit:g} s of processor time"}
        except ChildFellError:
            answer = {"error": "ended without an answer, twice: a limit of its memory, or its own doing"}
        if "error" in answer:
            told = f"{self._source.file}: {answer['error']}\n{answer.get('printed', '')}".strip()
            log.warning("the metric failed: %s", told)
            raise FunctionFailedError(told)
        self.last = FrameAnswer(float(answer["value"]), float(answer["seconds"]), float(answer["memory_mb"]))
        return self.last.value

    def find_refusal(self, rows: IntArray, submission: Array) -> str | None:
        """What the function says to participants of a submission where the solution holds no label; None: nothing."""
        try:
            found = self._ask(rows, submission, None, is_public=True).get("visible")
        except (OutOfTimeError, ChildFellError):
            return None  # the real run meets it too, and is charged
        return found if isinstance(found, str) and found else None

    def close(self) -> None:
        """End the process; the next call starts another one."""
        self._child.close()

    def _ask(self, *arguments: Any, is_public: bool = False) -> dict[str, Any]:
        """One answer. A process that falls is started again and asked once more: that has innocent causes."""
        clock = find_clock()
        for is_last in (False, True):
            left = self._source.time_limit - clock.used
            if left <= 0:
                raise OutOfTimeError
            try:
                with self._child.use() as child:
                    answer = child.ask_for(*arguments, seconds=left, is_public=is_public)
                clock.spend(float(answer["seconds"]))
                return answer
            except ChildFellError:
                if is_last:
                    raise
        raise AssertionError("unreachable")


class FrameProcess:
    """A running process that holds the function and the solution's frame."""

    def __init__(self, source: FrameSource, tables: FrameTables) -> None:
        self._slots: OrderedDict[bytes, int] = OrderedDict()
        self._inner = _start(source)
        described, contents = _pack(tables.sample)
        setup = {
            "source": source.source,
            "file": source.file,
            "function": source.function,
            "options": dict(source.options),
            "id": tables.id_column,
            "columns": list(tables.columns),
            "bytes": len(tables.solution),
            "sample": described,
            "is_sandboxed": isinstance(self._inner, SandboxedProcess),
            "memory_bytes": source.memory_mb << 20,
        }
        try:
            answer, _ = self._inner.ask(setup, tables.solution, *contents, seconds=START_SECONDS)
        except (OutOfTimeError, ChildFellError) as problem:
            self._inner.end()
            raise MetricUnavailableError(UNAVAILABLE) from problem
        if "error" in answer:
            self._inner.end()
            report = f"cannot load {source.file}: {answer['error']}\n{answer.get('printed', '')}".strip()
            raise MetricUnavailableError(UNAVAILABLE) from FunctionFailedError(report)

    @property
    def is_running(self) -> bool:
        return self._inner.is_running

    def end(self) -> None:
        self._inner.end()

    def ask_for(
        self, rows: IntArray, submission: Array, keep: IntArray | None, *, seconds: float, is_public: bool
    ) -> dict[str, Any]:
        """The answer to one call; raises `OutOfTimeError` and `ChildFellError`."""
        key = _hash(submission)
        described, contents = (None, []) if key in self._slots else _pack(submission)
        header = {
            "slot": self._take_slot(key),
            "columns": described,
            "rows": rows.astype(np.intp).nbytes,
            "keep": None if keep is None else keep.astype(np.intp).nbytes,
            "is_public": is_public,
            "seconds": seconds,
        }
        places = [one.astype(np.intp).tobytes() for one in (rows, keep) if one is not None]
        try:
            return self._inner.ask(header, *places, *contents, seconds=find_patience(seconds))[0]
        except (KeyError, TypeError) as problem:
            raise ChildFellError from problem

    def _take_slot(self, key: bytes) -> int:
        if key in self._slots:
            self._slots.move_to_end(key)
            return self._slots[key]
        slot = len(self._slots) if len(self._slots) < SLOTS else self._slots.popitem(last=False)[1]
        self._slots[key] = slot
        return slot


def _start(source: FrameSource) -> ChildProcess:
    try:
        if find_obstacle() is not None:
            return ChildProcess(("-m", MODULE))
        limits = SandboxLimits(memory_mb=source.memory_mb, seconds=FOR_EVER)
        return SandboxedProcess(("-m", MODULE), limits=limits)
    except (OSError, NoSandboxError) as problem:
        raise MetricUnavailableError(UNAVAILABLE) from problem


def _pack(table: Array) -> tuple[list[dict[str, Any]], list[bytes]]:
    """The columns of a table of rows, described and as bytes."""
    described, contents = [], []
    for name, dtype in _list_fields(table):
        values = np.ascontiguousarray(table[name])
        content = json.dumps(values.tolist()).encode() if dtype.hasobject else values.tobytes()
        kind = "text" if dtype.hasobject else dtype.str
        described.append({"name": name, "dtype": kind, "rows": len(table), "bytes": len(content)})
        contents.append(content)
    return described, contents


def _list_fields(table: Array) -> Iterator[tuple[str, np.dtype[Any]]]:
    for name in table.dtype.names or ():
        yield name, table.dtype[name]


def _hash(table: Array) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    for described, content in zip(*_pack(table), strict=True):
        digest.update(json.dumps(described).encode() + content)
    return digest.digest()
