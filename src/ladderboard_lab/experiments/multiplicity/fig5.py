"""The Multiplicity paper's Figure 5: the fewest failures among 1000 dependent classifiers."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

import ladderboard as lb
from ladderboard_lab.experiments.base import Conditions, Outcome, experiment
from ladderboard_lab.experiments.drawing import BLUE, GREEN, MUTED
from ladderboard_lab.experiments.multiplicity.setting import (
    ACCURACY,
    CLASSIFIERS,
    CORRELATION,
    FAILURES,
    LEVEL,
    PAPER,
    TEST_SIZE,
    Expected,
    agreement,
    failures_axis,
    failures_table,
    largest_distance,
    running_example,
    tolerated_distance,
)
from ladderboard_lab.participant import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = {"independent": MUTED, "reference fixed": BLUE, "reference random": GREEN}


@experiment(
    id="multiplicity-fig5",
    title="Figure 5: the fewest failures among 1000 dependent classifiers",
    paper=PAPER,
    claim="Dependence makes the best score less extreme: with a correlation of .6 to a reference the upper limit is "
    "248 failures instead of 236.",
)
def multiplicity_fig5(conditions: Conditions) -> Outcome:
    """Independent classifiers, a reference with exactly 2700 right answers, and a random one."""
    bests = {
        "independent": running_example(),
        "reference fixed": lb.sota(CLASSIFIERS, TEST_SIZE, ACCURACY, correlation=CORRELATION),
        "reference random": lb.sota(CLASSIFIERS, TEST_SIZE, ACCURACY, correlation=CORRELATION, reference="random"),
    }
    boards = conditions.choose(full=20_000, quick=2000)
    rng = np.random.default_rng([conditions.seed, 9])
    distances = {name: largest_distance(best.simulate(rng, boards), best) for name, best in bests.items()}
    fixed = bests["reference fixed"]
    expected: Expected = {
        "failures at the upper limit, fixed": (fixed.quantile(LEVEL / 2), 248, 0),
        "upper limit, fixed": (fixed.upper_limit(), 0.91733, 5),
        "mean, fixed": (fixed.mean, 0.91397, 5),
        "sd, fixed": (fixed.sd, 0.001485, 6),
        "failures at the upper limit, random": (bests["reference random"].quantile(LEVEL / 2), 238, 0),
        "failures at the upper limit, independent": (bests["independent"].quantile(LEVEL / 2), 236, 0),
    }
    words = (
        f"With ρ₀ = .6 the upper limit is {fixed.quantile(LEVEL / 2)} failures instead of "
        f"{bests['independent'].quantile(LEVEL / 2)}, as the paper says, for a reference with exactly 2700 right "
        f"answers; with a random reference, as on a fresh test set, it is "
        f"{bests['reference random'].quantile(LEVEL / 2)}. The paper simulates; here the distributions are exact, and "
        f"{boards} simulated boards of each kind are within {max(distances.values()):.4f} of them (largest distance of "
        f"cdfs)."
    )
    also = max(distances.values()) <= tolerated_distance(boards)
    pmfs = {name: best.pmf(FAILURES) for name, best in bests.items()}
    table = failures_table(**{name.replace(" ", "_"): pmf for name, pmf in pmfs.items()})
    draw = partial(_draw, pmfs=pmfs, limits={name: best.quantile(LEVEL / 2) for name, best in bests.items()})
    return Outcome(table, draw, agreement(expected, words, also=also), size=(7.5, 4.2))


def _draw(figure: "Figure", *, pmfs: dict[str, FloatArray], limits: dict[str, int]) -> None:
    axes = figure.subplots()
    places = {"independent": (241, "right"), "reference fixed": (264, "left"), "reference random": (272, "left")}
    for name, pmf in pmfs.items():
        at, side = places[name]
        axes.plot(FAILURES, pmf, color=COLOURS[name], linewidth=1.6)
        axes.plot(limits[name], pmf[limits[name] - FAILURES[0]], "v", color=COLOURS[name], markersize=6)
        axes.annotate(
            f"{name}\n2.5 % at {limits[name]} failures",
            (at, pmf[at - FAILURES[0]]),
            xytext=(6 if side == "left" else -6, 8),
            textcoords="offset points",
            size=8,
            color=COLOURS[name],
            ha=side,
        )
    axes.set(ylabel="probability", ylim=(0, 0.105))
    failures_axis(axes)
