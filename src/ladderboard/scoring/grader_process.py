"""The process in the sandbox that grades: `python -m ladderboard.scoring.grader_process`.

The first request is the grader's source; each one after it has pairs of a task and an output as JSON. An answer has a
score or what went wrong for each of them, and the first of what the grader printed, for its owner alone.
"""

import json
import math
import numbers
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

from ladderboard.core.child_process.child import Requests
from ladderboard.scoring.metric_process import describe_exception, load_function

KEPT_BYTES = 10_000
"""Of what a grader prints."""


def main() -> None:
    """Load the grader, report whether that worked, and answer requests until the input ends."""
    requests = Requests()
    prints = Prints()
    setup = next(iter(requests), None)
    if setup is None:
        return
    try:
        grade = load_function(setup["source"], setup["file"], "grade")
        requests.answer(loaded=True)
    except BaseException as problem:
        requests.answer(error=describe_exception(problem))
        return
    for request in requests:
        pairs = json.loads(requests.read(request["bytes"]))
        found = [grade_pair(grade, item, output) for item, output in pairs]
        printed = prints.collect()
        requests.send(json.dumps(found).encode())
        requests.answer(printed=printed)


def grade_pair(grade: Callable[[Any, Any], Any], item: Any, output: Any) -> float | str:
    """The score of an output, or what went wrong, as a text."""
    try:
        score = grade(item, output)
    except Exception as problem:
        return describe_exception(problem)
    if not isinstance(score, bool | numbers.Real) and not hasattr(score, "__float__"):
        return f"it returned {type(score).__name__}, not a number"
    number = float(score)
    return number if math.isfinite(number) else f"it returned {number}"


class Prints:
    """The first of what is printed; a flood fills neither the pipe nor memory."""

    def __init__(self) -> None:
        self._kept, self._all, self._mark = bytearray(), threading.Event(), os.urandom(16).hex().encode()
        reads, self._writes = os.pipe()
        for standard in (1, 2):
            os.dup2(self._writes, standard)
        threading.Thread(target=self._read, args=(reads,), daemon=True).start()

    def collect(self) -> str:
        """All that was kept since the last time, after all that was printed has been read."""
        sys.stdout.flush()
        sys.stderr.flush()
        os.write(self._writes, self._mark)
        self._all.wait()
        printed = self._kept.partition(self._mark)[0].decode(errors="replace")
        self._kept.clear()
        self._all.clear()
        return printed

    def _read(self, reads: int) -> None:
        end = b""
        while piece := os.read(reads, 1 << 16):
            self._kept.extend(piece[: max(0, KEPT_BYTES - len(self._kept))])
            end = (end + piece)[-len(self._mark) :]
            if end == self._mark:
                self._all.set()


if __name__ == "__main__":
    main()
