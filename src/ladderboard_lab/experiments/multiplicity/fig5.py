"""The Multiplicity paper's Figure 5: the fewest failures among 1000 dependent classifiers."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

import ladderboard as lb
from ladderboard_lab.experiments.base import (
    Conditions,
    ExperimentResult,
    experiment,
    list_repetitions,
    self_consistent,
)
from ladderboard_lab.experiments.drawing import BLUE, GREEN, MUTED, RED, title_left
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
    tolerated_distance,
)
from ladderboard_lab.participant import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OTHER_CORRELATION = "a correlation of .5 and 500 classifiers"
ONE_FAILURE_MORE = "one failure more on every simulated board"
COLOURS = {"independent": MUTED, "reference fixed": BLUE, "reference random": GREEN}


@experiment(
    id="multiplicity-fig5",
    title="The fewest failures among 1000 dependent classifiers",
    paper=PAPER,
    claim="Dependence makes the best score less extreme: with a correlation of .6 to a reference the upper limit is "
    "248 failures instead of 236.",
    controls=(OTHER_CORRELATION, ONE_FAILURE_MORE),
)
def multiplicity_fig5(conditions: Conditions) -> ExperimentResult:
    """Independent classifiers, a reference with exactly 2700 right answers, and a random one."""
    rho, m = (0.5, 500) if conditions.control == OTHER_CORRELATION else (CORRELATION, CLASSIFIERS)
    bests = {
        "independent": lb.sota(m, TEST_SIZE, ACCURACY),
        "reference fixed": lb.sota(m, TEST_SIZE, ACCURACY, correlation=rho),
        "reference random": lb.sota(m, TEST_SIZE, ACCURACY, correlation=rho, reference="random"),
    }
    boards = conditions.repeat(full=100_000, quick=2000)
    rng = np.random.default_rng([conditions.seed, 9])
    extra = int(conditions.control == ONE_FAILURE_MORE)
    simulated = {name: best.simulate(rng, boards) + extra for name, best in bests.items()}
    distances = {name: largest_distance(simulated[name], best) for name, best in bests.items()}
    fixed = bests["reference fixed"]
    expected: Expected = {
        "failures at the upper limit, fixed": (fixed.quantile(LEVEL / 2), 248, 0),
        "upper limit, fixed": (fixed.upper_limit(), 0.9173, 4),
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
    close = self_consistent(
        "simulated boards of each kind follow the exact distribution",
        max(distances.values()) <= tolerated_distance(boards),
    )
    exact = {name: best.pmf(FAILURES) for name, best in bests.items()}
    shares = {name: np.bincount(own, minlength=TEST_SIZE + 1)[FAILURES] / boards for name, own in simulated.items()}
    table = failures_table(
        **{f"{name.replace(' ', '_')}_exact": pmf for name, pmf in exact.items()},
        **{f"{name.replace(' ', '_')}_simulated": share for name, share in shares.items()},
    )
    limits = {name: best.quantile(LEVEL / 2) for name, best in bests.items()}
    draw = partial(_draw, exact=exact, simulated=shares, limits=limits)
    raw = list_repetitions(np.stack([*simulated.values()], axis=1), "fewest_failures", classifiers=[*simulated])
    return ExperimentResult(table, draw, agreement(expected, words, close), size=(9.5, 4.2), raw=raw)


def _draw(
    figure: "Figure", *, exact: dict[str, FloatArray], simulated: dict[str, FloatArray], limits: dict[str, int]
) -> None:
    panels = figure.subplots(1, 2, sharey=True)
    for axes, name, title in zip(panels, simulated, ("(a) independent", "(b) dependent"), strict=False):
        axes.bar(FAILURES, simulated[name], width=1.0, color=COLOURS[name], alpha=0.5, label="simulated boards")
        axes.plot(FAILURES, exact[name], color=COLOURS[name], linewidth=1.4, label="exact")
        axes.axvline(limits[name], color=RED, linewidth=1.0, label=f"2.5 % at {limits[name]} failures")
        failures_axis(axes)
        title_left(axes, title)
    panels[1].plot(FAILURES, exact["reference random"], color=GREEN, linewidth=1.2, label="exact, random reference")
    panels[0].set_ylabel("share of boards")
    for axes in panels:
        axes.legend(loc="upper left")
