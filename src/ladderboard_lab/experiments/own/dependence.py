"""Bias and spread of the best score, for dependent classifiers of unequal accuracy."""

from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

import ladderboard as lb
from ladderboard_lab.experiments.base import (
    Conditions,
    ExperimentResult,
    ResultTable,
    Verdict,
    experiment,
    self_consistent,
)
from ladderboard_lab.experiments.deciding import agrees
from ladderboard_lab.experiments.drawing import AMBER, BLUE, GREEN, MUTED, PURPLE, RED, title_left
from ladderboard_lab.experiments.multiplicity.setting import ACCURACY, CLASSIFIERS, CORRELATION, TEST_SIZE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WEAKEST = {0.9: RED, 0.875: BLUE, 0.85: GREEN, 0.825: AMBER, 0.8: PURPLE}
"""The accuracy of the worst classifier; the others are spread evenly up to .9, the reference's."""

SHUFFLED = "the simulated values in random order"


@dataclass(frozen=True)
class _Task:
    weakest: float
    correlation: float
    boards: int


@dataclass(frozen=True)
class _Point:
    """Bias E[best] − .9 and standard deviation, exact for a fixed reference, simulated for a random one.

    ``scores`` are the best scores of the simulated boards.
    """

    weakest: float
    correlation: float
    bias: float
    sd: float
    random_bias: float
    random_sd: float
    scores: tuple[float, ...]


def largest_correlation(weakest: float) -> float:
    """Beyond it a classifier this weak cannot follow the reference: its odds are at least ρ₀² of the reference's.

    >>> round(largest_correlation(0.8), 3)
    0.667
    """
    return float(np.sqrt(weakest / (1 - weakest) * (1 - ACCURACY) / ACCURACY))


@experiment(
    id="own-dependence",
    title="Bias and spread of the best score, dependent classifiers of unequal accuracy",
    claim="By how much do dependence and unequal accuracies reduce the bias of the best score?",
    controls=(SHUFFLED,),
)
def own_dependence(conditions: Conditions) -> ExperimentResult:
    """Both over ρ₀, for five spreads of accuracies."""
    grid = conditions.choose(full=np.arange(0.0, 0.96, 0.05), quick=np.arange(0.0, 0.91, 0.3))
    boards = conditions.repeat(full=2000, quick=200)
    tasks = [
        _Task(weakest, float(correlation), boards)
        for weakest in WEAKEST
        for correlation in grid
        if correlation < largest_correlation(weakest)
    ]
    points = conditions.run(_point, tasks, title="dependent classifiers")
    if conditions.control == SHUFFLED:
        order = np.random.default_rng(conditions.seed).permutation(len(points))
        points = [
            replace(own, bias=points[other].bias, random_bias=points[-other].random_bias)
            for own, other in zip(points, order, strict=True)
        ]
    draw, verdict = partial(_draw, points=points), _verdict(points, boards)
    return ExperimentResult(_table(points), draw, verdict, size=(9.5, 4.2), raw=_raw(points))


def _point(task: _Task, seed: np.random.SeedSequence) -> _Point:
    accuracies = np.linspace(task.weakest, ACCURACY, CLASSIFIERS)
    fixed, random = (
        lb.sota(
            test_size=TEST_SIZE,
            accuracies=accuracies,
            correlation=task.correlation,
            reference_accuracy=ACCURACY,
            reference=kind,
        )
        for kind in ("fixed", "random")
    )
    scores = 1 - random.simulate(np.random.default_rng(seed), task.boards) / TEST_SIZE
    simulated = float(scores.mean()) - ACCURACY, float(scores.std(ddof=1))
    exact = fixed.mean - ACCURACY, fixed.sd
    return _Point(task.weakest, task.correlation, *exact, *simulated, tuple(scores.tolist()))


def _table(points: list[_Point]) -> ResultTable:
    return ResultTable(
        (
            "weakest_accuracy",
            "correlation",
            "bias",
            "sd_reference_fixed",
            "bias_reference_random",
            "sd_reference_random",
        ),
        [(p.weakest, p.correlation, p.bias, p.sd, p.random_bias, p.random_sd) for p in points],
    )


def _raw(points: list[_Point]) -> ResultTable:
    return ResultTable(
        ("repetition", "weakest_accuracy", "correlation", "best_score_reference_random"),
        [(number, p.weakest, p.correlation, score) for p in points for number, score in enumerate(p.scores)],
    )


def _verdict(points: list[_Point], boards: int) -> Verdict:
    curves = {weakest: [p for p in points if p.weakest == weakest] for weakest in WEAKEST}
    falls = all(a.bias >= b.bias for own in curves.values() for a, b in pairwise(own))
    narrower = all(curves[a][0].bias >= curves[b][0].bias for a, b in pairwise(WEAKEST))
    agree = agrees([(p.random_bias - p.bias) * np.sqrt(boards) / p.random_sd for p in points], degrees=boards - 1)
    example = lb.sota(CLASSIFIERS, TEST_SIZE, ACCURACY, correlation=CORRELATION)
    equal = curves[0.9]
    checks = (
        self_consistent("the bias falls with the correlation", falls),
        self_consistent("and with the spread of accuracies", narrower),
        self_consistent("a random reference, simulated, has the bias of the fixed one, which is exact", agree),
    )
    return Verdict(
        checks,
        sentence=(
            f"The bias falls with the correlation (equal classifiers: {equal[0].bias:.4f} at ρ₀ = 0, "
            f"{example.mean - ACCURACY:.4f} at .6) and with the spread of accuracies ({curves[0.8][0].bias:.4f} for "
            f".8 to .9, independent). A fixed and a random reference give the same bias; the random one a larger "
            f"standard deviation (equal classifiers, ρ₀ = {equal[-1].correlation:.2f}: {equal[-1].random_sd:.4f} "
            f"against {equal[-1].sd:.4f}). Curves of weak classifiers end where their correlation with the reference "
            f"would be impossible."
        ),
        numbers={
            **{f"bias, weakest {weakest}, ρ₀ = 0": own[0].bias for weakest, own in curves.items()},
            "bias, all .9, ρ₀ = .6": example.mean - ACCURACY,
            "sd, all .9, ρ₀ = .6": example.sd,
        },
    )


def _draw(figure: "Figure", *, points: list[_Point]) -> None:
    left, right = figure.subplots(1, 2)
    for weakest, colour in WEAKEST.items():
        own = [point for point in points if point.weakest == weakest]
        rho = [point.correlation for point in own]
        left.plot(
            rho,
            [point.bias for point in own],
            color=colour,
            linewidth=1.4,
            label=f"{weakest:g} to .9" if weakest < ACCURACY else "all .9",
        )
        right.plot(rho, [point.sd for point in own], color=colour, linewidth=1.4)
        right.plot(rho, [point.random_sd for point in own], "o", color=colour, markersize=3)
    _finish(left, "expected best score minus .9")
    _finish(right, "standard deviation of the best score")
    left.legend(title="accuracies", loc="lower left")
    right.plot([], [], color=MUTED, label="reference fixed (exact)")
    right.plot([], [], "o", color=MUTED, markersize=3, label="reference random (simulated)")
    right.legend(loc="upper left")
    right.set_ylim(0, 0.0072)


def _finish(axes: "Axes", title: str) -> None:
    axes.axvline(CORRELATION, color=MUTED, linewidth=0.9, linestyle=":")
    axes.set(xlabel="correlation ρ₀ with the reference", xlim=(0, 1), ylim=(0, None))
    title_left(axes, title)
