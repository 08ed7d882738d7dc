"""Steer by open tasks, certify by guarded ones: one verb, `Loop.propose`."""

import hashlib
import json
import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from ladderboard.core.errors import GuardFileError, ParameterError, PredictionsError
from ladderboard.core.records import FloatArray
from ladderboard.guard.file import IN_MEMORY, GuardFile
from ladderboard.guard.graded import pin_grader
from ladderboard.guard.holdout import Holdout
from ladderboard.guard.tasks import TaskList
from ladderboard.loop.file import (
    ProposalRow,
    create_tables,
    find_proposal,
    find_standing,
    insert_proposal,
    list_proposals,
    read_open,
)
from ladderboard.loop.split import split_tasks
from ladderboard.mechanisms import GATE_MECHANISM
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.metrics.mean_score import MeanScore
from ladderboard.scoring.grader import grade_outputs, read_grader

CONVINCED = 2.0
"""Standard errors above the last certified proposal on the open tasks, from which on the guard is asked."""

Run = Callable[[Any], Any] | Mapping[Any, Any]
RunAll = Callable[[list[Any]], Mapping[Any, Any]]


@dataclass(frozen=True)
class Proposal:
    """What the referee says of a candidate.

    ``decision``: kept (higher on the open tasks than what was kept before: go on from it), discarded, or undecided
    (less than one standard error behind; more runs could tell). ``certified``: proven better than the last certified
    one on the guarded tasks. ``board_value`` is the last certified number. ``needs_guarded``: the open tasks are
    convinced, but outputs of the guarded tasks are missing; propose again with them. ``open_scores``: each open task's
    mean over runs.
    """

    number: int
    decision: str
    certified: bool
    open_score: float
    board_value: float | None
    open_scores: dict[str, float]
    asked: bool
    needs_guarded: bool
    is_repeat: bool = False

    @property
    def kept(self) -> bool:
        return self.decision == "kept"


class Loop:
    """The referee of a system that improves itself.

    Parameters
    ----------
    tasks
        Objects with an ``id``, an ``input`` that whoever answers may see, perhaps a ``group``, and other fields for the
        grader alone; texts; a file of JSON lines; or a folder.
    grader
        A function of (item, output) that gives a score within ``bounds``, or a file that defines ``grade`` and runs in
        the sandbox.
    open_share
        The share of tasks that steer; the others certify.
    path
        The file of the loop; default: in memory.

    The first proposal is the reference. Proposals are counted in the file, whatever they are called; the same candidate
    again is answered from it and asks nothing. `kill -9` loses nothing: guarded scores are on disk before the guard is
    asked, and the guard counts them once.

    >>> tasks = [{"id": n, "input": n, "answer": n % 7} for n in range(200)]
    >>> loop = Loop(tasks, lambda item, output: output == item["answer"], seed=7)
    >>> loop.propose(lambda item: 0).decision
    'kept'
    >>> better = loop.propose(lambda item: item["input"] % 7)
    >>> better.kept, better.certified, better.open_score
    (True, True, 1.0)
    """

    def __init__(
        self,
        tasks: Any,
        grader: Any,
        *,
        open_share: float = 0.5,
        path: str | os.PathLike[str] | None = None,
        seed: int | None = None,
        bounds: tuple[float, float] = (0.0, 1.0),
    ) -> None:
        everything, self.grader = TaskList.read(tasks), read_grader(grader)
        file = None if path is None or str(path) == IN_MEMORY else Path(path)
        opened, guarded = _read_split(file, everything) or split_tasks(everything, open_share, seed)
        self._guard = Holdout.from_item_scores(
            list(guarded.ids),
            bounds=bounds,
            groups=None if guarded.groups is None else dict(zip(guarded.ids, guarded.groups, strict=True)),
            path=file or IN_MEMORY,
            mechanism=GATE_MECHANISM,
            seed=seed,
        )
        self.file = self._guard._guard
        try:
            pin_grader(self.file, self.grader, everything)
            create_tables(self.file, opened.ids)
            places = {one: place for place, one in enumerate(everything.ids)}
            chosen = set(read_open(self.file))  # another process may have made the file meanwhile
            self.open = everything.take(places[one] for one in everything.ids if one in chosen)
            self.guarded = everything.take(places[one] for one in everything.ids if one not in chosen)
            self._bounds, metric = bounds, MeanScore(bounds)
            groups = None if self.open.groups is None else list(self.open.groups)
            self._key = AnswerKey([0] * len(self.open), metric, group=groups)
            self._finish()
        except BaseException:
            self.close()
            raise

    def propose(self, run: Run, *, repeats: int = 4, name: str = "") -> Proposal:
        """Run a candidate on the open tasks, decide, and ask the guard where they are convinced.

        ``run``: a function of an item (its id and input) that gives an output, called ``repeats`` times for each task;
        or outputs by id, a list of them for several runs. Those of guarded tasks are taken when the guard is asked.
        """
        if isinstance(run, Mapping):
            given = {str(one): output for one, output in run.items()}
            return self.propose_runs(lambda tasks: _pick(given, tasks), name=name)
        if repeats < 1:
            raise ParameterError(f"{repeats} repeats; run each task at least once")
        return self.propose_runs(
            lambda tasks: {_id(one): [run(one) for _ in range(repeats)] for one in tasks}, name=name
        )

    def propose_runs(self, run_all: RunAll, *, candidate: str | None = None, name: str = "") -> Proposal:
        """As `propose`, for what answers all tasks at once; ``candidate`` tells which are the same, else outputs do."""
        key = None if candidate is None else _digest(candidate)
        found = None if key is None else self._find("candidate", key)
        if found is None:
            runs = self.open.arrange(run_all(self.open.show()))
            key = key or _digest(runs)
            found = self._find("candidate", key)
            if found is None:
                scores = [
                    float(np.mean(one)) for one in grade_outputs(self.grader, self.open.tasks, runs, self._bounds)
                ]
                return self._tell(self._answer(self._decide(key, name, np.asarray(scores)), run_all))
        if found.is_asked and found.certified is None:
            return self._tell(self._answer(found, run_all))
        return self._tell(found, is_repeat=True)

    def history(self) -> list[Proposal]:
        """All proposals in their order."""
        return [self._tell(row, is_repeat=True) for row in list_proposals(self.file)]

    @property
    def best(self) -> float | None:
        """The last certified number; None before the first certificate."""
        return self._guard.best

    def close(self) -> None:
        """Close the file."""
        self._guard.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _decide(self, candidate: str, name: str, scores: FloatArray) -> ProposalRow:
        """Compare with what stands now, and write the proposal down."""
        with self.file.transact() as transaction:
            known = find_proposal(transaction, "candidate", candidate)
            if known is not None:  # another process was first
                return known
            kept, certified = find_standing(transaction)
            decision, is_asked = "kept", True
            if kept is not None and certified is not None:
                decision = decide(*self._compare(kept, scores))
                is_asked = decision == "kept" and is_convinced(*self._compare(certified, scores))
            last = transaction.find_row("SELECT coalesce(max(number), 0) FROM proposals")
            assert last is not None
            told = json.dumps(scores.tolist())
            row = ProposalRow(last[0] + 1, candidate, name, told, float(scores.mean()), decision, int(is_asked))
            insert_proposal(transaction, row)
            if row.number == 1:
                transaction.write("UPDATE loop SET certified = ?", (1,))
        return row

    def _grade(self, tasks: TaskList, runs: list[list[Any]]) -> list[float]:
        return [float(np.mean(one)) for one in grade_outputs(self.grader, tasks.tasks, runs, self._bounds)]

    def _compare(self, other: ProposalRow, scores: FloatArray) -> tuple[float, float]:
        """The gain over another proposal on the open tasks, and its standard error, by group."""
        old, new = (self._key.evaluate(one).losses for one in (np.asarray(json.loads(other.scores)), scores))
        gains = old - new
        return float(gains.mean()), float(np.std(gains, ddof=1)) / math.sqrt(len(gains))

    def _answer(self, row: ProposalRow, run_all: RunAll) -> ProposalRow:
        """Have the guarded tasks answered and graded, write that down, and ask the guard."""
        if not row.is_asked or row.certified is not None:
            return row
        if row.guarded is None:
            try:
                runs = self.guarded.arrange(run_all(self.guarded.show()))
            except _MissingError:
                return row
            scores = self._grade(self.guarded, runs)
            with self.file.transact() as transaction:
                values = (json.dumps(scores), row.number)
                transaction.write("UPDATE proposals SET guarded = ? WHERE number = ? AND guarded IS NULL", values)
        return self._ask(row.number)

    def _ask(self, number: int) -> ProposalRow:
        """Ask the guard with the scores in the file; asked again it answers the same and counts nothing."""
        row = self._find("number", number)
        assert row is not None
        assert row.guarded is not None
        scores = dict(zip(self.guarded.ids, json.loads(row.guarded), strict=True))
        is_certified, value = False, self._guard.best
        if number == 1:
            self._guard.pin(scores)
        else:
            release = self._guard.score(scores)
            is_certified, value = bool(release.improved), release.board_value
        with self.file.transact() as transaction:
            values = (int(is_certified), value, number)
            transaction.write("UPDATE proposals SET certified = ?, board_value = ? WHERE number = ?", values)
            if is_certified:
                transaction.write("UPDATE loop SET certified = ?", (number,))
        answered = self._find("number", number)
        assert answered is not None
        return answered

    def _finish(self) -> None:
        """Ask what a process that was killed had graded and not asked."""
        for row in list_proposals(self.file):
            if row.guarded is not None and row.certified is None:
                self._ask(row.number)

    def _find(self, where: str, value: object) -> ProposalRow | None:
        with self.file.transact() as transaction:
            return find_proposal(transaction, where, value)

    def _tell(self, row: ProposalRow, *, is_repeat: bool = False) -> Proposal:
        return Proposal(
            row.number,
            row.decision,
            bool(row.certified),
            row.open_score,
            self._guard.best,
            dict(zip(self.open.ids, json.loads(row.scores), strict=True)),
            asked=bool(row.is_asked),
            needs_guarded=bool(row.is_asked) and row.certified is None,
            is_repeat=is_repeat,
        )


def decide(gain: float, error: float) -> str:
    """Decide by the open tasks alone.

    >>> decide(0.01, 0.02), decide(-0.01, 0.02), decide(-0.05, 0.02)
    ('kept', 'undecided', 'discarded')
    """
    if gain > 0:
        return "kept"
    return "undecided" if gain > -error or gain == 0 else "discarded"


def is_convinced(gain: float, error: float) -> bool:
    """Whether the guard is asked: asking costs level, and the open tasks are free.

    >>> is_convinced(0.05, 0.02), is_convinced(0.03, 0.02)
    (True, False)
    """
    return gain > 0 and gain >= CONVINCED * error


class _MissingError(PredictionsError):
    """Outputs for the guarded tasks were not given; the proposal waits for them."""


def _pick(given: Mapping[str, Any], tasks: list[Any]) -> dict[str, Any]:
    wanted = [_id(one) for one in tasks]
    if not any(one in given for one in wanted):
        raise _MissingError("there are no outputs for these tasks; give them by the tasks' ids")
    return {one: given[one] for one in wanted if one in given}


def _id(task: Any) -> str:
    return str(task["id"] if isinstance(task, Mapping) else task)


def _digest(value: Any) -> str:
    try:
        return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
    except (TypeError, ValueError):
        raise PredictionsError("outputs must be JSON values: texts, numbers, lists, objects") from None


def _read_split(path: Path | None, tasks: TaskList) -> tuple[TaskList, TaskList] | None:
    """The split that a loop's file has; None where there is no file."""
    if path is None or not path.exists():
        return None
    file = GuardFile.open(path)
    try:
        with file.transact() as transaction:
            if transaction.find_row("SELECT 1 FROM sqlite_master WHERE name = 'loop'") is None:
                raise GuardFileError(f"{path} is a guard without a loop; choose another path for the loop")
        opened = set(read_open(file))
    finally:
        file.close()
    open_places = [place for place, one in enumerate(tasks.ids) if one in opened]
    return tasks.take(open_places), tasks.take(p for p in range(len(tasks)) if p not in set(open_places))
