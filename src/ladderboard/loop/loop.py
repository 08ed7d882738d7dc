"""Steer by open tasks, certify by guarded ones: one verb, `Loop.propose`."""

import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ladderboard.core.errors import GradingError, GuardFileError, PredictionsError
from ladderboard.core.records import FloatArray
from ladderboard.guard.file import IN_MEMORY, GuardFile, publish
from ladderboard.guard.graded import pin_grader
from ladderboard.guard.holdout import Holdout
from ladderboard.guard.tasks import TaskList
from ladderboard.loop.file import (
    ProposalRow,
    create_tables,
    find_proposal,
    find_standing,
    insert_proposal,
    list_faults,
    list_proposals,
    read_grader_changes,
    read_open,
    rename_candidate,
    write_fault,
)
from ladderboard.loop.outputs import MissingOutputsError, Run, RunAll, digest, refuse_unknown, run_often
from ladderboard.loop.proposal import Proposal, compare, decide, is_convinced
from ladderboard.loop.report import LoopReport, make_report
from ladderboard.loop.split import split_tasks
from ladderboard.mechanisms import GATE_MECHANISM
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.metrics.mean_score import MeanScore
from ladderboard.scoring.grader import Grader, grade_outputs, read_grader

if TYPE_CHECKING:
    from ladderboard.loop.rehearsal import LoopRehearsal

FAILED = (
    "the grader failed on guarded tasks, so that the guard was not asked about proposal {number}; its owner can read "
    "why: loop.faults(), in a shell `ladderboard loop status --faults`; propose the same again once it is mended"
)

UNANSWERED = (
    "proposal 1, the reference, has no answer of the guarded tasks yet, so that nothing can be compared with it; "
    "propose it again with the outputs of all tasks, or wait for the process that runs it. Nothing was recorded"
)


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
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._now = now
        everything, self.grader = TaskList.read(tasks), read_grader(grader)
        self._bounds = bounds
        file = None if path is None or str(path) == IN_MEMORY else Path(path)
        if file is None or file.exists():
            self._open(everything, file, open_share, seed)
            return
        with suppress(FileExistsError), publish(file) as draft:  # where another process was first, theirs is opened
            self._open(everything, draft, open_share, seed)
            self.close()
        self._open(everything, file, open_share, seed)

    def _open(self, everything: TaskList, file: Path | None, open_share: float, seed: int | None) -> None:
        """Open the file, or make it; the split is that of the file."""
        opened, guarded = _read_split(file, everything, self.grader) or split_tasks(everything, open_share, seed)
        self._guard = Holdout.from_item_scores(
            list(guarded.ids),
            bounds=self._bounds,
            groups=None if guarded.groups is None else dict(zip(guarded.ids, guarded.groups, strict=True)),
            path=file or IN_MEMORY,
            mechanism=GATE_MECHANISM,
            seed=seed,
        )
        self.file = self._guard._guard
        try:
            pin_grader(self.file, self.grader, everything)
            create_tables(self.file, opened.ids)
            self.open, self.guarded = opened, guarded
            groups = None if opened.groups is None else list(opened.groups)
            self._key = AnswerKey([0] * len(opened), MeanScore(self._bounds), group=groups)
            self._finish()
        except BaseException:
            self.close()
            raise

    def propose(self, run: Run, *, repeats: int = 4, name: str = "") -> Proposal:
        """Run a candidate on the open tasks, decide, and ask the guard where they are convinced.

        ``run``: a function of an item (its id and input) that gives an output, called ``repeats`` times for each task;
        or outputs by id, a list of them for several runs. Those of guarded tasks are taken when the guard is asked.
        """
        whole = None
        if isinstance(run, Mapping):
            given = {str(one): output for one, output in run.items()}
            refuse_unknown(given, {*self.open.ids, *self.guarded.ids})
            whole = digest(given) if set(self.guarded.ids) <= set(given) else None
        return self.propose_runs(run_often(run, repeats), candidate=whole, name=name)

    def propose_runs(self, run_all: RunAll, *, candidate: str | None = None, name: str = "") -> Proposal:
        """As `propose`, for what answers all tasks at once; ``candidate`` tells which are the same, else outputs do."""
        key = None if candidate is None else digest(candidate)
        found = None if key is None else self._find("candidate", key)
        if found is None:
            runs = self.open.arrange(run_all(self.open.show()))
            outputs = digest(runs)
            found = self._find_same(outputs, key)
            if found is None:
                scores, changes = self._grade_open(runs)
                row = self._decide(key or outputs, outputs, name, scores, changes)
                return self._tell(self._answer(row, run_all))
        if found.is_asked and found.certified is None:
            return self._tell(self._answer(found, run_all))
        return self._tell(found, is_repeat=True)

    def history(self) -> list[Proposal]:
        """All proposals in their order, each with the number that was certified when it was answered."""
        told, value = [], None
        for row in list_proposals(self.file):
            value = row.board_value if row.certified else value
            told.append(replace(self._tell(row, is_repeat=True), board_value=value))
        return told

    def faults(self) -> list[tuple[int, str]]:
        """How the grader failed on guarded tasks: for its owner, never for whoever proposes."""
        return list_faults(self.file)

    @property
    def best(self) -> float | None:
        """The last certified number; None before the first certificate."""
        return self._guard.best

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the last certified number."""
        return next((one.interval for one in reversed(self._guard.history()) if one.improved), None)

    @staticmethod
    def rehearse(tasks: Any, grader: Any, run: Run, *, repeats: int = 4, **options: Any) -> "LoopRehearsal":
        """Before a loop: how often copies of the system in use are kept and certified, and what the tasks can prove.

        ``run``: the system in use, as in `propose`. ``options`` are those of `rehearse_loop`: ``gain``, ``power``,
        ``open_share``, ``bounds``, ``copies``, ``series``, ``seed``. Nothing is recorded.
        """
        from ladderboard.loop.rehearsal import rehearse_loop

        return rehearse_loop(tasks, grader, run_often(run, repeats), repeats=repeats, **options)

    def report(self, truth: Mapping[int, float] | None = None) -> LoopReport:
        """The state as a page, a picture or a comment; ``truth``: true scores by proposal, where they are known."""
        return make_report(self, truth)

    def _repr_html_(self) -> str:
        return self.report()._repr_html_()

    @property
    def grader_changes(self) -> float | None:
        """The share of the reference's outputs that got another score when they were graded again; None before it.

        Above 0 the grader is not deterministic: its noise is in every score and every error.
        """
        return read_grader_changes(self.file)

    def close(self) -> None:
        """Close the file."""
        self._guard.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _grade_open(self, runs: list[list[Any]]) -> tuple[FloatArray, float | None]:
        """The scores of the open tasks; those of the reference twice, which shows whether the grader repeats itself."""
        first = grade_outputs(self.grader, self.open.tasks, runs, self._bounds)
        changes = None
        if not list_proposals(self.file):
            again = grade_outputs(self.grader, self.open.tasks, runs, self._bounds)
            changes = float(np.mean(np.concatenate(first) != np.concatenate(again)))
        return np.asarray([float(np.mean(one)) for one in first]), changes

    def _decide(
        self, candidate: str, outputs: str, name: str, scores: FloatArray, changes: float | None
    ) -> ProposalRow:
        """Compare with what stands now, and write the proposal down."""
        with self.file.transact() as transaction:
            known = find_proposal(transaction, "candidate", candidate)
            if known is not None:  # another process was first
                return known
            kept, certified = find_standing(transaction)
            if certified is not None and certified.certified is None:
                raise PredictionsError(UNANSWERED)
            decision, is_asked = "kept", True
            gain, lead = (None if one is None else self._compare(one, scores) for one in (kept, certified))
            if gain is not None and lead is not None:
                decision = decide(*gain)
                is_asked = decision == "kept" and is_convinced(*lead)
            last = transaction.find_row("SELECT coalesce(max(number), 0) FROM proposals")
            assert last is not None
            row = ProposalRow(
                last[0] + 1,
                candidate,
                outputs,
                name,
                self._now().isoformat(timespec="seconds"),
                json.dumps(scores.tolist()),
                float(scores.mean()),
                decision,
                None if gain is None else gain[0],
                None if gain is None else gain[1],
                None if lead is None else lead[0],
                None if lead is None else lead[1],
                int(is_asked),
            )
            insert_proposal(transaction, row)
            if row.number == 1:
                transaction.write("UPDATE loop SET certified = 1, grader_changes = ?", (changes,))
        return row

    def _compare(self, other: ProposalRow, scores: FloatArray) -> tuple[float, float]:
        """The gain over another proposal on the open tasks, and its standard error, by group."""
        return compare(self._key, np.asarray(json.loads(other.scores)), scores)

    def _answer(self, row: ProposalRow, run_all: RunAll) -> ProposalRow:
        """Have the guarded tasks answered and graded, write that down, and ask the guard."""
        if not row.is_asked or row.certified is not None:
            return row
        if row.guarded is None:
            try:
                runs = self.guarded.arrange(run_all(self.guarded.show()))
                graded = grade_outputs(self.grader, self.guarded.tasks, runs, self._bounds)
            except MissingOutputsError:
                return row
            except GradingError as problem:  # whoever proposes may read an error, and it would tell of guarded tasks
                write_fault(self.file, row.number, problem.report)
                raise GradingError(FAILED.format(number=row.number)) from None
            scores = [float(np.mean(one)) for one in graded]
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

    def _find_same(self, outputs: str, key: str | None) -> ProposalRow | None:
        """Find the proposal with these outputs of the open tasks, where nothing else tells candidates apart.

        One that was proposed with them alone, and waits for those of the guarded tasks, becomes the one that has both.
        """
        if key is None:
            return self._find("outputs", outputs)
        waiting = self._find("candidate", outputs)
        if waiting is None or not waiting.is_asked or waiting.certified is not None:
            return None
        rename_candidate(self.file, waiting.number, key)
        return waiting

    def _find(self, where: str, value: object) -> ProposalRow | None:
        with self.file.transact() as transaction:
            return find_proposal(transaction, where, value)

    def _tell(self, row: ProposalRow, *, is_repeat: bool = False) -> Proposal:
        return Proposal(
            row.number,
            row.name,
            datetime.fromisoformat(row.proposed_at),
            row.decision,
            bool(row.certified),
            row.open_score,
            self._guard.best,
            dict(zip(self.open.ids, json.loads(row.scores), strict=True)),
            row.gain,
            row.gain_error,
            row.lead,
            row.lead_error,
            asked=bool(row.is_asked),
            needs_guarded=bool(row.is_asked) and row.certified is None,
            is_repeat=is_repeat,
        )


def _read_split(path: Path | None, tasks: TaskList, grader: Grader) -> tuple[TaskList, TaskList] | None:
    """The split that a loop's file has; None where there is no file."""
    if path is None or not path.exists():
        return None
    file = GuardFile.open(path)
    try:
        with file.transact() as transaction:
            if transaction.find_row("SELECT 1 FROM sqlite_master WHERE name = 'loop'") is None:
                raise GuardFileError(f"{path} is a guard without a loop; choose another path for the loop")
        pin_grader(file, grader, tasks)  # other tasks are refused before their split is asked for
        opened = set(read_open(file))
    finally:
        file.close()
    sides = ([p for p, one in enumerate(tasks.ids) if (one in opened) is is_open] for is_open in (True, False))
    steer, certify = (tasks.take(places) for places in sides)
    return steer, certify
