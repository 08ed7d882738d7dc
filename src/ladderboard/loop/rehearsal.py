"""A rehearsal of a loop: copies of the system in use, among which nothing is better, and what the tasks can prove."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ladderboard.core.errors import ParameterError, PredictionsError
from ladderboard.core.records import FloatArray
from ladderboard.core.words import pluralise
from ladderboard.guard.tasks import TaskList
from ladderboard.loop.outputs import RunAll
from ladderboard.loop.plan import SplitPlan, find_best_split, find_needed_tasks, make_spread
from ladderboard.loop.proposal import compare, decide, is_convinced
from ladderboard.loop.report import describe_changes
from ladderboard.loop.split import split_tasks
from ladderboard.mechanisms import GATE_MECHANISM
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.metrics.mean_score import MeanScore
from ladderboard.scoring.grader import grade_outputs, read_grader

COPIES, SERIES = 50, 100
REPEATS = (1, 2, 4, 8)
Progress = Callable[[int, int], None]
"""Called with the series done and their number."""


@dataclass(frozen=True)
class LoopRehearsal:
    """What copies of the system in use were told, how noisy the grader and the runs are, and what the tasks can prove.

    ``kept`` and ``asked``: how many of the copies of a series were kept, and how often the guard was asked, on average.
    ``false``: series with a certificate, all of them false. ``plans``: for the tasks at hand, the best split for each
    number of runs; ``needed``: the fewest tasks that certify the gain with the wanted power.
    """

    tasks: int
    has_groups: bool
    score: float
    run_error: float
    grader_changes: float
    copies: int
    series: int
    kept: float
    asked: float
    false: int
    gain: float
    wanted_power: float
    plans: tuple[SplitPlan, ...]
    needed: tuple[SplitPlan, ...]

    @property
    def interval(self) -> tuple[float, float]:
        """The exact 95 % interval of the share of series with a false certificate (Clopper and Pearson 1934)."""
        from scipy.stats import binomtest

        found = binomtest(self.false, self.series).proportion_ci(0.95)
        return float(found.low), float(found.high)

    @property
    def proposed(self) -> SplitPlan:
        """The split with the fewest runs that certifies as often as wanted; else the one that does most often."""
        enough = [one for one in self.plans if one.power >= self.wanted_power]
        return enough[0] if enough else max(self.plans, key=lambda one: one.power)

    def sentences(self) -> list[str]:
        """The rehearsal in words."""
        low, high = self.interval
        best, unit = self.proposed, "groups" if self.has_groups else "tasks"
        return [
            f"The mean score is {self.score:.4g}; two runs of a task differ by {self.run_error:.2g} (quadratic mean).",
            f"The grader: {describe_changes(self.grader_changes)}",
            f"{self.series} series of {self.copies} copies of the system, none of them better: by luck {self.kept:.1f} "
            f"of a series are kept, the guard is asked {self.asked:.1f} times, and it certifies a copy in "
            f"{self.false} series ({self.false / self.series:.1%}; 95 % interval {low:.1%} to {high:.1%}).",
            f"Proposed for a gain of {self.gain:g}: {best.open_tasks} open and {best.guarded_tasks} guarded {unit}, "
            f"{pluralise('{n} run', '{n} runs', best.repeats)} of each. They certify it in {best.power:.0%} of the "
            "cases.",
        ]


def rehearse_loop(
    tasks: Any,
    grader: Any,
    run_all: RunAll,
    *,
    gain: float = 0.05,
    power: float = 0.8,
    repeats: int = 4,
    open_share: float = 0.5,
    bounds: tuple[float, float] = (0.0, 1.0),
    copies: int = COPIES,
    series: int = SERIES,
    seed: int = 0,
    progress: Progress | None = None,
) -> LoopRehearsal:
    """Run the system in use, several times on each task, and let copies of it go through loops that are thrown away.

    A copy's run of a task is one of the runs of this task, drawn anew, ``repeats`` of them. So all copies have the same
    true score.
    """
    if not 0 < power < 1:
        raise ParameterError(f"power is {power}; it must lie between 0 and 1, such as 0.8")
    if not gain > 0:
        raise ParameterError(f"gain is {gain}; it must be above 0, in the unit of the scores")
    if copies < 1 or series < 1 or repeats < 1:
        raise ParameterError(f"{copies} copies, {series} series and {repeats} repeats; it takes at least 1 of each")
    read, judge = TaskList.read(tasks), read_grader(grader)
    outputs = read.arrange(run_all(read.show()))
    if min(map(len, outputs)) < 2:
        raise PredictionsError("a task has one run; give at least two of each, or nothing tells how they vary")
    runs, again = (grade_outputs(judge, read.tasks, outputs, bounds) for _ in range(2))
    spread = make_spread(runs, read.groups, bounds)
    units = len(spread.means)
    plans = tuple(find_best_split(spread, gain, units, one) for one in REPEATS)
    needed = tuple(find_needed_tasks(spread, gain, power, one) for one in REPEATS)
    copied = _Copies(runs, repeats, read, open_share, bounds)
    counts = []
    for number in range(series):
        counts.append(copied.play(copies, np.random.default_rng([seed, number])))
        if progress is not None:
            progress(number + 1, series)
    kept, asked, certified = np.asarray(counts, dtype=np.float64).T
    return LoopRehearsal(
        tasks=units,
        has_groups=read.groups is not None,
        score=spread.score,
        run_error=float(np.sqrt(2 * np.mean([one.var(ddof=1) for one in runs]))),
        grader_changes=float(np.mean(np.concatenate(runs) != np.concatenate(again))),
        copies=copies,
        series=series,
        kept=float(kept.mean()),
        asked=float(asked.mean()),
        false=int(np.count_nonzero(certified)),
        gain=gain,
        wanted_power=power,
        plans=plans,
        needed=needed,
    )


class _Copies:
    """Loops among copies of one system, on splits of their own."""

    def __init__(
        self,
        runs: Sequence[FloatArray],
        repeats: int,
        tasks: TaskList,
        open_share: float,
        bounds: tuple[float, float],
    ) -> None:
        self._repeats, self._tasks = repeats, tasks
        self._counts = np.asarray([len(one) for one in runs])
        self._runs = np.zeros((len(runs), int(self._counts.max())))
        for row, one in zip(self._runs, runs, strict=True):
            row[: len(one)] = one
        self._open_share, self._bounds = open_share, bounds
        self._places: Mapping[str, int] = {one: place for place, one in enumerate(tasks.ids)}

    def play(self, copies: int, rng: np.random.Generator) -> tuple[int, int, int]:
        """Count of one series what was kept, asked and certified."""
        parts = split_tasks(self._tasks, self._open_share, int(rng.integers(2**31)))
        opened, guarded = ([self._places[one] for one in part.ids] for part in parts)
        open_key, key = (self._make_key(part) for part in parts)
        mechanism = GATE_MECHANISM()
        kept = certified = self._copy(opened, rng)
        standing = key.evaluate(self._copy(guarded, rng), submission="0")
        state, _ = mechanism.step(mechanism.start(key.baseline, rng), standing, key.baseline, rng)
        counts = [0, 0, 0]
        for number in range(1, copies + 1):
            seen = self._copy(opened, rng)
            if decide(*compare(open_key, kept, seen)) != "kept":
                continue
            kept, counts[0] = seen, counts[0] + 1
            if not is_convinced(*compare(open_key, certified, seen)):
                continue
            candidate = key.evaluate(self._copy(guarded, rng), submission=str(number))
            state, release = mechanism.step(state, candidate, standing, rng)
            counts[1] += 1
            if release.improved:
                certified, standing, counts[2] = seen, candidate, counts[2] + 1
        return counts[0], counts[1], counts[2]

    def _copy(self, places: Sequence[int], rng: np.random.Generator) -> FloatArray:
        drawn = (rng.random((len(places), self._repeats)) * self._counts[places, None]).astype(np.intp)
        return np.asarray(self._runs[np.asarray(places)[:, None], drawn].mean(axis=1))

    def _make_key(self, part: TaskList) -> AnswerKey:
        return AnswerKey(
            [0] * len(part), MeanScore(self._bounds), group=None if part.groups is None else list(part.groups)
        )
