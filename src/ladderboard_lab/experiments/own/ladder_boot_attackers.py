"""LadderBoot under attackers that read its noise better than the paper's: figures 6, S3 to S5 and S11 with them."""

from dataclasses import replace
from functools import partial
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
from ladderboard_lab.experiments.drawing import AMBER, BLUE, GREEN, PURPLE, RED
from ladderboard_lab.experiments.estimates import median_of
from ladderboard_lab.experiments.neto.attacks import Campaign, run_step_forward
from ladderboard_lab.experiments.neto.data import make_study
from ladderboard_lab.experiments.neto.measured import FINAL, PUBLIC, RELEASED
from ladderboard_lab.experiments.neto.mechanisms import (
    ALPHAS,
    RANDOM_FEATURES,
    REPLICATES,
    SMALL_DIFFERENCE,
    STAND_IN,
    Panel,
)
from ladderboard_lab.experiments.neto.submissions import count_borne, measure_ways
from ladderboard_lab.participant import FloatArray
from ladderboard_lab.planning.step_forward_runs import count_submissions
from ladderboard_lab.planning.submissions import GRID, TOLERANCE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PAPERS, PENALISED, ACCEPTS = "told the number of jumps (the paper's)", "at most that many, penalised", "reads accepted"
ATTACKERS = {
    PAPERS: StepForward(reads="numbers"),
    PENALISED: StepForward(reads="penalised"),
    "PELT, no number given": StepForward(reads="pelt"),
    "penalised, each model 4 times": StepForward(reads="penalised", repeats=4),
    ACCEPTS: StepForward(reads="accepts"),
}
NAMES = list(ATTACKERS)
READERS = (PAPERS, PENALISED, ACCEPTS)
"""The attackers whose submissions are counted."""
COLOURS = dict(zip(NAMES, (AMBER, BLUE, GREEN, PURPLE, RED), strict=True))
DATA = {"permuted responses": True, "random splits": False}
ITERATIONS = 5
COUNTS = tuple(count_submissions(iterations=iterations, features=features) for iterations, features in GRID)


@experiment(
    id="own-ladder-boot-attackers",
    title="LadderBoot under stronger change-point attackers",
    claim="Figures 6 and S3 to S5 with other attackers. The paper's is told the number of jumps and puts the last of "
    "them into the noise. How much does LadderBoot withstand attackers that price each jump, repeat submissions, or "
    "read the word accepted?",
    takes_data=True,
    stand_in=STAND_IN,
    controls=(RANDOM_FEATURES,),
)
def own_ladder_boot_attackers(conditions: Conditions) -> ExperimentResult:
    """Median ΔMSE and released MSE after five iterations: data × attackers × (α, b)."""
    cases = conditions.choose(full=tuple((a, b) for a in ALPHAS for b in REPLICATES), quick=((0.5, 1000),))
    panels = tuple(_make_panel(alpha, b) for alpha, b in cases)
    data = conditions.choose(full=tuple(DATA), quick=tuple(DATA)[:1])
    repetitions = conditions.repeat(full=100, quick=80)
    campaigns = tuple(
        replace(_make_campaign(conditions, panels, permuted=DATA[name]), attack=attack)
        for name in data
        for attack in ATTACKERS.values()
    )
    losses = np.array(conditions.run(_run_each, [campaigns] * repetitions, title="attackers"))
    each = np.moveaxis(losses.reshape(repetitions, len(data), len(NAMES), len(panels), 3), 0, 2)
    overfit = np.median(each[..., PUBLIC] - each[..., FINAL], axis=2)
    released = np.median(each[..., RELEASED], axis=2)
    rows: list[tuple[Cell, ...]] = [
        (data[d], NAMES[a], *cases[p], float(overfit[d, a, p]), float(released[d, a, p]), repetitions)
        for d, a, p in np.ndindex(overfit.shape)
    ]
    table = ResultTable(("data", "attacker", "alpha", "b", "median_delta", "median_released_mse", "repetitions"), rows)
    verdict = _judge_attackers(each[0, ..., PUBLIC] - each[0, ..., FINAL], cases, panels)
    names = [panel.title for panel in panels]
    draw = partial(_draw_attackers, medians=overfit, data=data, names=names)
    places = {"data": data, "attacker": NAMES, "mechanism": names, "part": ("public", "final", "released")}
    raw = list_repetitions(np.moveaxis(each, 2, 0), "mse", **places)
    return ExperimentResult(table, draw, verdict, size=(8.0, 4.2 * len(data)), raw=raw)


def _run_each(campaigns: tuple[Campaign, ...], seed: np.random.SeedSequence) -> FloatArray:
    """Campaigns × mechanisms × (public, final, released): every attacker on the same data."""
    return np.array([run_step_forward(campaign, seed)[:, 0] for campaign in campaigns])


def _make_panel(alpha: float, b: int) -> Panel:
    return Panel(alpha, b, lb.LadderBoot(alpha, b, redraw=True))


def _make_campaign(conditions: Conditions, panels: tuple[Panel, ...], *, permuted: bool) -> Campaign:
    study = make_study(conditions, permuted=permuted, features=conditions.choose(full=300, quick=100))
    return Campaign(study, panels, (ITERATIONS,), is_random=conditions.control == RANDOM_FEATURES)


def _judge_attackers(delta: FloatArray, cases: tuple[tuple[float, int], ...], panels: tuple[Panel, ...]) -> Verdict:
    """Check the attackers × repetitions × panels of the permuted responses."""
    medians = np.median(delta, axis=1)
    papers, *priced, words = delta[:, :, cases.index((0.5, 1000))]
    checks = (
        self_consistent(
            "whoever reads the word accepted overfits with b = 1000 at α = .5, and more than the paper's attacker",
            [usually(words < 0), usually(words < papers)],
        ),
        self_consistent(
            "with b = 1000 at α = .5 an attacker that prices jumps and asks four times overfits more than the paper's",
            usually(priced[-1] < papers),
        ),
        self_consistent(
            "and so does every attacker that prices jumps",
            [usually(one < papers) for one in priced],
            caveat=SMALL_DIFFERENCE,
        ),
    )
    listed = "; ".join(
        f"{panel.title}: " + ", ".join(f"{value:.3f}" for value in medians[:, index])
        for index, panel in enumerate(panels)
    )
    sentence = f"Median ΔMSE after {ITERATIONS} iterations for {', '.join(NAMES)}. {listed}."
    numbers = {f"{name}, {panels[0].title}": median_of(delta[row, :, 0]) for row, name in enumerate(NAMES)}
    return Verdict(checks, sentence, numbers)


def _draw_attackers(figure: "Figure", *, medians: FloatArray, data: tuple[str, ...], names: list[str]) -> None:
    drawn: list[Axes] = list(np.ravel(figure.subplots(len(data), 1, sharex=True)))
    for axes, title, values in zip(drawn, data, medians, strict=True):
        for row, attacker in enumerate(NAMES):
            places = np.arange(len(names)) + 0.15 * (row - 2)
            axes.bar(places, values[row], width=0.14, color=COLOURS[attacker], label=attacker)
        axes.set_title(title, loc="left")
        axes.set_ylabel("median ΔMSE")
    drawn[-1].set_xticks(range(len(names)), names, size=7, rotation=15)
    drawn[0].legend(loc="lower left", fontsize=7)


@experiment(
    id="own-ladder-boot-submissions",
    title="The number of submissions LadderBoot can bear under stronger attackers",
    claim="Figure S11 with other attackers: median ΔMSE of LadderBoot (b = 100) after 50 to 1,785 submissions from "
    "random subsets of the features. Does it still bear 1,785 at every α?",
    takes_data=True,
    stand_in=STAND_IN,
    controls=(RANDOM_FEATURES,),
)
def own_ladder_boot_submissions(conditions: Conditions) -> ExperimentResult:
    """ΔMSE by number of submissions at three levels: the paper's attacker beside two that read more."""
    panels = tuple(_make_panel(alpha, 100) for alpha in ALPHAS)
    repetitions = conditions.repeat(full=100, quick=20)
    each = np.array(
        [measure_ways(conditions, panels, GRID, repetitions=repetitions, attack=ATTACKERS[name]) for name in READERS]
    )
    medians = np.median(each, axis=1)
    borne = {
        (name, panel.alpha): count_borne(COUNTS, medians[row, column])
        for row, name in enumerate(READERS)
        for column, panel in enumerate(panels)
    }
    checks = (
        self_consistent(
            "after 1,785 submissions whoever reads the word accepted overfits more than the paper's at α = .15 and .5",
            [usually(each[2, :, level, -1] < each[0, :, level, -1]) for level in (1, 2)],
        ),
        self_consistent("and at α = .5 overfits beyond −.05", usually(each[2, :, 2, -1] < -TOLERANCE)),
    )
    listed = "; ".join(f"{name}: " + "/".join(f"{borne[name, alpha]:,}" for alpha in ALPHAS) for name in READERS)
    sentence = f"Within −.05 stay the first submissions to LadderBoot (b = 100) with α = .01/.15/.5: {listed}."
    numbers = {f"{name}, α = {alpha:g}": float(count) for (name, alpha), count in borne.items()}
    rows: list[tuple[Cell, ...]] = [
        (name, panel.alpha, count, float(medians[row, column, place]), repetitions)
        for row, name in enumerate(READERS)
        for column, panel in enumerate(panels)
        for place, count in enumerate(COUNTS)
    ]
    table = ResultTable(("attacker", "alpha", "submissions", "median_delta", "repetitions"), rows)
    draw, verdict = partial(_draw_counts, medians=medians), Verdict(checks, sentence, numbers)
    raw = list_repetitions(np.moveaxis(each, 1, 0), "delta", attacker=READERS, alpha=ALPHAS, submissions=COUNTS)
    return ExperimentResult(table, draw, verdict, size=(6.5, 7.5), raw=raw)


def _draw_counts(figure: "Figure", *, medians: FloatArray) -> None:
    for column, (axes, alpha) in enumerate(zip(figure.subplots(3, 1, sharex=True, sharey=True), ALPHAS, strict=True)):
        for row, name in enumerate(READERS):
            axes.plot(COUNTS, medians[row, column], marker="o", color=COLOURS[name], label=name)
        axes.axhline(-TOLERANCE, color="0.5", linewidth=1.0)
        axes.set_title(f"LadderBoot, b = 100, α = {alpha:g}", loc="left")
        axes.set_ylabel("median ΔMSE")
    figure.axes[0].legend(loc="lower left", fontsize=7)
    figure.axes[-1].set_xlabel("number of submissions")
