"""The child process that runs a function of pandas frames: `python -m ladderboard.scoring.frame_process`.

The first request has the organiser's source and the solution as CSV, which stays here as a frame. Each one after it
names rows of it and a submission, whose columns follow where they are new. An answer has a value or an error, and the
processor seconds. What the function prints is told to the organiser where it fails.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from typing import Any

import numpy as np
import numpy.typing as npt

from ladderboard.core.child_process.child import Requests, limit_memory, limit_process, limit_seconds
from ladderboard.scoring.file_process import measure_peak, read_number
from ladderboard.scoring.grader_process import Prints
from ladderboard.scoring.metric_process import describe_exception, load_function

VISIBLE = "ParticipantVisibleError"
LONGEST_VISIBLE = 1000
MADE_UP: dict[str, Any] = {"b": (False, True), "i": (0, 1), "u": (0, 1), "f": (0.0, 1.0)}
"""What stands in a column of a solution that nobody may know, by the kind of its values; elsewhere a text."""
Rows = npt.NDArray[np.intp]


def main() -> None:
    """Load the function, report whether that worked, and answer requests until the input ends."""
    requests = Requests()
    prints = Prints()
    setup = next(iter(requests), None)
    if setup is None:
        return
    content = requests.read(setup["bytes"])
    if not setup["is_sandboxed"]:
        limit_process()
        limit_memory(setup["memory_bytes"])
    sample = dict(_read_columns(requests, setup["sample"]))
    try:
        judge = Judge(setup, content, sample)
        requests.answer(loaded=True)
    except BaseException as problem:
        requests.answer(error=describe_exception(problem), printed=prints.collect())
        return
    for request in requests:
        asked = Asked.read(requests, request)
        start = time.process_time()
        limit_seconds(request["seconds"], of_computing=True)
        judge.keep(asked)
        answer = judge.refuse(asked) if asked.is_public else judge.score(asked)
        limit_seconds(0, of_computing=True)
        seconds = time.process_time() - start
        requests.answer(seconds=seconds, memory_mb=measure_peak(), printed=prints.collect(), **answer)


@dataclass(frozen=True)
class Asked:
    """A request: which rows of the solution, in the order of the submission's columns, and which of those are kept."""

    slot: int
    columns: Mapping[str, npt.NDArray[Any]] | None
    rows: Rows
    keep: Rows | None
    is_public: bool

    @classmethod
    def read(cls, requests: Requests, header: dict[str, Any]) -> "Asked":
        rows = np.frombuffer(requests.read(header["rows"]), dtype=np.intp)
        keep = None if header["keep"] is None else np.frombuffer(requests.read(header["keep"]), dtype=np.intp)
        columns = None if header["columns"] is None else dict(_read_columns(requests, header["columns"]))
        return cls(header["slot"], columns, rows, keep, header["is_public"])


def _read_columns(requests: Requests, described: list[dict[str, Any]]) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    for one in described:
        content = requests.read(one["bytes"])
        if one["dtype"] == "text":
            values = np.empty(one["rows"], dtype=object)
            values[:] = json.loads(content)
            yield one["name"], values
        else:
            yield one["name"], np.frombuffer(content, dtype=one["dtype"])


class Judge:
    """The function with the solution's frame, and the submissions that were sent last."""

    def __init__(self, setup: dict[str, Any], solution: bytes, sample: Mapping[str, npt.NDArray[Any]]) -> None:
        import pandas as pd

        from ladderboard.scoring import kaggle_utilities

        sys.modules["kaggle_metric_utilities"] = kaggle_utilities
        self._function: Callable[..., Any] = load_function(setup["source"], setup["file"], setup["function"])
        self._options, self._id, self._columns = setup["options"], setup["id"], setup["columns"]
        self._solution, self._sample = pd.read_csv(BytesIO(solution), float_precision="round_trip"), sample
        self._slots: dict[int, Mapping[str, npt.NDArray[Any]]] = {}

    def keep(self, asked: Asked) -> None:
        """Keep a submission that is new."""
        if asked.columns is not None:
            self._slots[asked.slot] = asked.columns

    def score(self, asked: Asked) -> dict[str, Any]:
        """The function's value on frames of its own, or how it failed."""
        return self._call(self._solution, self._slots[asked.slot], asked.rows, asked.keep)

    def refuse(self, asked: Asked) -> dict[str, Any]:
        """The text for participants that a submission meets at a solution which holds no label; empty: none.

        A text that the sample meets there too says nothing of the submission.
        """
        solution, usual = self._public
        found = self._call(solution, self._slots[asked.slot], asked.rows, asked.keep).get("visible")
        return {"visible": None if found == usual else found}

    @cached_property
    def _public(self) -> tuple[Any, str | None]:
        """A solution that anybody could write, with the text that the sample meets there."""
        rows = np.arange(len(self._solution))
        tried = []
        for labels in (self._sample, {}):
            solution = self._make_up(labels)
            found = self._call(solution, self._sample, rows, None)
            if "value" in found:
                return solution, None
            tried.append((solution, found.get("visible")))
        return tried[0]

    def _make_up(self, labels: Mapping[str, npt.NDArray[Any]]) -> Any:
        """The solution's frame with these labels, and with made-up values in its other columns."""
        made = self._solution.copy()
        for name in made.columns:
            if name != self._id:
                pattern = np.array(MADE_UP.get(made[name].dtype.kind, ("a", "b")))
                made[name] = labels[name] if name in labels else np.resize(pattern, len(made))
        return made

    def _call(
        self, source: Any, given: Mapping[str, npt.NDArray[Any]], rows: Rows, keep: Rows | None
    ) -> dict[str, Any]:
        try:
            solution, submission = self._take(source, given, rows, keep)
            # As text: JSON has no infinity.
            return {"value": repr(read_number(self._function(solution, submission, self._id, **self._options)))}
        except BaseException as problem:
            is_visible = any(one.__name__ == VISIBLE for one in type(problem).__mro__)
            text = str(problem)[:LONGEST_VISIBLE] if is_visible else None
            return {"error": describe_exception(problem), "visible": text}

    def _take(
        self, source: Any, given: Mapping[str, npt.NDArray[Any]], rows: Rows, keep: Rows | None
    ) -> tuple[Any, Any]:
        """The rows of both frames, in the order of the solution's file."""
        import pandas as pd

        places = rows if keep is None else rows[keep]
        order = np.argsort(places, kind="stable")
        chosen = order if keep is None else keep[order]
        solution = source.iloc[places[order]].reset_index(drop=True)
        columns = {
            name: solution[self._id].copy() if name == self._id else given[name][chosen] for name in self._columns
        }
        return solution, pd.DataFrame(columns)


if __name__ == "__main__":
    main()
