"""The process that scores one submitted file: `python -m ladderboard.scoring.file_process`.

The first request has the organiser's source; it is loaded before a submission is there, so that the next one need not
wait. The second names the files, and is answered with what the scorer made of them, the first of what it printed, and
what it took. Then the process ends: nothing of one submission is there for the next.
"""

import json
import numbers
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from ladderboard.core.child_process.child import Requests, limit_memory, limit_process, limit_seconds
from ladderboard.scoring.grader_process import Prints
from ladderboard.scoring.metric_process import describe_exception, load_function


def main() -> None:
    """Load the scorer, report whether that worked, and answer one request."""
    requests = Requests()
    prints = Prints()
    setup = next(iter(requests), None)
    if setup is None:
        return
    if not setup["is_sandboxed"]:
        limit_process()
        limit_memory(setup["memory_bytes"])
    sys.path[:0] = setup["path"]
    try:
        score = load_function(setup["source"], setup["file"], setup["function"])
        requests.answer(loaded=True)
    except BaseException as problem:
        requests.answer(error=describe_exception(problem), printed=prints.collect())
        return
    request = next(iter(requests), None)
    if request is None:
        return
    start = time.process_time()
    limit_seconds(request["seconds"], of_computing=True)
    try:
        found = CALLS[setup["kind"]](score, request)
    except BaseException as problem:
        traceback.print_exc()
        found = {"error": describe_exception(problem)}
    limit_seconds(0, of_computing=True)
    requests.send(json.dumps(found).encode())
    requests.answer(seconds=time.process_time() - start, memory_mb=measure_peak(), printed=prints.collect())


def call_score_items(score: Callable[..., Any], request: Mapping[str, Any]) -> dict[str, Any]:
    """The values that ``score_items(submission, solution)`` yields for each item."""
    returned = score(Path(request["submission"]), Path(request["solution"]))
    if isinstance(returned, Mapping):
        returned = returned.items()
    if not isinstance(returned, Iterable):
        return {"error": f"it returned {type(returned).__name__}; yield (item, value) for each item"}
    return {"items": [[str(plain(item)), read_value(value)] for item, value in returned]}


def read_value(value: Any) -> Any:
    """A value of an item as JSON: a number, or named numbers."""
    if isinstance(value, Mapping):
        return {str(name): read_number(one) for name, one in value.items()}
    return read_number(value)


def read_number(value: Any) -> float:
    """A number of any kind as a float; raises `TypeError` for what is none."""
    if isinstance(value, bool | numbers.Real) or (hasattr(value, "__float__") and not isinstance(value, str)):
        return float(value)
    raise TypeError(f"a value is {type(value).__name__}, not a number")


def plain(item: Any) -> Any:
    """A name of an item without NumPy's types around it."""
    return item.item() if hasattr(item, "item") and callable(item.item) else item


CALLS: dict[str, Callable[[Callable[..., Any], Mapping[str, Any]], dict[str, Any]]] = {
    "score_items": call_score_items,
}
"""What a scorer is called with, and what is taken from what it returns, by its kind."""


def measure_peak() -> float:
    """The most memory that this process had, in MB; 0 where the system does not tell."""
    if sys.platform == "win32":
        return 0.0
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 10 if sys.platform != "darwin" else 1 << 20)


if __name__ == "__main__":
    main()
