"""LadderBoot under attackers that read its noise better than the paper's."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

import ladderboard as lb
from ladderboard_lab.attacks.step_forward import StepForward
from ladderboard_lab.experiments.base import Cell, Conditions, Outcome, Table, Verdict, experiment, self_consistent
from ladderboard_lab.experiments.drawing import AMBER, BLUE, GREEN, PURPLE, RED
from ladderboard_lab.experiments.neto.attacks import Campaign, run_step_forward
from ladderboard_lab.experiments.neto.data import make_study
from ladderboard_lab.experiments.neto.mechanisms import RANDOM_FEATURES, STAND_IN, Panel

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ATTACKERS = {
    "told the number of jumps (the paper's)": StepForward(reads="numbers"),
    "at most that many, penalised": StepForward(reads="penalised"),
    "PELT, no number given": StepForward(reads="pelt"),
    "penalised, each model 4 times": StepForward(reads="penalised", repeats=4),
    "reads the word accepted": StepForward(reads="accepts"),
}
COLOURS = (AMBER, BLUE, GREEN, PURPLE, RED)
ITERATIONS = 5


@experiment(
    id="own-ladder-boot-attackers",
    title="LadderBoot under stronger change-point attackers",
    claim="The paper's attacker is told the number of jumps and puts the last of them into the noise. How much does "
    "LadderBoot withstand attackers that price each jump, repeat submissions, or read the word accepted?",
    takes_data=True,
    stand_in=STAND_IN,
    controls=(RANDOM_FEATURES,),
)
def own_ladder_boot_attackers(conditions: Conditions) -> Outcome:
    """Median ΔMSE after five iterations on permuted responses: attackers × (α, b)."""
    cases = conditions.choose(full=tuple((a, b) for a in (0.15, 0.5) for b in (1000, 100, 10)), quick=((0.5, 1000),))
    panels = tuple(Panel(alpha, b, lb.LadderBoot(alpha, b, redraw=True)) for alpha, b in cases)
    study = make_study(conditions, permuted=True, features=conditions.choose(full=300, quick=100))
    base = Campaign(study, panels, (ITERATIONS,), is_random=conditions.control == RANDOM_FEATURES)
    repetitions = conditions.repeat(full=50, quick=6)
    tasks = [replace(base, attack=attack) for attack in ATTACKERS.values() for _ in range(repetitions)]
    found = np.array(conditions.run(run_step_forward, tasks, title="attackers"))[:, :, 0]
    delta = (found[..., 0] - found[..., 1]).reshape(len(ATTACKERS), repetitions, len(panels))
    medians = np.median(delta, axis=1)
    strongest = medians[1:4].min(axis=0)
    words, hardest = medians[4], cases.index((0.5, 1000))
    checks = (
        self_consistent(
            "whoever reads the word accepted overfits by .03 or more with b = 1000 at α = .5",
            words[hardest] <= -0.03,
        ),
        self_consistent(
            "with b = 1000 at α = .5 an attacker that prices jumps overfits more than the paper's, by .01 or more",
            strongest[hardest] <= medians[0, hardest] - 0.01,
        ),
    )
    listed = "; ".join(
        f"{panel.title}: " + ", ".join(f"{value:.3f}" for value in medians[:, index])
        for index, panel in enumerate(panels)
    )
    sentence = f"Median ΔMSE after {ITERATIONS} iterations for {', '.join(ATTACKERS)}. {listed}."
    rows: list[tuple[Cell, ...]] = [
        (name, panel.alpha, panel.replicates, float(medians[row, column]), repetitions)
        for row, name in enumerate(ATTACKERS)
        for column, panel in enumerate(panels)
    ]
    numbers = {f"{name}, {panels[0].title}": float(medians[row, 0]) for row, name in enumerate(ATTACKERS)}
    table = Table(("attacker", "alpha", "b", "median_delta", "repetitions"), rows)
    draw = partial(_draw, medians=medians, names=[panel.title for panel in panels])
    return Outcome(table, draw, Verdict(checks, sentence, numbers), size=(8.0, 4.2))


def _draw(figure: "Figure", *, medians: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]", names: list[str]) -> None:
    axes = figure.subplots()
    for row, (attacker, colour) in enumerate(zip(ATTACKERS, COLOURS, strict=True)):
        places = np.arange(len(names)) + 0.15 * (row - 2)
        axes.bar(places, medians[row], width=0.14, color=colour, label=attacker)
    axes.set_xticks(range(len(names)), names, size=7, rotation=15)
    axes.set_ylabel("median ΔMSE")
    axes.legend(loc="lower left", fontsize=7)
