"""The Multiplicity paper's Table 1: expected best score and its standard deviation, over m, n and p."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

import ladderboard as lb
from ladderboard_lab.experiments.base import (
    Conditions,
    ExperimentResult,
    ResultTable,
    experiment,
    list_repetitions,
    self_consistent,
)
from ladderboard_lab.experiments.drawing import BLUE, MUTED, RED
from ladderboard_lab.experiments.multiplicity.setting import PAPER, Expected, agreement

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TABLE1 = {
    (1000, 3000, 0.85): (0.8707, 0.002197),
    (1000, 3000, 0.90): (0.9173, 0.001817),
    (1000, 3000, 0.95): (0.9624, 0.001277),
    (100, 3000, 0.90): (0.9135, 0.002250),
    (500, 3000, 0.90): (0.9163, 0.001923),
    (1000, 1000, 0.90): (0.9294, 0.003007),
    (1000, 10_000, 0.90): (0.9096, 0.001022),
}
"""(classifiers m, test items n, true accuracy p) → printed mean and standard deviation."""
OTHER_ACCURACY = "accuracies lower by .0005"
SHUFFLED = "simulated boards of the next row"


@experiment(
    id="multiplicity-table1",
    title="The expected best score over m, n and p",
    paper=PAPER,
    claim="The best of 1000 classifiers that are all truly 90 % correct is expected to score 91.73 % on 3000 items; "
    "more classifiers, fewer items and lower accuracy make it worse.",
    controls=(OTHER_ACCURACY, SHUFFLED),
)
def multiplicity_table1(conditions: Conditions) -> ExperimentResult:
    """Exact values beside the printed ones, and a simulation as a second opinion."""
    rng = np.random.default_rng([conditions.seed, 6])
    shift = 0.0005 if conditions.control == OTHER_ACCURACY else 0.0
    found = {(m, n, p): lb.sota(m, n, p - shift) for m, n, p in TABLE1}
    boards = conditions.repeat(full=2000, quick=2000)
    simulated = {case: best.simulate(rng, boards) for case, best in found.items()}
    if conditions.control == SHUFFLED:
        simulated = dict(zip(simulated, [*simulated.values()][1:] + [*simulated.values()][:1], strict=True))
    expected: Expected = {
        **{f"mean, m = {m}, n = {n}, p = {p:g}": (found[m, n, p].mean, TABLE1[m, n, p][0], 4) for m, n, p in TABLE1},
        **{f"sd, m = {m}, n = {n}, p = {p:g}": (found[m, n, p].sd, TABLE1[m, n, p][1], 6) for m, n, p in TABLE1},
    }
    table = ResultTable(
        ("classifiers", "test_items", "true_accuracy", "mean", "sd", "paper_mean", "paper_sd", "simulated_mean"),
        [
            (m, n, p, found[m, n, p].mean, found[m, n, p].sd, *TABLE1[m, n, p], 1 - float(runs.mean()) / n)
            for (m, n, p), runs in simulated.items()
        ],
    )
    # Four standard errors of seven means: a correct program fails once in 2000 seeds.
    off = max(
        abs(float(runs.mean()) - best.mean_failures) / (best.sd * case[1] / np.sqrt(boards))
        for (case, best), runs in zip(found.items(), simulated.values(), strict=True)
    )
    words = (
        f"Seven means and standard deviations beside the printed ones; {boards} simulated boards each are "
        f"within {off:.1f} standard errors. (Z counts the fewest failures, X ~ B(n, 1−p); the printed “B(n, p−1)” is a "
        f"slip.)"
    )
    agree = self_consistent("simulated means agree with the exact ones, to 4 standard errors", off <= 4)
    names = [f"m = {m}, n = {n}, p = {p:g}" for m, n, p in simulated]
    raw = list_repetitions(np.stack([*simulated.values()], axis=1), "fewest_failures", setting=names)
    verdict = agreement(expected, words, agree)
    return ExperimentResult(table, partial(_draw, found=found), verdict, size=(8.0, 3.6), raw=raw)


def _draw(figure: "Figure", *, found: "dict[tuple[int, int, float], lb.BestScore]") -> None:
    axes = figure.subplots()
    for row, ((m, n, p), best) in enumerate(found.items()):
        low, high = best.interval(0.95)
        axes.plot([low, high], [row, row], color=BLUE, linewidth=2.5, alpha=0.6)
        axes.plot(best.mean, row, "o", color=BLUE, markersize=5)
        axes.plot(TABLE1[m, n, p][0], row, "|", color=RED, markersize=14, markeredgewidth=1.5)
        axes.plot(p, row, "d", color=MUTED, markersize=5)
    axes.plot([], [], "d", color=MUTED, markersize=5, label="true accuracy of every classifier")
    axes.plot([], [], "o-", color=BLUE, label="expected best score, and where 95 % of best scores fall")
    axes.plot(
        [], [], "|", color=RED, markersize=12, markeredgewidth=1.5, label="printed in the paper", linestyle="none"
    )
    axes.set_yticks(range(len(found)), [f"m = {m}, n = {n}, p = {p:g}" for m, n, p in found])
    axes.invert_yaxis()
    axes.set_xlabel("accuracy")
    axes.legend(loc="upper left", bbox_to_anchor=(0.0, -0.16), ncols=1)
