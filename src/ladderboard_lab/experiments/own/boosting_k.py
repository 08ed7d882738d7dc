"""Boosting against full disclosure, up to 100,000 submissions, beside its closed formulas."""

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ladderboard_lab.experiments.base import (
    Conditions,
    ExperimentResult,
    ResultTable,
    Verdict,
    experiment,
    list_repetitions,
    self_consistent,
)
from ladderboard_lab.experiments.deciding import agrees
from ladderboard_lab.experiments.drawing import BLUE, GREEN, RED, title_left
from ladderboard_lab.experiments.estimates import Estimate
from ladderboard_lab.experiments.ladder.boosting_runs import boost_disclosed, keep_released, weigh_all
from ladderboard_lab.experiments.writing import INK
from ladderboard_lab.participant import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIZES = {1000: RED, 4000: BLUE, 16_000: GREEN}
QUERIES = (30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000)
ATTACKS = ("boosting", "weighted boosting")
NO_FEEDBACK = "votes that ignore the scores"
ROOM_FOR_THE_LIMIT = 0.008
"""The formulas are limits for large n and k: votes are not quite normal, and even numbers of them tie."""


def formula(attack: str, k: float, n: int) -> float:
    """The expected overfit: Φ(√(k/(πn))) − ½ for boosting, Φ(√(k/n)) − ½ for weighted boosting.

    >>> round(formula("boosting", 400, 4000), 4), round(formula("weighted boosting", 400, 4000), 4)
    (0.0708, 0.1241)
    """
    signal = math.sqrt(k / (math.pi * n)) if attack == "boosting" else math.sqrt(k / n)
    return 0.5 * math.erf(signal / math.sqrt(2))


@dataclass(frozen=True)
class _Task:
    n: int
    queries: tuple[int, ...]
    control: str | None


@dataclass(frozen=True)
class _Point:
    attack: str
    n: int
    k: int
    runs: int
    overfit: float

    @property
    def gap(self) -> float:
        return self.overfit - formula(self.attack, self.k, self.n)

    @property
    def standard_error(self) -> float:
        """One run's overfit is a mean over n items that are right with probability ½ + overfit."""
        return math.sqrt((0.25 - formula(self.attack, self.k, self.n) ** 2) / (self.n * self.runs))


@experiment(
    id="own-boosting-k",
    title="Boosting a fully disclosed board with up to 100,000 submissions",
    claim="How large is the constant in the Ω(√(k/n)) of the boosting attack, and what does weighting the votes add?",
    controls=(NO_FEEDBACK,),
)
def own_boosting_k(conditions: Conditions) -> ExperimentResult:
    """The overfit of the final vector for three sizes of holdout."""
    runs = conditions.repeat(full=6, quick=2)
    sizes = conditions.choose(full=tuple(SIZES), quick=(1000, 4000))
    queries = conditions.choose(full=QUERIES, quick=QUERIES[:6])
    found = conditions.run(
        _attack, [_Task(n, queries, conditions.control) for n in sizes for _ in range(runs)], title="boosting"
    )
    each = np.stack(found).reshape(len(sizes), runs, len(ATTACKS), len(queries))
    overfit = each.mean(axis=1)
    points = [
        _Point(attack, n, k, runs, float(overfit[size, rule, place]))
        for rule, attack in enumerate(ATTACKS)
        for size, n in enumerate(sizes)
        for place, k in enumerate(queries)
    ]
    raw = list_repetitions(np.moveaxis(each, 1, 0), "overfit", n=sizes, attack=ATTACKS, submissions=queries)
    return ExperimentResult(_table(points), partial(_draw, points=points), _verdict(points), size=(9.0, 3.9), raw=raw)


def _attack(task: _Task, seed: np.random.SeedSequence) -> FloatArray:
    """Attacks × checkpoints: how much better than chance the final vector looks."""
    losses = boost_disclosed(
        np.random.default_rng(seed),
        n=task.n,
        private=0,
        checkpoints=task.queries,
        weighings=(np.ones_like, np.ones_like) if task.control else (keep_released(1e-5), weigh_all),
    )
    return np.asarray(0.5 - losses[..., 0])


def _table(points: list[_Point]) -> ResultTable:
    return ResultTable(
        ("attack", "n", "submissions", "runs", "overfit", "formula", "standard_error"),
        [(p.attack, p.n, p.k, p.runs, p.overfit, formula(p.attack, p.k, p.n), p.standard_error) for p in points],
    )


def _verdict(points: list[_Point]) -> Verdict:
    worst = max(points, key=lambda point: abs(point.gap))
    at = {(point.attack, point.n, point.k): Estimate(point.overfit, point.standard_error) for point in points}
    beyond = [max(0.0, abs(point.gap) - ROOM_FOR_THE_LIMIT) / point.standard_error for point in points]
    follows = agrees(beyond, degrees=math.inf)
    return Verdict(
        (self_consistent("measured overfit follows Φ(√(k/(πn))) − ½ and Φ(√(k/n)) − ½ at every point", follows),),
        sentence=(
            f"Measured overfit follows Φ(√(k/(πn))) − ½ for boosting and Φ(√(k/n)) − ½ for weighted boosting at all "
            f"{len(points)} points; the largest gap is {worst.gap:+.4f} ({worst.attack}, n = {worst.n}, "
            f"k = {worst.k}). With n = 4000 and 10,000 random submissions the final vector looks "
            f"{100 * at['boosting', 4000, 10_000]:.0f} points better than it is, with weights "
            f"{100 * at['weighted boosting', 4000, 10_000]:.0f}."
        ),
        numbers={f"{attack}, n = {n}, k = {k}": overfit for (attack, n, k), overfit in at.items() if k >= 1000},
    )


def _draw(figure: "Figure", *, points: list[_Point]) -> None:
    for axes, attack in zip(figure.subplots(1, 2, sharey=True), ATTACKS, strict=True):
        _panel(axes, [point for point in points if point.attack == attack])
        title_left(axes, attack)
    figure.axes[0].set_ylabel("overfit of the final vector")
    figure.axes[0].legend(loc="upper left")


def _panel(axes: "Axes", points: list[_Point]) -> None:
    grid = np.geomspace(QUERIES[0], QUERIES[-1], 80)
    for n in dict.fromkeys(point.n for point in points):
        own = [point for point in points if point.n == n]
        axes.plot(grid, [formula(own[0].attack, k, n) for k in grid], color=SIZES[n], linewidth=1.1, alpha=0.7)
        measured = [point.overfit for point in own]
        axes.plot([point.k for point in own], measured, "o", color=SIZES[n], markersize=4, label=f"n = {n}")
    axes.plot([], [], color=INK, linewidth=1.1, alpha=0.7, label="formula")
    axes.set(xscale="log", xlabel="submissions", ylim=(0, 0.52))
