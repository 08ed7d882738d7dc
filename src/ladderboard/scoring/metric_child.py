"""The parent's side of a metric's child process, started on demand and restarted after a crash."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ladderboard.core.child_process.parent import ChildFellError, ChildProcess, KeptChild, OutOfTimeError
from ladderboard.core.errors import MetricUnavailableError

Array = npt.NDArray[Any]
SLOTS = 8
"""So many arrays the child keeps: the labels of the public rows, of their parts, and predictions that are scored."""
START_SECONDS = 60.0
GRACE_SECONDS = 1.0
"""The child ends itself when its time is over; the parent waits this much longer before it does so."""
MODULE = "ladderboard.scoring.metric_process"


def find_patience(seconds: float) -> float:
    """How long a metric may take by the clock for so much processor time: far longer, as others compute beside it."""
    return 10 * seconds + 60


class FunctionFailedError(Exception):
    """The metric's function failed or returned no number. The message is for the organiser only."""


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
        self.child = KeptChild(partial(MetricProcess, source))

    def takes_weights(self) -> bool:
        """Whether the function has a parameter ``sample_weight``; raises `FunctionFailedError` if loading fails."""
        with self.child.use() as child:
            return child.takes_weights

    def call(self, arrays: Sequence[Array], *, seconds: float, spend: Callable[[float], None]) -> float:
        """Compute the function's value. A child that crashes is restarted and asked once more.

        ``seconds`` of processor time are allowed; ``spend`` is told how many the function took.
        """
        try:
            return self._ask(arrays, seconds, spend)
        except ChildFellError:
            return self._ask(arrays, seconds, spend)

    def close(self) -> None:
        """End the child process; the next call starts another one."""
        self.child.close()

    def _ask(self, arrays: Sequence[Array], seconds: float, spend: Callable[[float], None]) -> float:
        try:
            with self.child.use() as child:
                return child.score(arrays, seconds, spend)
        except LoadingFailedError as problem:  # it could be loaded before: this is not the submission's doing
            raise MetricUnavailableError("cannot start the competition's metric; no attempt was used") from problem


class LoadingFailedError(FunctionFailedError):
    """The metric's file cannot be loaded."""


class MetricProcess(ChildProcess):
    """A running child process that has loaded a metric."""

    def __init__(self, source: MetricSource) -> None:
        self._slots: OrderedDict[bytes, int] = OrderedDict()
        try:
            super().__init__(("-m", MODULE), folder=source.folder)
        except OSError as problem:
            raise MetricUnavailableError("cannot start the metric's process; no attempt was used") from problem
        setup = {name: value for name, value in vars(source).items() if name != "folder"}
        try:
            answer, _ = self.ask(setup, seconds=START_SECONDS)
        except (OutOfTimeError, ChildFellError) as problem:
            self.end()
            raise LoadingFailedError("the process ended or took too long while loading") from problem
        if "error" in answer:
            self.end()
            raise LoadingFailedError(answer["error"])
        self.takes_weights = bool(answer["takes_weights"])

    def score(self, arrays: Sequence[Array], seconds: float, spend: Callable[[float], None]) -> float:
        """Compute the function's value; raises `FunctionFailedError`, `OutOfTimeError` and `ChildFellError`."""
        references, contents = [], []
        for place, array in enumerate(arrays):
            reference, content = self._reference(np.ascontiguousarray(array), is_weight=place == 2)
            references.append(reference)
            contents.extend(content)
        patience = find_patience(seconds)
        request = {"arrays": references, "seconds": seconds, "patience": patience}
        answer, _ = self.ask(request, *contents, seconds=patience + GRACE_SECONDS)
        spend(float(answer["seconds"]))
        if "error" in answer:
            raise FunctionFailedError(answer["error"])
        return float(answer["value"])

    def _reference(self, array: Array, *, is_weight: bool) -> tuple[dict[str, Any], list[memoryview]]:
        """Name an array in a request, with its bytes if the child does not have it yet."""
        described = {"dtype": array.dtype.str, "shape": array.shape, "bytes": array.nbytes}
        content = array.reshape(-1).view(np.uint8).data
        if is_weight:  # other ones in every call
            return {"slot": None, **described}, [content]
        shape = f"{array.dtype.str}{array.shape}".encode()
        key = hashlib.blake2b(content, digest_size=16, key=hashlib.blake2b(shape).digest()).digest()
        if key in self._slots:
            self._slots.move_to_end(key)
            return {"slot": self._slots[key]}, []
        slot = len(self._slots) if len(self._slots) < SLOTS else self._slots.popitem(last=False)[1]
        self._slots[key] = slot
        return {"slot": slot, **described}, [content]
