"""Outputs that a proposer gives by id: which are taken, which are missing, and which belong to no task."""

import hashlib
import json
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any

from ladderboard.core.errors import ParameterError, PredictionsError
from ladderboard.guard.alignment import refuse_named

Run = Callable[[Any], Any] | Mapping[Any, Any]
"""A candidate: a function of an item, or outputs by id."""
RunAll = Callable[[list[Any]], Mapping[Any, Any]]
"""What answers all tasks at once: lists of outputs, one for each run, by id."""


class MissingOutputsError(PredictionsError):
    """Outputs for the guarded tasks were not given; the proposal waits for them."""


def pick_outputs(given: Mapping[str, Any], tasks: list[Any]) -> dict[str, Any]:
    """Take the outputs of these tasks; those of the loop's other tasks may stand beside them."""
    wanted = [read_id(one) for one in tasks]
    if not any(one in given for one in wanted):
        raise MissingOutputsError("there are no outputs for these tasks; give them by the tasks' ids")
    return {one: given[one] for one in wanted if one in given}


def run_often(run: Run, repeats: int) -> RunAll:
    """What answers all tasks at once: outputs that were given, or a function called so often for each task."""
    if isinstance(run, Mapping):
        return partial(pick_outputs, {str(one): output for one, output in run.items()})
    if repeats < 1:
        raise ParameterError(f"{repeats} repeats; run each task at least once")
    return lambda tasks: {read_id(one): [run(one) for _ in range(repeats)] for one in tasks}


def refuse_unknown(given: Collection[str], known: Collection[str]) -> None:
    """Refuse outputs of no task of the loop: a misspelt id would be a missing output somewhere else."""
    refuse_named([one for one in given if one not in known], "outputs of unknown", PredictionsError)


def read_id(task: Any) -> str:
    """The id of a task."""
    return str(task["id"] if isinstance(task, Mapping) else task)


def digest(value: Any) -> str:
    """A hash of outputs, or of what makes two candidates the same."""
    try:
        return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
    except (TypeError, ValueError):
        raise PredictionsError("outputs must be JSON values: texts, numbers, lists, objects") from None
