"""The contents of a report: every analysis of one set of results, computed once."""

from dataclasses import dataclass, replace
from typing import overload

import numpy as np

from ladderboard.analysis.data_check import check_data
from ladderboard.analysis.records_audit import RecordsAudit, audit_records
from ladderboard.analysis.report.battles import BattlesReport, make_battles_report
from ladderboard.core.errors import InputError
from ladderboard.evals import Battles, LossMatrix, Repeats
from ladderboard.inference.rank_ranges import RankRange, rank_ranges
from ladderboard.inference.tasks.ranking import TaskRanking, compare_aggregates
from ladderboard.inference.winner import WinnerEstimate, winner_estimate


@dataclass(frozen=True)
class TaskReport:
    """The board of one task."""

    task: str
    items: int
    ranges: tuple[RankRange, ...]
    """The best first."""


@dataclass(frozen=True, eq=False)
class ResultsReport:
    """The analyses of one set of results."""

    results: LossMatrix
    findings: tuple[str, ...]
    """Of the data check."""
    ranges: tuple[RankRange, ...]
    """The best first."""
    winner: WinnerEstimate
    records: RecordsAudit | None
    """None: no dates are known."""
    tasks: tuple[TaskReport, ...]
    """Empty: there is one task."""
    aggregates: tuple[TaskRanking, ...]
    """The ranking by every way to add tasks up; empty where there is one task."""
    confidence: float

    @property
    def units(self) -> int:
        """How many items there are."""
        return len(self.results.items)

    def find_range(self, system: str) -> RankRange:
        """The range of one system."""
        for one in self.ranges:
            if one.system == system:
                return one
        raise InputError(f"no system is called {system!r}; there are {', '.join(one.system for one in self.ranges)}")


@overload
def make_report(results: LossMatrix, *, confidence: float = 0.95, seed: int = 0) -> ResultsReport: ...
@overload
def make_report(results: Battles, *, confidence: float = 0.95, seed: int = 0) -> BattlesReport: ...


def make_report(
    results: LossMatrix | Battles, *, confidence: float = 0.95, seed: int = 0
) -> ResultsReport | BattlesReport:
    """Every analysis of the results of at least two systems, or of their battles.

    >>> rng = np.random.default_rng(1)
    >>> results = LossMatrix.of(rng.random((400, 3)) < [0.10, 0.28, 0.31])
    >>> report = make_report(results)
    >>> [(one.system, one.best, one.worst) for one in report.ranges]
    [('system 1', 1, 1), ('system 2', 2, 3), ('system 3', 2, 3)]
    """
    if isinstance(results, Battles):
        return make_battles_report(results, confidence=confidence, seed=seed)
    if len(results.systems) < 2:
        raise InputError(f"there is one system, {results.systems[0]}; a report compares at least two")
    return ResultsReport(
        results=results,
        findings=tuple(check_data(results)),
        ranges=_rank(results, confidence, seed),
        winner=winner_estimate(results, confidence, seed=seed),
        records=None if results.dates is None else audit_records(results, ladders=()),
        tasks=_report_tasks(results, confidence, seed),
        aggregates=() if _has_one_task(results) else compare_aggregates(results, confidence=confidence, seed=seed),
        confidence=confidence,
    )


def _rank(results: LossMatrix, confidence: float, seed: int) -> tuple[RankRange, ...]:
    ranges = rank_ranges(results, confidence, seed=seed)
    return tuple(sorted(ranges, key=lambda one: (one.rank, one.best, one.worst)))


def _has_one_task(results: LossMatrix) -> bool:
    return results.tasks is None or len(set(results.tasks)) == 1


def _report_tasks(results: LossMatrix, confidence: float, seed: int) -> tuple[TaskReport, ...]:
    if results.tasks is None or _has_one_task(results):
        return ()
    reports = []
    for task in dict.fromkeys(results.tasks):
        rows = np.flatnonzero(np.array(results.tasks) == task)
        ranges = _rank(_take_items(results, rows), confidence, seed) if len(rows) > 1 else ()
        reports.append(TaskReport(task, len(rows), ranges))
    return tuple(reports)


def _take_items(results: LossMatrix, rows: np.ndarray[tuple[int], np.dtype[np.intp]]) -> LossMatrix:
    """The results on some items alone."""
    repeats = results.repeats
    return replace(
        results,
        losses=results.losses[rows],
        items=tuple(results.items[row] for row in rows),
        groups=None if results.groups is None else tuple(results.groups[row] for row in rows),
        tasks=None,
        repeats=None if repeats is None else Repeats(repeats.counts[rows], repeats.variances[rows]),
    )
