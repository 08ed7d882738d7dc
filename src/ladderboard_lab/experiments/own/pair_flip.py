"""The pair flip: two items changed at a time climb the parameter-free Ladder at every size of the holdout."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

import ladderboard as lb
from ladderboard_lab.attacks.hill_climb import HillClimb
from ladderboard_lab.experiments.base import (
    Cell,
    Conditions,
    ExperimentResult,
    ResultTable,
    Verdict,
    experiment,
    list_repetitions,
    self_consistent,
)
from ladderboard_lab.experiments.deciding import agrees, usually
from ladderboard_lab.experiments.drawing import MECHANISM_COLOURS, MUTED, label_end, title_left
from ladderboard_lab.experiments.estimates import Estimate
from ladderboard_lab.participant import FloatArray
from ladderboard_lab.problems.coin_flips import coin_flips

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MECHANISMS = {"parameter_free_ladder": "parameter-free", "spending_ladder": "Spending", "witness_ladder": "Witness"}
SIZES = (100, 250, 500, 1000, 2000, 4000)
NO_GATE = "the parameter-free Ladder instead of the other two"
OTHER_ORDER = "the Witness Ladder instead of the parameter-free one"
EFFORTS = (0.5, 2.5)
"""Submissions for each public item; 2.5 are 10,000 at n = 4000."""


def formula(effort: float) -> float:
    """The expected overfit on the parameter-free Ladder after k = effort·n pair flips: k/(2(n + k)).

    With a share w of wrong items both of a random pair are wrong with probability w², and 2/n are gained:
    dw/dk = −2w²/n from w = ½, hence w = ½/(1 + k/n).

    >>> round(formula(2.5), 3)
    0.357
    """
    return effort / (2 * (1 + effort))


@dataclass(frozen=True)
class _Task:
    mechanism: str
    n: int
    control: str | None

    @property
    def attacked(self) -> str:
        is_free = self.mechanism == "parameter_free_ladder"
        if self.control == NO_GATE:
            return "parameter_free_ladder"
        return "witness_ladder" if is_free and self.control == OTHER_ORDER else self.mechanism


@dataclass(frozen=True)
class _Point:
    """The overfit after effort·n submissions, mean and sd over runs, and how many were accepted on average."""

    mechanism: str
    n: int
    effort: float
    runs: int
    overfit: float
    sd: float
    accepts: float

    @property
    def estimate(self) -> Estimate:
        return Estimate(self.overfit, self.sd / self.runs**0.5)


@experiment(
    id="own-pair-flip",
    title="The pair flip on the parameter-free, the Spending and the Witness Ladder",
    claim="The parameter-free Ladder comes without a guarantee: its step shrinks to about two items where two "
    "submissions hardly differ. How far can pairs of flips climb it, and ladders that correct for attempts?",
    controls=(NO_GATE, OTHER_ORDER),
)
def own_pair_flip(conditions: Conditions) -> ExperimentResult:
    """The overfit that the board shows, over n, for two efforts."""
    runs = conditions.repeat(full=24, quick=24)
    sizes = conditions.choose(full=SIZES, quick=(100, 400))
    tasks = [_Task(name, n, conditions.control) for name in MECHANISMS for n in sizes]
    found = conditions.run(_attack, [task for task in tasks for _ in range(runs)], title="pair flips")
    points = [
        _point(task, effort, [one[place] for one in found[index * runs : (index + 1) * runs]])
        for index, task in enumerate(tasks)
        for place, effort in enumerate(EFFORTS)
    ]
    each = np.array(found).reshape(len(MECHANISMS), len(sizes), runs, len(EFFORTS), 2)
    raw = list_repetitions(
        np.moveaxis(each, 2, 0),
        "value",
        mechanism=[*MECHANISMS],
        n=sizes,
        submissions_per_item=EFFORTS,
        reading=("overfit", "accepts"),
    )
    return ExperimentResult(
        _table(points), partial(_draw, points=points), _verdict(points, each[..., 0]), size=(9.0, 3.9), raw=raw
    )


def _attack(task: _Task, seed: np.random.SeedSequence) -> list[tuple[float, int]]:
    """At each effort: by how much the board flatters the attacker (whose true loss is ½), and the accepts so far."""
    rng = np.random.default_rng(seed)
    participant = coin_flips(rng, n=task.n).open_board(task.attacked, seed=int(rng.integers(2**32)))
    releases: list[lb.Release] = []
    participant.on_release = releases.append
    HillClimb(flips=2).run(participant, budget=round(EFFORTS[-1] * task.n), rng=rng)
    return [_flattery(releases[: round(effort * task.n)]) for effort in EFFORTS]


def _flattery(releases: Sequence["lb.Release"]) -> tuple[float, int]:
    accepts = sum(release.accepted for release in releases)
    shown = releases[-1].board_value
    # Where nothing was accepted the board shows the baseline's score, and there is no submission to be wrong about.
    return (0.5 - shown if accepts and shown is not None else 0.0), accepts


def _point(task: _Task, effort: float, found: list[tuple[float, int]]) -> _Point:
    overfit, accepts = np.array(found, dtype=np.float64).T
    spread = float(overfit.std(ddof=1))
    return _Point(task.mechanism, task.n, effort, len(found), float(overfit.mean()), spread, float(accepts.mean()))


def _table(points: list[_Point]) -> ResultTable:
    columns = ("mechanism", "n", "submissions", "runs", "overfit", "sd_of_a_run", "accepts", "formula")
    return ResultTable(columns, [_row(point) for point in points])


def _row(point: _Point) -> tuple[Cell, ...]:
    expected = formula(point.effort) if point.mechanism == "parameter_free_ladder" else None
    submissions = round(point.effort * point.n)
    return point.mechanism, point.n, submissions, point.runs, point.overfit, point.sd, point.accepts, expected


def _verdict(points: list[_Point], overfit: FloatArray) -> Verdict:
    """``overfit``: mechanisms × sizes × runs × efforts."""
    largest = max(point.n for point in points)
    free = [point for point in points if point.mechanism == "parameter_free_ladder" and point.n == largest]
    half, all_of_it = free
    ours = {name: max(point.overfit for point in points if point.mechanism == name) for name in list(MECHANISMS)[1:]}
    tiny = np.finfo(float).tiny
    away = [(own.overfit - formula(own.effort)) * np.sqrt(own.runs) / max(own.sd, tiny) for own in free]
    held = (overfit[1:] < overfit[0] / 10).all(axis=(0, 1, 3))
    checks = (
        self_consistent(
            "on the parameter-free Ladder the overfit is k/(2(n + k)), but for chance",
            agrees(away, degrees=half.runs - 1),
        ),
        self_consistent("the Spending and the Witness Ladder show less than a tenth of it", usually(held)),
    )
    return Verdict(
        checks,
        sentence=(
            f"On the parameter-free Ladder pair flips look {half.overfit:.3f} better than they are after n/2 "
            f"submissions and {all_of_it.overfit:.3f} after 2.5·n (n = {largest}; expected {formula(0.5):.3f} and "
            f"{formula(2.5):.3f} at every n): more data does not help. The Spending Ladder shows at most "
            f"{ours['spending_ladder']:.3f} and the Witness Ladder at most {ours['witness_ladder']:.3f}; a pair is "
            f"never enough for their tests."
        ),
        numbers={f"{point.mechanism}, n = {point.n}, k = {point.effort:g}·n": point.estimate for point in points},
    )


def _draw(figure: "Figure", *, points: list[_Point]) -> None:
    for axes, effort in zip(figure.subplots(1, 2, sharey=True), EFFORTS, strict=True):
        _panel(axes, [point for point in points if point.effort == effort])
        title_left(axes, f"after k = {effort:g}·n submissions")
    figure.axes[0].set_ylabel("overfit shown by the board")


def _panel(axes: "Axes", points: list[_Point]) -> None:
    shifts = {"parameter_free_ladder": 8, "spending_ladder": 7, "witness_ladder": -7}
    for name, text in MECHANISMS.items():
        own = [point for point in points if point.mechanism == name]
        sizes, overfit = [point.n for point in own], [point.overfit for point in own]
        spread = [point.sd for point in own]
        axes.errorbar(
            sizes, overfit, yerr=spread, fmt="o-", color=MECHANISM_COLOURS[name], markersize=3.5, elinewidth=0.9
        )
        label_end(axes, sizes, overfit, text, MECHANISM_COLOURS[name], shift=shifts[name])
    first, last, expected = points[0].n, max(point.n for point in points), formula(points[0].effort)
    axes.plot([first, last], [expected, expected], "--", color=MUTED, linewidth=1.1)
    label_end(axes, [last], [expected], "k/(2(n + k))", MUTED, shift=-7)
    axes.set(xscale="log", xlabel="public items n", xlim=(80, 14 * last), ylim=(-0.03, 0.42))
