"""What the boards release in Neto et al., on the simulated data: Fig. 1, Fig. 3 and Fig. 5."""

import itertools
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
from ladderboard_lab.experiments.deciding import usually
from ladderboard_lab.experiments.drawing import BLUE, MUTED, RED
from ladderboard_lab.experiments.estimates import median_of
from ladderboard_lab.experiments.neto.attacks import both_losses, open_board
from ladderboard_lab.experiments.neto.data import SMALL_FEATURES, make_illustration
from ladderboard_lab.experiments.neto.mechanisms import (
    DISCLOSED,
    NO_LADDER,
    NO_NOISE,
    PAPER,
    REPLICATES,
    SMALL_DIFFERENCE,
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
    """Simulated data sets with shuffled responses, 40 items in each part, 1,000 features; the first is drawn."""
    follows = FOLLOWED.get(conditions.control or "", 0)
    pairs = [
        tuple(_first_iteration(seed, panel, follows=follows) for panel in (DISCLOSED, ladder_panel(ALPHA, conditions)))
        for seed in _seeds(conditions, full=100, quick=40)
    ]
    shares = [float(np.mean(full.numbers > 1)) for full, _ in pairs]
    checks = (
        check_claim("most features have a released MSE above 1 under full disclosure", usually(np.array(shares) > 0.5)),
        check_claim(
            "the 30 best features are spread over most of the 1,000 under full disclosure",
            usually([np.ptp(_best(full)) > SMALL_FEATURES / 2 for full, _ in pairs]),
        ),
        check_claim(
            "under the Ladder the 30 best are the feature at the last jump and those after it",
            usually([_best_follow_jump(ladder) for _, ladder in pairs]),
        ),
        check_claim(
            "after the last jump the Ladder releases one number",
            usually([len(set(ladder.numbers[ladder.accepts[-1] :])) == 1 for _, ladder in pairs]),
        ),
    )
    full, ladder = pairs[0]
    best, jump, above = [np.sort(_best(trace)) for trace in pairs[0]], int(ladder.accepts[-1]), shares[0]
    sentence = (
        f"{len(pairs)} data sets; in the first {above:.0%} of the features have an MSE above 1 under full disclosure, "
        f"and the 30 best lie between features {best[0][0] + 1} and {best[0][-1] + 1}. Under the Ladder its last jump "
        f"is at feature {jump + 1} (the paper's was at 249), and the 30 best are features {best[1][0] + 1} to "
        f"{best[1][-1] + 1}."
    )
    verdict = Verdict(checks, sentence, {"last jump": jump + 1, "share above 1": above})
    last = np.array([[ladder.accepts[-1] + 1, share] for (_, ladder), share in zip(pairs, shares, strict=True)])
    raw = list_repetitions(last, "value", quantity=("last jump", "share above 1"))

    def draw(figure: "Figure") -> None:
        _draw_fig1(figure, (full, ladder), best, jump)

    return ExperimentResult(_table([full, ladder]), draw, verdict, size=(8.5, 6.0), raw=raw)


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
    """The trace over ten iterations, with the last jump of each; the first data set's is drawn."""
    traces = [
        _ten_iterations(
            seed,
            ladder_panel(ALPHA, conditions),
            first_features=conditions.control == FIRST_FEATURES,
            follows=FOLLOWED.get(conditions.control or "", 0),
        )
        for seed in _seeds(conditions, full=200, quick=120)
    ]
    losses = np.array([(trace.public, trace.final) for trace in traces])
    public, final = np.median(losses, axis=0).tolist()
    checks = (
        check_number(
            "the public MSE after ten iterations is about .4: its median lies between .3 and .5",
            [usually(losses[:, 0] > 0.3), usually(losses[:, 0] < 0.5)],
        ),
        check_claim(
            "every iteration ends at a jump of the released score",
            usually([len(trace.choices) == STEPS for trace in traces]),
        ),
        check_claim("the final MSE is no better than a constant's (1 or more)", usually(losses[:, 1] >= 1)),
    )
    sentence = (
        f"After ten iterations ({len(traces[0].numbers):,} submissions) the median public MSE over {len(traces)} data "
        f"sets is {public:.2f} (paper: about .4, on one data set), the median final MSE {final:.2f}: nothing was "
        "learnt, and ten useless coefficients fitted on 40 items cost the rest."
    )
    verdict = Verdict(checks, sentence, {"public MSE": median_of(losses[:, 0]), "final MSE": median_of(losses[:, 1])})
    raw = list_repetitions(losses, "mse", part=("public", "final"))

    def draw(figure: "Figure") -> None:
        _draw_traces(figure, [traces[:1]])

    return ExperimentResult(_table(traces[:1]), draw, verdict, size=(8.0, 3.6), raw=raw)


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
    seeds, features = _seeds(conditions, full=100, quick=80), conditions.choose(full=1000, quick=250)
    # A pass takes a tenth of the time: more of them.
    once = _seeds(conditions, full=200, quick=160)
    every_first = [[_first_iteration(seed, panel, features=features) for panel in panels] for seed in once]
    ten = [[_ten_iterations(seed, panel, features=features) for seed in seeds] for panel in panels]
    noises = np.array([[_noise(trace) for trace in own[1:]] for own in every_first])
    jumps = np.array([_median_jump(own[0]) for own in every_first])
    each = np.array([[trace.public for trace in own] for own in ten])
    first, noise, jump = every_first[0], np.median(noises, axis=0).tolist(), float(np.median(jumps))
    public, runs = np.median(each, axis=1).tolist(), len(seeds)
    checks = (
        check_claim(
            "the noise is smaller than the median jump of a pass for b = 1000 and 100",
            [usually(noises[:, place] < jumps) for place in (0, 1)],
        ),
        check_claim("and for b = 10 larger than for 100", usually(noises[:, 2] > noises[:, 1])),
        check_claim(
            "for b = 10 the noise is larger than the median jump",
            usually(noises[:, 2] > jumps),
            caveat=SMALL_DIFFERENCE,
        ),
        check_claim(
            "the public MSE after the attack is higher with LadderBoot than with the Ladder for b = 100 and 10",
            [usually(own > each[0]) for own in each[2:]],
        ),
        check_claim("and for b = 1000", usually(each[1] > each[0]), caveat=SMALL_DIFFERENCE),
        check_claim("and with b = 10 higher than with 1000", usually(each[3] > each[1])),
        check_claim(
            "and with b = 100 between those with b = 1000 and 10",
            [usually(each[2] > each[1]), usually(each[3] > each[2])],
            caveat=SMALL_DIFFERENCE,
        ),
    )
    sentence = (
        f"With {features} features: median jump of the Ladder in the first pass over {len(once)} data sets {jump:.4f}, "
        f"noise of LadderBoot's releases {'/'.join(f'{value:.4f}' for value in noise)} for b = 1000/100/10. Median "
        f"public MSE over {runs} after {len(ten[0][0].numbers):,} submissions of the step-forward attack: Ladder "
        f"{public[0]:.2f}, LadderBoot {public[1]:.2f}/{public[2]:.2f}/{public[3]:.2f}."
    )
    numbers = {f"public MSE, {panel.name}": median_of(own) for panel, own in zip(panels, each, strict=True)}
    shown = [own[0] for own in ten]
    table = _table([*first, *shown], passes=[1] * 4 + [STEPS] * 4)
    every = np.array([[(trace.public, trace.final) for trace in own] for own in ten])
    raw = list_repetitions(
        every.swapaxes(0, 1), "mse", mechanism=[panel.name for panel in panels], part=("public", "final")
    )
    verdict = Verdict(checks, sentence, {"median jump": median_of(jumps)} | numbers)
    return ExperimentResult(table, lambda figure: _draw_traces(figure, [first, shown]), verdict, (10.0, 5.0), raw)


@cache
def _first_iteration(seed: int, panel: Panel, *, features: int = SMALL_FEATURES, follows: int = 0) -> Trace:
    """One submission for each feature, as in Freedman's attack."""
    problem = make_illustration(seed, features=features, follows=follows).problem()
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
    stages, ends = [], []
    for stage in StepForward(STEPS).stages(recorder, budget=10**9):
        stages.append(stage)
        ends.append(len(recorder.releases))
    numbers, accepts = _numbers(recorder.releases)
    within = [accepts[(accepts >= start) & (accepts < end)] for start, end in itertools.pairwise(ends)]
    choices = np.array([own[-1] for own in within if len(own)], dtype=np.intp)
    return Trace(panel, numbers, accepts, choices, *both_losses(problem, stages[-1]))


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


def _seeds(conditions: Conditions, *, full: int, quick: int) -> range:
    """The data sets of an illustration: no two experiments' seeds share one."""
    runs = conditions.repeat(full=full, quick=quick)
    return range(1000 * conditions.seed, 1000 * conditions.seed + runs)


def _best_follow_jump(trace: Trace) -> bool:
    """Whether the 30 best features are the one at the last jump and those after it, filled up by what came before."""
    jump, best = int(trace.accepts[-1]), _best(trace)
    run = range(jump, min(jump + KEPT, len(trace.numbers)))
    return set(run) <= set(best.tolist()) and int(best.max()) == run[-1]


def _median_jump(trace: Trace) -> float:
    """The median fall of the released number; 0 where it never falls."""
    falls = -np.diff(trace.numbers)
    return float(np.median(falls[falls != 0])) if falls.any() else 0.0


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
