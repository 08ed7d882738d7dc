"""Fewer replicates as submissions mount up: the refinement that the discussion of Neto et al. suggests."""

from dataclasses import dataclass
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
    experiment,
    list_repetitions,
    self_consistent,
)
from ladderboard_lab.experiments.deciding import usually
from ladderboard_lab.experiments.drawing import GREEN
from ladderboard_lab.experiments.estimates import median_of
from ladderboard_lab.experiments.neto.attacks import Campaign, run_step_forward
from ladderboard_lab.experiments.neto.data import make_study
from ladderboard_lab.experiments.neto.measured import draw_boxes
from ladderboard_lab.experiments.neto.mechanisms import NO_NOISE, STAND_IN, Panel, ladder_panel
from ladderboard_lab.participant import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ALPHA = 0.5


@dataclass(frozen=True)
class _Named(Panel):
    label: str = ""

    @property
    def name(self) -> str:
        return self.label


@experiment(
    id="own-adaptive-replicates",
    title="Fewer replicates as submissions mount up",
    claim="The discussion of Neto et al. suggests a number of replicates that falls with the submissions. Does "
    "b = 1000/√t give the first participants precise numbers and still withstand the step-forward attack?",
    takes_data=True,
    stand_in=STAND_IN,
    controls=(NO_NOISE,),
)
def own_adaptive_replicates(conditions: Conditions) -> ExperimentResult:
    """The Ladder, constant b = 1000, and b = 1000/√t at α = .5, with the penalised attacker."""
    noisy: list[tuple[str, lb.Mechanism]] = [
        ("b = 1000", lb.LadderBoot(ALPHA, 1000, redraw=True)),
        ("b = 1000/√t", lb.LadderBoot(ALPHA, 1000, gamma=0.5, redraw=True)),
    ]
    if conditions.control == NO_NOISE:
        noisy = [(name, lb.SignificanceLadder(ALPHA)) for name, _ in noisy]
    panels = (
        _Named(ALPHA, None, ladder_panel(ALPHA, conditions).mechanism, label="Ladder"),
        *(_Named(ALPHA, 1000, mechanism, label=name) for name, mechanism in noisy),
    )
    study = make_study(conditions, permuted=True, features=conditions.choose(full=300, quick=100))
    campaign = Campaign(study, panels, (5,), attack=StepForward(reads="penalised"))
    tasks = [campaign] * conditions.repeat(full=100, quick=80)
    found = np.array(conditions.run(run_step_forward, tasks, title="adaptive replicates"))[:, :, 0]
    delta: FloatArray = found[..., 0] - found[..., 1]
    medians = np.median(delta, axis=0).tolist()
    checks = (
        self_consistent(
            "b = 1000/√t overfits at most half as much as the Ladder", usually(delta[:, 2] > delta[:, 0] / 2)
        ),
    )
    sentence = (
        f"Median ΔMSE after 5 iterations at α = .5: Ladder {medians[0]:.3f}, b = 1000 {medians[1]:.3f}, b = 1000/√t "
        f"{medians[2]:.3f}. The first release of the adaptive one is as precise as with b = 1000."
    )
    rows: list[tuple[Cell, ...]] = [
        (panel.name, value, len(delta)) for panel, value in zip(panels, medians, strict=True)
    ]

    def draw(figure: "Figure") -> None:
        axes = figure.subplots()
        draw_boxes(axes, delta, [panel.name for panel in panels], GREEN)
        axes.set_ylabel("ΔMSE")

    numbers = {panel.name: median_of(values) for panel, values in zip(panels, delta.T, strict=True)}
    return ExperimentResult(
        ResultTable(("mechanism", "median_delta", "repetitions"), rows),
        draw,
        Verdict(checks, sentence, numbers),
        (5.5, 3.6),
        list_repetitions(delta, "delta", mechanism=[panel.name for panel in panels]),
    )
