"""Real predictions: the luck in a best score as it is estimated, against the luck that occurs."""

from dataclasses import dataclass
from functools import partial
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
from ladderboard_lab.experiments.deciding import usually
from ladderboard_lab.experiments.drawing import BLUE, GREEN, RED
from ladderboard_lab.experiments.ladder.real_boards import RealBoard, real_boards

if TYPE_CHECKING:
    from matplotlib.figure import Figure


NO_CORRECTION = "the observed score instead of the corrected one"
ONE_MODEL = "the first model instead of the best"
TEST_SHARE = 0.1
"""A board's items stand for the population; test sets of a tenth are drawn from them."""
FEWEST_ITEMS = 1000
GROUP = 10
"""Test sets that are averaged: a single one says little of a mean."""


@dataclass(frozen=True)
class _Reading:
    """One test set: its best accuracy, the same without luck, and the best accuracy on all items."""

    observed: float
    corrected: float
    truth: float


@dataclass(frozen=True, eq=False)
class _Task:
    board: RealBoard
    replicates: int
    control: str | None


@experiment(
    id="own-real-luck",
    title="Real predictions: the best score on a small test set, with and without its luck",
    claim="By how much does the best score on a small test set exceed the best true accuracy, and how much of that "
    "luck can be estimated and removed?",
    controls=(NO_CORRECTION, ONE_MODEL),
)
def own_real_luck(conditions: Conditions) -> ExperimentResult:
    """On random test sets: the best score, corrected, and what the best model truly reaches."""
    sets, replicates = conditions.repeat(full=600, quick=500), conditions.choose(full=2000, quick=200)
    boards = [board for board in real_boards(conditions) if len(board.labels) >= FEWEST_ITEMS]
    tasks = [_Task(board, replicates, conditions.control) for board in boards for _ in range(sets)]
    found = conditions.run(_read, tasks, title="real boards")
    readings = {board.name: found[place * sets : (place + 1) * sets] for place, board in enumerate(boards)}
    draw, height = partial(_draw, readings=readings), 0.9 * len(boards) + 1.6
    return ExperimentResult(_table(readings), draw, _verdict(readings), size=(8.0, height), raw=_raw(readings))


def _read(task: _Task, seed: np.random.SeedSequence) -> _Reading:
    rng = np.random.default_rng(seed)
    wrong = task.board.predictions != task.board.labels[:, None]
    drawn = rng.permutation(len(wrong))[: round(TEST_SHARE * len(wrong))]
    best = lb.sota_from_losses(wrong[drawn], replicates=task.replicates, seed=rng)
    corrected = best.observed if task.control == NO_CORRECTION else best.true_best
    if task.control == ONE_MODEL:
        return _Reading(1 - float(wrong[drawn, 0].mean()), corrected, 1 - float(wrong[:, 0].mean()))
    return _Reading(best.observed, corrected, 1 - float(wrong.mean(axis=0).min()))


def _table(readings: dict[str, list[_Reading]]) -> ResultTable:
    return ResultTable(
        ("board", "best_on_all_items", "mean_luck_before", "mean_luck_after", "test_sets"),
        [(name, own[0].truth, *_means(own), len(own)) for name, own in readings.items()],
    )


def _raw(readings: dict[str, list[_Reading]]) -> ResultTable:
    return ResultTable(
        ("repetition", "board", "best_score", "without_luck", "best_on_all_items"),
        [
            (number, name, one.observed, one.corrected, one.truth)
            for name, own in readings.items()
            for number, one in enumerate(own)
        ],
    )


def _means(own: list[_Reading]) -> tuple[float, float]:
    """Mean luck of the observed best, and what is left of it after correction."""
    return (
        float(np.mean([one.observed - one.truth for one in own])),
        float(np.mean([one.corrected - one.truth for one in own])),
    )


def _are_farther(readings: dict[str, list[_Reading]]) -> list[bool]:
    """For every group of test sets: whether the observed scores are farther from the truth than the corrected ones."""
    errors = np.array(
        [[(one.observed - one.truth, one.corrected - one.truth) for one in own] for own in readings.values()]
    )
    groups = errors.shape[1] // GROUP
    means = np.abs(errors[:, : groups * GROUP].reshape(len(errors), groups, GROUP, 2).mean(axis=(0, 2)))
    return [bool(observed > corrected) for observed, corrected in means]


def _verdict(readings: dict[str, list[_Reading]]) -> Verdict:
    means = {name: _means(own) for name, own in readings.items()}
    words = [f"{name}: {100 * raw:+.2f} points before, {100 * left:+.2f} after." for name, (raw, left) in means.items()]
    checks = (
        self_consistent(
            "the best score exceeds the best true accuracy on most test sets",
            [usually([one.observed > one.truth for one in own]) for own in readings.values()],
        ),
        self_consistent(
            f"and is farther from it than the corrected one (mean over {GROUP} test sets and the boards)",
            usually(_are_farther(readings)),
        ),
    )
    return Verdict(
        checks,
        sentence=(
            f"By how much the best score on a test set of a tenth of the items exceeds the best true accuracy, before "
            f"and after the correction, on average over {len(next(iter(readings.values())))} test sets. "
            f"{' '.join(words)}"
        ),
        numbers={f"{name}: luck before": raw for name, (raw, _) in means.items()}
        | {f"{name}: luck after": left for name, (_, left) in means.items()},
    )


def _draw(figure: "Figure", *, readings: dict[str, list[_Reading]]) -> None:
    axes = figure.subplots()
    for row, own in enumerate(readings.values()):
        for name, colour, shift in (("observed", RED, -0.16), ("corrected", BLUE, 0.16)):
            gaps = [getattr(one, name) - one.truth for one in own]
            axes.plot(gaps, [row + shift] * len(gaps), "|", color=colour, markersize=7, alpha=0.3)
            axes.plot(np.mean(gaps), row + shift, "D", color=colour, markersize=7)
    axes.axvline(0, color=GREEN, linewidth=1.3)
    for colour, text in ((RED, "best score of a test set"), (BLUE, "the same without luck (estimate)")):
        axes.plot([], [], "D", color=colour, label=text)
    axes.plot([], [], color=GREEN, label="best true accuracy")
    axes.set_yticks(range(len(readings)), list(readings))
    axes.set_ylim(len(readings) - 0.5, -0.5)
    axes.set_xlabel("accuracy, minus the best true accuracy (each stroke a test set, diamonds their mean)")
    figure.legend(loc="outside lower center", ncols=3)
