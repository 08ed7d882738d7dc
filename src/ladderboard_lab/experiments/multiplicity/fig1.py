"""The Multiplicity paper's Figure 1: a truly better classifier has little chance against the best of many equals."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

import ladderboard as lb
from ladderboard_lab.experiments.base import Conditions, ExperimentResult, ResultTable, experiment
from ladderboard_lab.experiments.drawing import BLUE, MUTED, RED
from ladderboard_lab.experiments.multiplicity.setting import (
    ACCURACY,
    OTHER_COUNT,
    PAPER,
    TEST_SIZE,
    Expected,
    agreement,
    running_example,
    upper_confidence_limit,
)
from ladderboard_lab.participant import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SAME_ACCURACY = "a newcomer that is no better"
SHOWN = np.arange(2640, 2791)
"""Right answers, from 60 below the expectation of one classifier to 90 above, as in the paper."""


@experiment(
    id="multiplicity-fig1",
    title="A significantly better classifier against the best of 1000",
    paper=PAPER,
    claim="Against 1000 classifiers of 90 % a single one that is significantly better has a chance of 1.6 % to exceed "
    "the upper limit of the best observed score, and of 10 % to exceed its expectation.",
    controls=(OTHER_COUNT, SAME_ACCURACY),
)
def multiplicity_fig1(conditions: Conditions) -> ExperimentResult:
    """One classifier of 90 %, one that is significantly better, and what the best of 1000 reaches."""
    best = running_example(conditions)
    better = ACCURACY if conditions.control == SAME_ACCURACY else upper_confidence_limit()
    one, newcomer = lb.sota(1, TEST_SIZE, ACCURACY), lb.sota(1, TEST_SIZE, better)
    pmfs = one.pmf(TEST_SIZE - SHOWN), newcomer.pmf(TEST_SIZE - SHOWN)
    limit, gain = best.upper_limit(), better - ACCURACY
    expected: Expected = {
        "upper limit of a single 90 %": (better, 0.9105, 4),
        "upper limit of the best of 1000": (limit, 0.9213, 4),
        "P(better one beats the expected best)": (best.reaches(best.mean, better_by=gain), 0.0996, 4),
        "P(better one beats the upper limit)": (best.beats(limit, better_by=gain), 0.0161, 4),
    }
    reaches: Expected = {"P(better one reaches the upper limit)": (best.reaches(limit, better_by=gain), 0.0190, 4)}
    words = (
        f"A classifier of {100 * better:.2f} %, significantly better than 90 %, exceeds the expected best of 1000 "
        f"equal ones ({100 * best.mean:.2f} %) with probability {best.reaches(best.mean, better_by=gain):.4f} and "
        f"their upper limit ({100 * limit:.2f} %) with {best.beats(limit, better_by=gain):.4f}, as printed. The event "
        f"as the paper words it, at least that limit, has probability {best.reaches(limit, better_by=gain):.4f}."
    )
    table = ResultTable(
        ("right_answers", "pmf_of_90_percent", "pmf_of_the_better_one"),
        [(int(k), float(a), float(b)) for k, a, b in zip(SHOWN, *pmfs, strict=True)],
    )
    draw = partial(_draw, pmfs=pmfs, marks=(better, best.mean, limit))
    return ExperimentResult(table, draw, agreement(expected, words, exact=reaches), size=(8.0, 4.0))


def _draw(figure: "Figure", *, pmfs: tuple[FloatArray, FloatArray], marks: tuple[float, float, float]) -> None:
    axes = figure.subplots()
    better, mean, limit = (mark * TEST_SIZE for mark in marks)
    axes.vlines(SHOWN, 0, pmfs[0], color=MUTED, linewidth=1.0, label="one classifier, truly 90 %")
    axes.plot(SHOWN, pmfs[1], color=RED, linewidth=1.5, label=f"one classifier, truly {100 * marks[0]:.2f} %")
    for least, colour in ((mean, BLUE), (limit, RED)):
        beyond = np.greater_equal(SHOWN, least)
        axes.fill_between(SHOWN[beyond], pmfs[1][beyond], color=colour, alpha=0.4, linewidth=0)
    texts = ("the better one", "expected best of 1000", "upper limit of the best")
    for height, at, text in zip((0.0285, 0.0265, 0.0245), (better, mean, limit), texts, strict=True):
        axes.axvline(at, color=MUTED, linewidth=0.9, linestyle=":")
        axes.annotate(text, (at, height), xytext=(4, 0), textcoords="offset points", size=8, va="center")
    axes.set(xlabel="right answers of 3000", ylabel="probability", ylim=(0, 0.031))
    axes.legend(loc="upper left")
