"""The child process that runs a custom metric: `python -m ladderboard.scoring.metric_process`.

The first request is the metric's source; each one after it names arrays, whose bytes follow where they are new. Arrays
that come again (the labels) stay here in numbered slots. An answer has a value or an error, and the processor seconds.
What the metric prints goes nowhere: it could quote labels.
"""

import numbers
import sys
import time
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ladderboard.core.child_process.child import Requests, limit_memory, limit_process, limit_seconds

LONGEST_ERROR = 300


def main() -> None:
    """Load the metric, report whether that worked, and answer requests until the input ends."""
    requests = Requests()
    limit_process()
    setup = next(iter(requests), None)
    if setup is None:
        return
    limit_memory(setup["memory_bytes"])
    try:
        function = load_function(setup["source"], setup["file"], setup["function"])
        requests.answer(takes_weights=_takes_weights(function))
    except BaseException as problem:
        requests.answer(error=describe_exception(problem))
        return
    slots: dict[int, npt.NDArray[Any]] = {}
    for request in requests:
        arrays = [_array(requests, reference, slots) for reference in request["arrays"]]
        start = time.process_time()
        limit_seconds(request["seconds"], of_computing=True)
        limit_seconds(request["patience"])
        try:
            answer = _call_metric(function, arrays)
        finally:
            limit_seconds(0, of_computing=True)
            limit_seconds(0)
        requests.answer(seconds=time.process_time() - start, **answer)


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


def _takes_weights(function: Callable[..., Any]) -> bool:
    from ladderboard.metrics.custom.options import takes_weights

    return takes_weights(function)


def _array(requests: Requests, reference: dict[str, Any], slots: dict[int, npt.NDArray[Any]]) -> npt.NDArray[Any]:
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


if __name__ == "__main__":
    main()
