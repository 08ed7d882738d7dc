"""The contents of a report: every analysis of one set of results, computed once."""

from dataclasses import dataclass
from typing import overload

import numpy as np

from ladderboard.analysis.data_check import check_data
from ladderboard.analysis.records_audit import RecordsAudit, audit_records
from ladderboard.analysis.report.battles import BattlesReport, make_battles_report
from ladderboard.analysis.report.difficulty import Difficulty, measure_difficulty
from ladderboard.analysis.report.provenance import Provenance
from ladderboard.analysis.report.rows import Row
from ladderboard.core.errors import InputError
from ladderboard.evals import Battles, LossMatrix
from ladderboard.inference.contrasts import REPLICATES, draw_contrasts, make_generator
from ladderboard.inference.covariance import paired_means
from ladderboard.inference.measure import Measure
from ladderboard.inference.rank_ranges import RankRange, certainly_worse, find_ranges, rank_ranges
from ladderboard.inference.score_intervals import score_intervals
from ladderboard.inference.tasks.ranking import TaskRanking, compare_aggregates
from ladderboard.inference.winner import WinnerEstimate, winner_estimate

TASK_REPLICATES = 2_000
"""For each of many tasks: a 95 % limit is met within ± 1 point (two standard errors)."""


@dataclass(frozen=True)
class TaskReport:
    """The board of one task."""

    task: str
    items: int
    ranges: tuple[RankRange, ...]
    """The best first."""
    intervals: tuple[tuple[float, float], ...]
    """Of the systems' scores, in the same order."""


@dataclass(frozen=True, eq=False)
class ResultsReport:
    """The analyses of one set of results."""

    results: LossMatrix
    findings: tuple[str, ...]
    """Of the data check."""
    rows: tuple[Row, ...]
    """The table: the best first."""
    difficulty: Difficulty
    winner: WinnerEstimate
    records: RecordsAudit | None
    """None: there are no dates, or all are of one day."""
    tasks: tuple[TaskReport, ...]
    """Empty: there is one task."""
    aggregates: tuple[TaskRanking, ...]
    """The ranking by every way to add tasks up; empty where there is one task."""
    confidence: float
    provenance: Provenance

    @property
    def ranges(self) -> tuple[RankRange, ...]:
        """The best first."""
        return tuple(row.range for row in self.rows)

    @property
    def measure(self) -> Measure:
        return self.results.measure

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
def make_report(
    results: LossMatrix, *, confidence: float = 0.95, seed: int = 0, provenance: Provenance | None = None
) -> ResultsReport: ...
@overload
def make_report(
    results: Battles, *, confidence: float = 0.95, seed: int = 0, provenance: Provenance | None = None
) -> BattlesReport: ...


def make_report(
    results: LossMatrix | Battles, *, confidence: float = 0.95, seed: int = 0, provenance: Provenance | None = None
) -> ResultsReport | BattlesReport:
    """Every analysis of the results of at least two systems, or of their battles.

    >>> rng = np.random.default_rng(1)
    >>> results = LossMatrix.of(rng.random((400, 3)) < [0.10, 0.28, 0.31])
    >>> report = make_report(results)
    >>> [(one.system, one.best, one.worst) for one in report.ranges]
    [('system 1', 1, 1), ('system 2', 2, 3), ('system 3', 2, 3)]
    """
    made = provenance or Provenance(seed=seed)
    if isinstance(results, Battles):
        return make_battles_report(results, confidence=confidence, seed=seed, provenance=made)
    if len(results.systems) < 2:
        raise InputError(f"there is one system, {results.systems[0]}; a report compares at least two")
    rows, difficulty = _compare_all(results, confidence, seed)
    return ResultsReport(
        results=results,
        findings=tuple(check_data(results)),
        rows=rows,
        difficulty=difficulty,
        winner=winner_estimate(results, confidence, seed=seed),
        records=audit_records(results, ladders=()) if _spans_days(results) else None,
        tasks=_report_tasks(results, confidence, seed),
        aggregates=()
        if _has_one_task(results) or results.conditions
        else compare_aggregates(results, confidence=confidence, seed=seed),
        confidence=confidence,
        provenance=made,
    )


def _compare_all(results: LossMatrix, confidence: float, seed: int) -> tuple[tuple[Row, ...], Difficulty]:
    """`rank_ranges` and what else follows from the same comparison of all pairs."""
    paired = paired_means(results)
    contrasts = draw_contrasts(paired, replicates=REPLICATES, rng=make_generator(seed))
    worse = certainly_worse(paired, contrasts, confidence=confidence)
    ranges, intervals = find_ranges(paired, worse), score_intervals(results, confidence)
    score, more = results.measure.score, _list_differences(results)
    rows = []
    for column in sorted(range(len(ranges)), key=lambda j: (ranges[j].rank, ranges[j].best, ranges[j].worst)):
        low, high = sorted(score(end) for end in intervals[column])
        rows.append(Row(ranges[column], score(ranges[column].score), (low, high), more[column]))
    return tuple(rows), measure_difficulty(results, paired, worse, confidence)


def _list_differences(results: LossMatrix) -> list[dict[str, str]]:
    """What the table says beside the scores: runs of each item where they are not the same for all, and costs."""
    more: list[dict[str, str]] = [{} for _ in results.systems]
    if results.repeats is not None:
        counts = [(int(one.min()), int(one.max())) for one in results.repeats.counts.T]
        if len(set(counts)) > 1:
            for cells, (low, high) in zip(more, counts, strict=True):
                cells["runs"] = f"{low}" if low == high else f"{low}–{high}"
    if results.costs is not None:
        for cells, mean in zip(more, results.costs.means, strict=True):
            cells[f"cost, {results.costs.unit}"] = "–" if mean is None else f"{mean:,.3g}"
    return more


def _spans_days(results: LossMatrix) -> bool:
    return results.dates is not None and len({date[:10] for date in results.dates}) > 1


def _has_one_task(results: LossMatrix) -> bool:
    return results.tasks is None or len(set(results.tasks)) == 1


def _report_tasks(results: LossMatrix, confidence: float, seed: int) -> tuple[TaskReport, ...]:
    if results.tasks is None or _has_one_task(results):
        return ()
    reports = []
    for task in dict.fromkeys(results.tasks):
        rows = np.flatnonzero(np.array(results.tasks) == task)
        groups = None if results.groups is None else {results.groups[row] for row in rows}
        if len(rows) < 2 or (groups is not None and len(groups) < 2):
            reports.append(TaskReport(task, len(rows), (), ()))
            continue
        part = results.take_items(rows)
        ranges, intervals = (
            rank_ranges(part, confidence, replicates=TASK_REPLICATES, seed=seed),
            score_intervals(part, confidence),
        )
        order = sorted(range(len(ranges)), key=lambda j: (ranges[j].rank, ranges[j].best, ranges[j].worst))
        reports.append(TaskReport(task, len(rows), tuple(ranges[j] for j in order), tuple(intervals[j] for j in order)))
    return tuple(reports)
