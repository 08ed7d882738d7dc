"""A holdout that grades outputs itself: tasks, a grader that is pinned in the guard's file, and outputs by id."""

import hmac
import json
from collections.abc import Collection
from typing import Any

import numpy as np

from ladderboard.core.errors import GuardFileError, PredictionsError
from ladderboard.core.records import Release
from ladderboard.guard.file import GuardFile
from ladderboard.guard.holdout import Holdout
from ladderboard.guard.tasks import TaskList
from ladderboard.metrics.mean_score import MeanScore
from ladderboard.scoring.grader import Grader, grade_outputs, read_grader


class GradingHoldout(Holdout):
    """A holdout made by `Holdout.from_grader`: `score` and `pin` take the outputs of a system, by task.

    The grader and the tasks are pinned when the guard is made. The same outputs again are answered from the file,
    without grading. Where the grader fails on an output, nothing is charged, and `GradingError` says no more than that;
    its ``report`` is for whoever owns the grader.
    """

    tasks: TaskList
    grader: Grader

    def use_grader(self, tasks: TaskList, grader: Grader) -> None:
        """Take tasks and a grader, which are pinned now, or must be the pinned ones."""
        by_id = {one: place for place, one in enumerate(tasks.ids)}
        self.tasks, self.grader = tasks.take(by_id[one] for one in map(str, self._order.ids or ())), grader
        pin_grader(self._guard, grader, tasks)

    def score(
        self,
        predictions: Any,
        *,
        ids: Collection[Any] | None = None,
        training_score: float | None = None,
        client: str | None = None,
    ) -> Release:
        """Grade the outputs and score them; every new set of outputs is an attempt.

        Outputs are a mapping from ids, or a list beside ``ids``; a list of several outputs for a task counts as runs.
        """
        graded = self._grade(predictions, ids)
        return super().score(graded, training_score=training_score, client=client)

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a holdout that grades cannot be sent to another process; make it there, with the same path")

    def _read(self, predictions: Any, ids: Collection[Any] | None) -> Any:
        if isinstance(predictions, _Graded):
            return super()._read(dict(predictions), None)
        return super()._read(dict(self._grade(predictions, ids)), None)

    def _grade(self, outputs: Any, ids: Collection[Any] | None) -> "_Graded":
        runs = self.tasks.arrange(outputs, None if ids is None else list(ids))
        name = hmac.digest(self._guard.settings.secret, _encode(runs), "sha256")
        with self._guard.transact() as transaction:
            known = transaction.find_row("SELECT scores FROM graded WHERE outputs = ?", (name,))
        if known is None:
            assert isinstance(self.metric, MeanScore)
            bounds = (self.metric.low, self.metric.high)
            means = [float(np.mean(one)) for one in grade_outputs(self.grader, self.tasks.tasks, runs, bounds)]
            with self._guard.transact() as transaction:  # another process may have graded the same meanwhile
                transaction.write("INSERT OR IGNORE INTO graded VALUES (?, ?)", (name, json.dumps(means)))
                known = transaction.find_row("SELECT scores FROM graded WHERE outputs = ?", (name,))
        assert known is not None
        return _Graded(zip(self.tasks.ids, json.loads(known[0]), strict=True))


class _Graded(dict[str, float]):
    """Scores that our own grader gave."""


def pin_grader(guard: GuardFile, grader: Grader, tasks: TaskList) -> None:
    """Write down which grader and tasks a guard has; refuse other ones later, and a grader that cannot be loaded."""
    query = "SELECT grader, tasks FROM grader"
    with guard.transact() as transaction:
        is_new = transaction.find_row(query) is None
    if is_new:
        grader.grade([])  # mended later it would be another one, and refused
    with guard.transact() as transaction:
        pinned = transaction.find_row(query)
        if pinned is None:
            if transaction.state.attempts > 0:
                raise GuardFileError(f"{guard.path} takes scores that were given outside; choose another path")
            transaction.write("INSERT INTO grader VALUES (1, ?, ?)", (grader.digest, tasks.digest()))
            return
    for now, then, what in ((grader.digest, pinned[0], "grader"), (tasks.digest(), pinned[1], "tasks")):
        if now != then:
            raise GuardFileError(
                f"the {what} changed since {guard.path} was made, so that scores would not compare; put the former "
                "back, or choose another path for a new holdout"
            )


def make_grading(items: Any, grader: Any, **made_with: Any) -> GradingHoldout:
    """Make or open a guard that grades; see `Holdout.from_grader`."""
    tasks, read = TaskList.read(items), read_grader(grader)
    groups = None if tasks.groups is None else dict(zip(tasks.ids, tasks.groups, strict=True))
    holdout = GradingHoldout.from_item_scores(list(tasks.ids), groups=groups, **made_with)
    try:
        holdout.use_grader(tasks, read)
    except BaseException:
        holdout.close()
        raise
    return holdout


def _encode(runs: Any) -> bytes:
    try:
        return json.dumps(runs, sort_keys=True).encode()
    except (TypeError, ValueError):
        raise PredictionsError("outputs must be JSON values: texts, numbers, lists, objects") from None
