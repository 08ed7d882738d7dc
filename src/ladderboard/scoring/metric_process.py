"""The child process that runs a custom metric: `python -m ladderboard.scoring.metric_process`.

It reads requests from its standard input and answers each with one line of JSON. A request is four bytes with the
length of a header, the header (JSON), and the bytes of the arrays that are sent with it; nothing is pickled. Arrays
that come again (the labels) stay here in numbered slots. What the metric prints goes nowhere: it could quote labels.
"""

import json
import numbers
import os
import signal
import struct
import sys
import types
from collections.abc import Callable
from typing import IO, Any

import numpy as np
import numpy.typing as npt

LONGEST_ERROR = 300


def main() -> None:
    """Load the metric, report whether that worked, and answer requests until the input ends."""
    requests, answers = _private_pipes()
    setup = _header(requests)
    if setup is None:
        return
    _limit_memory(setup["memory_bytes"])
    try:
        function = load_function(setup["source"], setup["file"], setup["function"])
        _answer(answers, ready=True, takes_weights=_takes_weights(function))
    except BaseException as problem:
        _answer(answers, error=describe_exception(problem))
        return
    slots: dict[int, npt.NDArray[Any]] = {}
    while (request := _header(requests)) is not None:
        arrays = [_array(requests, reference, slots) for reference in request["arrays"]]
        # The kernel ends this process where the time is over, even inside of compiled code and without a parent.
        signal.setitimer(signal.ITIMER_REAL, request["seconds"])
        try:
            _answer(answers, **_call_metric(function, arrays))
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)


def load_function(source: str, file: str, name: str) -> Callable[..., Any]:
    """Load the function called ``name`` from a source."""
    module = types.ModuleType("competition_metric")
    module.__file__ = file
    sys.modules[module.__name__] = module  # dataclasses look their module up there
    exec(compile(source, file, "exec"), vars(module))  # noqa: S102 (the organiser's own code is what this process is for)
    found = getattr(module, name, None)
    if not callable(found):
        raise LookupError(f"{file} defines no function {name!r}")
    return found  # type: ignore[no-any-return]  # callable() cannot tell more


def describe_exception(problem: BaseException) -> str:
    """Describe an exception in one line, with its line in the metric's file if known."""
    place, trace = "", problem.__traceback__
    while trace is not None:
        if trace.tb_frame.f_globals.get("__name__") == "competition_metric":
            place = f" (line {trace.tb_lineno})"
        trace = trace.tb_next
    return f"{type(problem).__name__}: {problem}{place}"[:LONGEST_ERROR]


def _private_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Move the pipes to the parent to other descriptors, so that a metric that prints cannot disturb them."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    return requests, answers


def _limit_memory(limit: int) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a dump would hold the labels


def _takes_weights(function: Callable[..., Any]) -> bool:
    from ladderboard.metrics.custom.options import takes_weights

    return takes_weights(function)


def _header(requests: IO[bytes]) -> dict[str, Any] | None:
    start = requests.read(4)
    if len(start) < 4:
        return None
    header: dict[str, Any] = json.loads(requests.read(struct.unpack(">I", start)[0]))
    return header


def _array(requests: IO[bytes], reference: dict[str, Any], slots: dict[int, npt.NDArray[Any]]) -> npt.NDArray[Any]:
    slot = reference["slot"]
    if "bytes" not in reference:
        return slots[slot].copy()  # the function may change what it is given
    content = bytearray(requests.read(reference["bytes"]))
    array = np.frombuffer(content, dtype=reference["dtype"]).reshape(reference["shape"])
    if slot is None:
        return array
    slots[slot] = array
    return array.copy()


def _call_metric(function: Callable[..., Any], arrays: list[npt.NDArray[Any]]) -> dict[str, Any]:
    try:
        weights = {"sample_weight": arrays[2]} if len(arrays) > 2 else {}
        returned = function(arrays[0], arrays[1], **weights)
        if isinstance(returned, np.ndarray) and returned.ndim == 0:
            returned = returned.item()
        if isinstance(returned, numbers.Real | np.bool_):
            return {"value": repr(float(returned))}  # as text: JSON has no infinity
        return {"error": f"it returned {type(returned).__name__}, not a number"}
    except BaseException as problem:
        return {"error": describe_exception(problem)}


def _answer(answers: IO[bytes], **content: Any) -> None:
    answers.write(json.dumps(content).encode() + b"\n")
    answers.flush()


if __name__ == "__main__":
    main()
