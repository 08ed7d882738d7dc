"""What the boards release in Neto et al., on the simulated data: Fig. 1, Fig. 3 and Fig. 5."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

import ladderboard as lb
from ladderboard_lab.attacks.freedman import best_released, fits_for
from ladderboard_lab.attacks.step_forward import StepForward
from ladderboard_lab.experiments.base import (
    Cell,
    Conditions,
    ExperimentResult,
    ResultTable,
    Verdict,
    check_claim,
    check_number,
    experiment,
    list_repetitions,
)
from ladderboard_lab.experiments.drawing import BLUE, MUTED, RED
from ladderboard_lab.experiments.neto.attacks import both_losses, open_board
from ladderboard_lab.experiments.neto.data import SMALL_FEATURES, make_illustration
from ladderboard_lab.experiments.neto.mechanisms import (
    DISCLOSED,
    NO_LADDER,
    NO_NOISE,
    PAPER,
    REPLICATES,
    Panel,
    boot_panel,
    ladder_panel,
)
from ladderboard_lab.participant import FloatArray, IntArray, Participant

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ALPHA, KEPT, STEPS = 0.15, 30, 10
FIRST_FEATURES = "an attacker who takes the first ten features"
ONE_FOLLOWED = "responses that follow 40 neighbouring features"
ALL_FOLLOWED = "responses that follow all features"
FOLLOWED = {ONE_FOLLOWED: 1, ALL_FOLLOWED: 2}
SIMULATED = "simulated as the paper's, whose random numbers are not published: positions of jumps differ"


@dataclass(frozen=True, eq=False)
class Trace:
    """The numbers a board released, which submissions were accepted, and where each iteration's choice stands."""

    panel: Panel
    numbers: FloatArray
    accepts: IntArray
    choices: IntArray
    public: float
    final: float


@experiment(
    id="neto-fig1",
    title="Released MSE of each feature under full disclosure and under the Ladder",
    paper=PAPER,
    claim="Under full disclosure most features have an MSE slightly above 1 and the 30 best are spread over all 1,000. "
    "Under the Ladder (α = .15) they are the feature at the last jump (number 249 in the paper) and the 29 after it.",
    stand_in=SIMULATED,
    controls=(NO_LADDER, ONE_FOLLOWED, ALL_FOLLOWED),
)
def fig1(conditions: Conditions) -> ExperimentResult:
    """One simulated data set with shuffled responses, 40 items in each part, 1,000 features."""
    follows = FOLLOWED.get(conditions.control or "", 0)
    full, ladder = (
        _first_iteration(conditions.seed, panel, follows=follows)
        for panel in (DISCLOSED, ladder_panel(ALPHA, conditions))
    )
    best = [np.sort(_best(trace)) for trace in (full, ladder)]
    jump, spread = int(ladder.accepts[-1]), int(best[0][-1] - best[0][0])
    run = np.arange(jump, min(jump + KEPT, len(full.numbers)))
    above = float(np.mean(full.numbers > 1))
    checks = (
        check_claim("most features have a released MSE above 1 under full disclosure", above > 0.5),
        check_claim("the 30 best features are spread over most of the 1,000 under full disclosure", spread > 500),
        check_claim(
            "under the Ladder the 30 best are the feature at the last jump and those after it",
            set(run.tolist()) <= set(best[1].tolist()) and best[1][-1] == run[-1],
        ),
        check_claim("after the last jump the Ladder releases one number", len(set(ladder.numbers[jump:])) == 1),
    )
    sentence = (
        f"{above:.0%} of the features have an MSE above 1 under full disclosure; the 30 best lie between features "
        f"{best[0][0] + 1} and {best[0][-1] + 1}. Under the Ladder the last jump is at feature {jump + 1} (the paper's "
        f"was at 249), and the 30 best are features {best[1][0] + 1} to {best[1][-1] + 1}."
    )
    verdict = Verdict(checks, sentence, {"last jump": jump + 1, "share above 1": above})
    table = _table([full, ladder])
    return ExperimentResult(
        table, lambda figure: _draw_fig1(figure, (full, ladder), best, jump), verdict, size=(8.5, 6.0)
    )


@experiment(
    id="neto-fig3",
    title="Scores released by the Ladder under a step-forward attack of ten iterations",
    paper=PAPER,
    claim="After ten iterations over the strongly correlated features of Fig. 1 the model has a public MSE of about "
    ".4, while the final MSE is expected to be close to 1.",
    stand_in=SIMULATED,
    controls=(FIRST_FEATURES, ONE_FOLLOWED),
)
def fig3(conditions: Conditions) -> ExperimentResult:
    """The trace over ten iterations, with the last jump of each."""
    trace = _ten_iterations(
        conditions.seed,
        ladder_panel(ALPHA, conditions),
        first_features=conditions.control == FIRST_FEATURES,
        follows=FOLLOWED.get(conditions.control or "", 0),
    )
    checks = (
        check_number("the public MSE after ten iterations is about .4 (.3 to .5)", 0.3 <= trace.public <= 0.5),
        check_claim("every iteration ends at a jump of the released score", len(trace.choices) == STEPS),
        check_claim("the final MSE is no better than a constant's (.95 or more)", trace.final >= 0.95),
    )
    sentence = (
        f"After ten iterations ({len(trace.numbers):,} submissions) the public MSE is {trace.public:.2f} (paper: about "
        f".4), the final MSE {trace.final:.2f}: nothing was learnt, and ten useless coefficients fitted on 40 items "
        "cost the rest."
    )
    verdict = Verdict(checks, sentence, {"public MSE": trace.public, "final MSE": trace.final})
    return ExperimentResult(_table([trace]), lambda figure: _draw_traces(figure, [[trace]]), verdict, size=(8.0, 3.6))


@experiment(
    id="neto-fig5",
    title="Scores released by Ladder and LadderBoot under both attacks",
    paper=PAPER,
    claim="Noise from 1,000 or even 100 bootstrap replicates does not hide the last jump, noise from 10 does (a to d). "
    "Under the step-forward attack the overfitting decreases with the replicates: the scores level off at higher MSEs "
    "(e to h), though the attacker is told the number of jumps.",
    stand_in=SIMULATED,
    controls=(NO_NOISE,),
)
def fig5(conditions: Conditions) -> ExperimentResult:
    """Ladder and LadderBoot with b = 1000, 100, 10: one pass over the features, and ten iterations."""
    panels = [ladder_panel(ALPHA, conditions), *(boot_panel(ALPHA, b, conditions) for b in REPLICATES)]
    first = [_first_iteration(conditions.seed, panel) for panel in panels]
    runs, features = conditions.repeat(full=11, quick=5), conditions.choose(full=1000, quick=250)
    seeds = range(conditions.seed, conditions.seed + runs)
    ten = [[_ten_iterations(seed, panel, features=features) for seed in seeds] for panel in panels]
    noise, steps = [_noise(trace) for trace in first], -np.diff(first[0].numbers)
    jump = float(np.median(steps[steps != 0]))
    public = [float(np.median([trace.public for trace in own])) for own in ten]
    checks = (
        check_claim(
            "the noise is smaller than the median jump for b = 1000 and 100, larger for b = 10",
            noise[1] < noise[2] < jump < noise[3],
        ),
        check_claim(
            "the public MSE after the attack is higher the fewer replicates (median over data sets)",
            public[0] < public[1] < public[2] < public[3],
        ),
    )
    sentence = (
        f"Median jump of the Ladder in the first pass: {jump:.4f}; noise of LadderBoot's releases "
        f"{noise[1]:.4f}/{noise[2]:.4f}/{noise[3]:.4f} for b = 1000/100/10. Median public MSE after the step-forward "
        f"attack, {runs} data sets: Ladder {public[0]:.2f}, LadderBoot {public[1]:.2f}/{public[2]:.2f}/{public[3]:.2f}."
    )
    numbers = {"median jump": jump} | {f"public MSE, {p.name}": m for p, m in zip(panels, public, strict=True)}
    shown = [own[0] for own in ten]
    table = _table([*first, *shown], passes=[1] * 4 + [STEPS] * 4)
    every = np.array([[(trace.public, trace.final) for trace in own] for own in ten])
    raw = list_repetitions(
        every.swapaxes(0, 1), "mse", mechanism=[panel.name for panel in panels], part=("public", "final")
    )
    verdict = Verdict(checks, sentence, numbers)
    return ExperimentResult(table, lambda figure: _draw_traces(figure, [first, shown]), verdict, (10.0, 5.0), raw)


@cache
def _first_iteration(seed: int, panel: Panel, *, follows: int = 0) -> Trace:
    """One submission for each feature, as in Freedman's attack."""
    problem = make_illustration(seed, follows=follows).problem()
    participant = problem.open_board(panel.mechanism, seed=seed, repeats_are_free=False)
    fits = fits_for(problem.briefing)
    releases: list[lb.Release] = []
    participant.on_release = releases.append
    order = best_released(participant, fits, budget=len(fits.candidates))
    fits.choose(*order[:KEPT])
    return Trace(panel, *_numbers(releases), np.empty(0, dtype=np.intp), *both_losses(problem, fits.predictions))


@cache
def _ten_iterations(
    seed: int, panel: Panel, *, features: int = SMALL_FEATURES, first_features: bool = False, follows: int = 0
) -> Trace:
    """The step-forward attack; ``first_features``: a control that looks at nothing."""
    problem = make_illustration(seed, features=features, follows=follows).problem()
    fits = fits_for(problem.briefing)
    if first_features:
        fits.choose(*range(STEPS))
        return Trace(
            panel, np.ones(1), np.zeros(1, np.intp), np.zeros(1, np.intp), *both_losses(problem, fits.predictions)
        )
    participant = open_board(problem, panel.mechanism, seed=seed)
    recorder = _Recorder(participant)
    stages = list(StepForward(STEPS).stages(recorder, budget=10**9))
    ends = np.cumsum([len(fits.candidates) - done for done in range(len(stages) - 1)])
    numbers, accepts = _numbers(recorder.releases)
    choices = [int(accepts[accepts < end][-1]) for end in ends if (accepts < end).any()]
    return Trace(panel, numbers, accepts, np.array(choices, dtype=np.intp), *both_losses(problem, stages[-1]))


class _Recorder:
    """A participant that keeps every release."""

    def __init__(self, participant: Participant) -> None:
        self.releases: list[lb.Release] = []
        self.briefing = participant.briefing
        self._participant = participant

    def submit(self, predictions: FloatArray, *, training_score: float | None = None) -> "lb.Release":
        release = self._participant.submit(predictions, training_score=training_score)
        self.releases.append(release)
        return release

    def account(self, name: str) -> "_Recorder":
        return _Recorder(self._participant.account(name))


def _numbers(releases: Sequence["lb.Release"]) -> tuple[FloatArray, IntArray]:
    """The value told for every submission, and which were accepted."""
    return np.array([one.value for one in releases], dtype=float), np.flatnonzero([one.accepted for one in releases])


def _best(trace: Trace) -> IntArray:
    return np.argsort(trace.numbers, kind="stable")[:KEPT]


def _noise(trace: Trace) -> float:
    """The standard deviation of the numbers around their means between accepts."""
    segment = np.searchsorted(trace.accepts, np.arange(len(trace.numbers)), side="right")
    sizes = np.maximum(np.bincount(segment), 1)
    means = np.bincount(segment, weights=trace.numbers) / sizes
    return float(np.sqrt(np.square(trace.numbers - means[segment]).sum() / (len(trace.numbers) - len(trace.accepts))))


def _table(traces: Sequence[Trace], *, passes: Sequence[int] | None = None) -> ResultTable:
    rows: list[tuple[Cell, ...]] = []
    for trace, iterations in zip(traces, passes or [1] * len(traces), strict=True):
        accepted = set(trace.accepts.tolist())
        rows += [
            (trace.panel.name, iterations, index + 1, float(number), index in accepted)
            for index, number in enumerate(trace.numbers)
        ]
    return ResultTable(("mechanism", "iterations", "submission", "released_mse", "accepted"), rows)


def _draw_fig1(figure: "Figure", traces: Sequence[Trace], best: Sequence[IntArray], jump: int) -> None:
    for axes, trace, chosen in zip(figure.subplots(2, 1, sharex=True), traces, best, strict=True):
        axes.plot(np.arange(1, len(trace.numbers) + 1), trace.numbers, "o", color=MUTED, markersize=2)
        axes.plot(chosen + 1, trace.numbers[chosen], "o", color=RED, markersize=3.5, label="30 smallest")
        axes.set_title(trace.panel.title, loc="left")
        axes.set_ylabel("released MSE")
    figure.axes[1].axvline(jump + 1, color=RED, linewidth=1.0, label="last jump")
    figure.axes[1].legend()
    figure.axes[1].set_xlabel("feature")


def _draw_traces(figure: "Figure", rows: Sequence[Sequence[Trace]]) -> None:
    grid = figure.subplots(len(rows), len(rows[0]), sharey="row", squeeze=False)
    for axes, trace in zip(grid.ravel(), [trace for row in rows for trace in row], strict=True):
        axes.plot(np.arange(1, len(trace.numbers) + 1), trace.numbers, color=BLUE, linewidth=0.8)
        for choice in trace.choices:
            axes.axvline(choice + 1, color=RED, linewidth=0.8, alpha=0.8)
        axes.set_title(trace.panel.title, size=8)
        axes.set_xlabel("submission")
    for row in grid:
        row[0].set_ylabel("released MSE")
