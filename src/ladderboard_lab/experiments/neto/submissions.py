"""How many submissions in Neto et al.: S11 with its printed limits, and Text S3's four ways to spend 120."""

from dataclasses import dataclass, replace
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
    check_claim,
    check_number,
    experiment,
)
from ladderboard_lab.experiments.deciding import usually
from ladderboard_lab.experiments.drawing import AMBER, BLUE, GREEN
from ladderboard_lab.experiments.estimates import median_of
from ladderboard_lab.experiments.neto.attacks import Campaign, run_step_forward
from ladderboard_lab.experiments.neto.data import Study, make_study
from ladderboard_lab.experiments.neto.measured import draw_boxes
from ladderboard_lab.experiments.neto.mechanisms import (
    ALPHAS,
    NO_NOISE,
    OTHER_ALPHA,
    PAPER,
    RANDOM_FEATURES,
    SMALL_DIFFERENCE,
    STAND_IN,
    Panel,
    boot_panel,
    ladder_panel,
)
from ladderboard_lab.participant import Briefing, FloatArray
from ladderboard_lab.planning.step_forward_runs import count_submissions
from ladderboard_lab.planning.submissions import GRID, TOLERANCE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COUNTS = (50, 199, 447, 794, 1240, 1785)
WAYS = ((1, 120), (3, 41), (5, 26), (15, 15))
"""Iterations and features that make 120 submissions."""


@dataclass(frozen=True, eq=False)
class _Ways:
    """Several (iterations, features) on the same panels; every repetition draws its own features."""

    study: Study
    panels: tuple[Panel, ...]
    ways: tuple[tuple[int, int], ...]
    is_random: bool
    attack: StepForward


def _run_ways(task: _Ways, seed: np.random.SeedSequence) -> FloatArray:
    """Mechanisms × ways: ΔMSE after the last iteration."""
    found = []
    for (iterations, features), own in zip(task.ways, seed.spawn(len(task.ways)), strict=True):
        study = replace(task.study, features=features)
        campaign = Campaign(study, task.panels, (iterations,), attack=task.attack, is_random=task.is_random)
        losses = run_step_forward(campaign, own)[:, 0]
        found.append(losses[:, 0] - losses[:, 1])
    return np.array(found).T


@experiment(
    id="neto-s11",
    title="The number of submissions a public leaderboard can bear",
    paper=PAPER,
    claim="Median ΔMSE after 50, 199, 447, 794, 1,240 and 1,785 submissions from random subsets of the 2,150 features. "
    "To stay above −.05 the Ladder must allow fewer than 794 submissions at α = .15 and fewer than 447 at α = .5; "
    "1,785 are still fine at α = .01, and with LadderBoot (b = 100) at any α. (1,000 permutations for each setting.)",
    takes_data=True,
    stand_in=STAND_IN,
    controls=(NO_NOISE, RANDOM_FEATURES, OTHER_ALPHA),
)
def s11(conditions: Conditions) -> ExperimentResult:
    """ΔMSE by number of submissions, Ladder beside LadderBoot with b = 100, at three levels."""
    panels = tuple(
        panel for alpha in ALPHAS for panel in (ladder_panel(alpha, conditions), boot_panel(alpha, 100, conditions))
    )
    delta = measure_ways(conditions, panels, GRID, repetitions=conditions.repeat(full=1000, quick=30))
    medians = np.median(delta, axis=0)
    counts = tuple(count_submissions(iterations=i, features=p) for i, p in GRID)
    borne = {panel.title: count_borne(counts, medians[index]) for index, panel in enumerate(panels)}
    ladder = {alpha: borne[f"Ladder, α = {alpha:g}"] for alpha in ALPHAS}
    boot = {alpha: borne[f"LadderBoot, b = 100, α = {alpha:g}"] for alpha in ALPHAS}
    last = medians[:, -1].reshape(3, 2)
    each = delta[:, :, -1].reshape(len(delta), 3, 2)
    checks = (
        check_claim(
            f"1,785 submissions are fine with the Ladder at α = .01 (median ΔMSE above −{TOLERANCE})",
            usually(each[:, 0, 0] > -TOLERANCE),
        ),
        check_claim(
            "after 1,785 submissions LadderBoot overfits less than the Ladder at α = .15 and .5",
            [usually(each[:, level, 1] > each[:, level, 0]) for level in (1, 2)],
        ),
        check_claim(
            "with LadderBoot 1,785 are fine at every α",
            [usually(each[:, level, 1] > -TOLERANCE) for level in range(3)],
            caveat=SMALL_DIFFERENCE,
        ),
        check_claim("1,785 are too many for the Ladder at α = .15", usually(each[:, 1, 0] < -TOLERANCE)),
        check_number(
            "447 submissions are too many for the Ladder at α = .5",
            usually(_at(delta, counts, 447, 0.5) < -TOLERANCE),
            caveat=SMALL_DIFFERENCE,
        ),
        check_number(
            "794 submissions are too many for the Ladder at α = .15",
            usually(_at(delta, counts, 794, 0.15) < -TOLERANCE),
            caveat=SMALL_DIFFERENCE,
        ),
        check_claim(
            "after 1,785 submissions ΔMSE is lower the larger α (Ladder)",
            [usually(each[:, 0, 0] > each[:, 1, 0]), usually(each[:, 1, 0] > each[:, 2, 0])],
        ),
    )
    sentence = (
        f"Within −.05 stay the first {ladder[0.01]:,}/{ladder[0.15]:,}/{ladder[0.5]:,} submissions to the Ladder with "
        f"α = .01/.15/.5 (printed: 1,785, below 794, below 447) and {boot[0.01]:,}/{boot[0.15]:,}/{boot[0.5]:,} to "
        f"LadderBoot (printed: 1,785). Median ΔMSE after 1,785: Ladder "
        f"{last[0, 0]:.3f}/{last[1, 0]:.3f}/{last[2, 0]:.3f}, LadderBoot "
        f"{last[0, 1]:.3f}/{last[1, 1]:.3f}/{last[2, 1]:.3f}."
    )
    verdict = Verdict(checks, sentence, {name: float(count) for name, count in borne.items()})
    draw = partial(_draw_levels, delta=delta, counts=counts)
    return ExperimentResult(
        _table(panels, GRID, delta), draw, verdict, size=(6.5, 7.5), raw=_raw(panels, counts, delta)
    )


def _draw_levels(figure: "Figure", *, delta: FloatArray, counts: tuple[int, ...]) -> None:
    for row, (axes, alpha) in enumerate(zip(figure.subplots(3, 1, sharex=True, sharey=True), ALPHAS, strict=True)):
        for place, colour in ((0, AMBER), (1, GREEN)):
            draw_boxes(axes, delta[:, 2 * row + place], counts, colour, place=place, of=2)
        axes.axhline(-TOLERANCE, color=BLUE, linewidth=1.2)
        axes.set_title(f"α = {alpha:g} (Ladder: amber, LadderBoot, b = 100: green)", loc="left")
        axes.set_ylabel("ΔMSE")
    figure.axes[-1].set_xlabel("number of submissions")


@experiment(
    id="neto-text-s3",
    title="Four ways to spend 120 submissions",
    paper=PAPER,
    claim="120 submissions are one iteration over 120 features, three over 41, five over 26 or fifteen over 15. Little "
    "overfitting is expected from the first and the last, more from the second and third.",
    takes_data=True,
    stand_in=STAND_IN,
    controls=(RANDOM_FEATURES,),
)
def text_s3(conditions: Conditions) -> ExperimentResult:
    """The step-forward attack on the Ladder (α = .15), spent in four ways."""
    panels = (ladder_panel(0.15, conditions),)
    delta = measure_ways(conditions, panels, WAYS, repetitions=conditions.repeat(full=1000, quick=300))
    medians, each = np.median(delta[:, 0], axis=0).tolist(), delta[:, 0].T
    counts = [count_submissions(iterations=i, features=p) for i, p in WAYS]
    made = [_count(conditions, iterations, features) for iterations, features in WAYS]
    checks = (
        check_number("each of the four ways makes 120 submissions", made == counts == [120] * 4),
        check_claim(
            "three and five iterations overfit more than one (mean of the two)",
            usually(each[1:3].mean(axis=0) < each[0]),
            caveat=SMALL_DIFFERENCE,
        ),
        check_claim("and more than fifteen", usually(each[1:3].mean(axis=0) < each[3])),
    )
    words = ", ".join(f"{value:.3f} with {i} × {p}" for (i, p), value in zip(WAYS, medians, strict=True))
    verdict = Verdict(
        checks,
        f"Median ΔMSE of the Ladder (α = .15) after 120 submissions: {words} (iterations × features).",
        {f"{i} × {p}": median_of(delta[:, 0, way]) for way, (i, p) in enumerate(WAYS)},
    )

    def draw(figure: "Figure") -> None:
        axes = figure.subplots()
        draw_boxes(axes, delta[:, 0], [f"{i} × {p}" for i, p in WAYS], AMBER)
        axes.axhline(0, color=BLUE, linewidth=0.8)
        axes.set(xlabel="iterations × features", ylabel="ΔMSE")

    return ExperimentResult(
        _table(panels, WAYS, delta), draw, verdict, size=(6.0, 3.8), raw=_raw(panels, counts, delta)
    )


def measure_ways(
    conditions: Conditions,
    panels: tuple[Panel, ...],
    ways: tuple[tuple[int, int], ...],
    *,
    repetitions: int,
    attack: StepForward | None = None,
) -> FloatArray:
    """Measure ΔMSE on permuted responses: repetitions × mechanisms × ways, each of them (iterations, features)."""
    study = make_study(conditions, permuted=True, redraws=True)
    fitting = tuple((iterations, min(features, study.available)) for iterations, features in ways)
    task = _Ways(study, panels, fitting, conditions.control == RANDOM_FEATURES, attack or StepForward())
    return np.array(conditions.run(_run_ways, [task] * repetitions, title="attacks by number of submissions"))


def _count(conditions: Conditions, iterations: int, features: int) -> int:
    """How many submissions the attack makes where every iteration finds a jump."""
    if conditions.control == RANDOM_FEATURES:
        return 0  # it asks nothing
    sets = make_study(conditions, permuted=True, features=features).repetition(np.random.default_rng(0))
    participant = _AlwaysAccepted(sets.problem().briefing)
    list(StepForward(iterations).stages(participant, budget=10**9))
    return participant.submissions


class _AlwaysAccepted:
    """A board on which every submission is a little better than the one before; it counts them."""

    def __init__(self, briefing: Briefing) -> None:
        self.briefing, self.submissions = briefing, 0

    def submit(self, predictions: FloatArray, *, training_score: float | None = None) -> "lb.Release":
        self.submissions += 1
        value = 1 - 1e-4 * self.submissions
        return lb.Release(value, value, accepted=True, improved=True, attempt=self.submissions, interval=None)

    def account(self, name: str) -> "_AlwaysAccepted":
        return self


def count_borne(counts: tuple[int, ...], medians: FloatArray) -> int:
    """Find the largest number of submissions up to which the median stays within the tolerance; 0 for none."""
    beyond = np.flatnonzero(medians < -TOLERANCE)
    return counts[-1] if not len(beyond) else counts[beyond[0] - 1] if beyond[0] else 0


def _at(delta: FloatArray, counts: tuple[int, ...], submissions: int, alpha: float) -> FloatArray:
    """ΔMSE of the Ladder at that level after so many submissions, of every repetition."""
    return np.asarray(delta[:, 2 * ALPHAS.index(alpha), counts.index(submissions)])


def _table(panels: tuple[Panel, ...], ways: tuple[tuple[int, int], ...], delta: FloatArray) -> ResultTable:
    rows: list[tuple[Cell, ...]] = []
    for index, panel in enumerate(panels):
        for place, (iterations, features) in enumerate(ways):
            quartiles = [float(q) for q in np.percentile(delta[:, index, place], (25, 50, 75))]
            count = count_submissions(iterations=iterations, features=features)
            rows.append((panel.name, panel.alpha, iterations, features, count, *quartiles, len(delta)))
    names = ("delta_q25", "delta_median", "delta_q75", "repetitions")
    return ResultTable(("mechanism", "alpha", "iterations", "features", "submissions", *names), rows)


def _raw(panels: tuple[Panel, ...], counts: "tuple[int, ...] | list[int]", delta: FloatArray) -> ResultTable:
    rows: list[tuple[Cell, ...]] = [
        (repetition, panel.name, panel.alpha, place + 1, count, float(delta[repetition, index, place]))
        for repetition in range(len(delta))
        for index, panel in enumerate(panels)
        for place, count in enumerate(counts)
    ]
    return ResultTable(("repetition", "mechanism", "alpha", "setting", "submissions", "delta"), rows)
