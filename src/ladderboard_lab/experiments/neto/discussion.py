"""The discussion of Neto et al.: repeated submissions average LadderBoot's noise away."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

import ladderboard as lb
from ladderboard_lab.attacks.step_forward import StepForward
from ladderboard_lab.experiments.base import (
    Cell,
    Conditions,
    ExperimentResult,
    ResultTable,
    Verdict,
    check_claim,
    experiment,
    list_repetitions,
)
from ladderboard_lab.experiments.deciding import usually, usually_positive
from ladderboard_lab.experiments.drawing import BLUE
from ladderboard_lab.experiments.estimates import median_of
from ladderboard_lab.experiments.neto.attacks import Campaign, run_step_forward
from ladderboard_lab.experiments.neto.data import ILLUSTRATION, Study
from ladderboard_lab.experiments.neto.measured import FINAL, PUBLIC, draw_boxes
from ladderboard_lab.experiments.neto.mechanisms import PAPER, SMALL_DIFFERENCE, Panel, ladder_panel
from ladderboard_lab.participant import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ALPHA = 0.15
STORED = "a repeated submission answered with the stored number"


@experiment(
    id="neto-repeats",
    title="Repeated submissions undo the noise of a single bootstrap replicate",
    paper=PAPER,
    claim="Even with b = 1 an attacker who submits each model many times and averages the answers finds the last "
    "jumps, as under the Ladder. A simple remedy is to reject submissions that are the same.",
    stand_in="simulated data as in Figs 1, 3 and 5",
    controls=(STORED,),
)
def repeats(conditions: Conditions) -> ExperimentResult:
    """The step-forward attack on LadderBoot with b = 1, each model submitted once and many times."""
    times = (1, conditions.choose(full=400, quick=100))
    noisy = Panel(ALPHA, 1, lb.LadderBoot(ALPHA, 1, redraw=True))
    features = conditions.choose(full=60, quick=30)
    study = Study(replace(ILLUSTRATION, features=features), features, permuted=True)
    base = Campaign(study, (noisy,), (1,), repeats_are_free=conditions.control == STORED)
    campaigns = [replace(base, attack=StepForward(reads="penalised", repeats=count)) for count in times]
    campaigns.append(replace(base, panels=(ladder_panel(ALPHA, conditions),)))
    tasks = [tuple(campaigns)] * conditions.repeat(full=200, quick=160)
    found = np.array(conditions.run(_run_each, tasks, title="repeated submissions"))
    delta, public = (found[..., PUBLIC] - found[..., FINAL]).T, found[..., PUBLIC].T
    once, often, ladder = np.median(delta, axis=1).tolist()
    checks = (
        check_claim(
            "where they differ, the public MSE under LadderBoot (b = 1) is lower with many repetitions than with one",
            usually_positive(public[0] - public[1]),
        ),
        check_claim(
            "and at least half as far below 1 as under the Ladder",
            usually(1 - public[1] > (1 - public[2]) / 2),
            caveat=SMALL_DIFFERENCE,
        ),
    )
    sentence = (
        f"Median ΔMSE after one iteration on 40 public items: LadderBoot with b = 1 {once:.3f} where each model is "
        f"submitted once, {often:.3f} where it is submitted {times[1]} times; the Ladder {ladder:.3f}."
    )
    names = ["LadderBoot, once", f"LadderBoot, {times[1]} times", "Ladder"]
    rows: list[tuple[Cell, ...]] = [(name, median) for name, median in zip(names, (once, often, ladder), strict=True)]

    def draw(figure: "Figure") -> None:
        _draw(figure, delta, names)

    verdict = Verdict(checks, sentence, dict(zip(names, map(median_of, delta), strict=True)))
    raw = list_repetitions(delta.T, "delta", attack=names)
    return ExperimentResult(ResultTable(("attack", "median_delta"), rows), draw, verdict, size=(5.5, 3.8), raw=raw)


def _run_each(campaigns: tuple[Campaign, ...], seed: np.random.SeedSequence) -> FloatArray:
    """Campaigns × (public, final, released), on the same data."""
    return np.array([run_step_forward(campaign, seed)[0, 0] for campaign in campaigns])


def _draw(figure: "Figure", delta: FloatArray, names: list[str]) -> None:
    axes = figure.subplots()
    draw_boxes(axes, delta.T, names, BLUE)
    axes.set_ylabel("ΔMSE")
