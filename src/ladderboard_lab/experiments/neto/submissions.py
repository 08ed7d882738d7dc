"""How many submissions in Neto et al.: the largest bearable number (S3), and the overfit by number (S11)."""

from typing import TYPE_CHECKING

import numpy as np

import ladderboard as lb
from ladderboard_lab.experiments.base import Cell, Conditions, Outcome, Table, Verdict, experiment
from ladderboard_lab.experiments.neto.boxes import GRID_SIZE, boxes_table, draw_grid
from ladderboard_lab.experiments.neto.setting import (
    ALPHAS,
    PAPER,
    PUBLIC,
    Setting,
    boot_panel,
    data_of,
    ladder_panel,
    mse_panels,
    setting_for,
)
from ladderboard_lab.experiments.writing import COLOURS, INK
from ladderboard_lab.participant import FloatArray
from ladderboard_lab.planning.step_forward_runs import count_submissions, step_forward_run
from ladderboard_lab.planning.submissions import GRID, TOLERANCE, bearable_submissions, overfit_by_submissions
from ladderboard_lab.problems.regression import split_regression

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COUNTS = (50, 199, 447, 794, 1240, 1785)


@experiment(
    id="neto-s3",
    title="How many submissions can 209 items bear?",
    paper=PAPER,
    claim="The largest number of 50, 199, 447, 794, 1240, 1785 submissions whose median overfit under the step-forward "
    "attack on permuted responses stays within .05.",
    takes_data=True,
)
def s3(conditions: Conditions) -> Outcome:
    """The overfit by number of submissions, and how many each mechanism bears."""
    panels = [*(ladder_panel(alpha) for alpha in ALPHAS), boot_panel(0.15, 10)]
    names = [f"{panel.name}, α = {panel.alpha:g}" for panel in panels] + ["Witness Ladder"]
    mechanisms = [panel.mechanism for panel in panels] + [lb.WitnessLadder()]
    features, responses = _own_data(conditions)
    found = [
        overfit_by_submissions(
            responses,
            features=features,
            mechanism=mechanism,
            repetitions=conditions.choose(full=100, quick=5),
            seed=conditions.seed,
            workers=conditions.workers,
            cluster=conditions.cluster,
            quiet=conditions.quiet,
        )
        for mechanism in mechanisms
    ]
    bearable = [bearable_submissions(points) for points in found]
    counts = tuple(point.submissions for point in found[0])

    def draw(figure: "Figure") -> None:
        axes = figure.subplots()
        for name, points, colour in zip(names, found, COLOURS, strict=False):
            x = [point.submissions for point in points]
            axes.plot(x, [point.median for point in points], color=colour, marker="o", markersize=3.5, label=name)
        axes.axhline(-TOLERANCE, color=INK, linewidth=1, linestyle="--")
        axes.annotate("tolerance", (counts[0], -TOLERANCE), xytext=(0, 3), textcoords="offset points", size=8)
        axes.set(xticks=counts, xlabel="number of submissions", ylabel="median public − private MSE")
        axes.legend()

    rows: list[tuple[Cell, ...]] = [
        (name, at.submissions, at.iterations, at.features, at.median, at.lower_quartile, at.upper_quartile)
        for name, points in zip(names, found, strict=True)
        for at in points
    ]
    columns = ("mechanism", "submissions", "iterations", "features", "median", "lower_quartile", "upper_quartile")
    return Outcome(Table(columns, rows), draw, _s3_verdict(names, counts, bearable), size=(6.5, 4.2))


def _s3_verdict(names: list[str], counts: tuple[int, ...], bearable: list[int]) -> Verdict:
    return Verdict(
        counts == COUNTS[: len(counts)] and bearable[3] == counts[-1] and bearable[2] <= bearable[1] <= bearable[0],
        f"Within {TOLERANCE} stay the first {bearable[0]}/{bearable[1]}/{bearable[2]} submissions to the ladder with "
        f"α = .01/.15/.5, {bearable[3]} to LadderBoot with b = 10, {bearable[4]} to the Witness Ladder.",
        {name: float(count) for name, count in zip(names, bearable, strict=True)},
    )


def _own_data(conditions: Conditions) -> tuple[FloatArray | None, FloatArray]:
    """The features and responses of the holdout: the user's, or normal responses and simulated features."""
    data = setting_for(conditions, ()).data
    if data is not None:
        return data.features, data.response
    return None, np.random.default_rng(conditions.seed).standard_normal(PUBLIC)


def grid_attacks(setting: Setting, seed: np.random.SeedSequence) -> FloatArray:
    """One repetition: mechanisms × grid points × (public − private, net of luck)."""
    rng = np.random.default_rng(seed)
    data = data_of(setting, rng)
    split_seed, board_seed = (int(number) for number in rng.integers(2**62, size=2))
    found = np.empty((len(setting.mechanisms), len(GRID), 2))
    for step, (iterations, features) in enumerate(GRID):
        # The same split for every number of features.
        split_rng = np.random.default_rng(split_seed)
        problem = split_regression(data.first(features), split_rng, public=setting.public, private=setting.private)
        for index, mechanism in enumerate(setting.mechanisms):
            last = step_forward_run(problem, mechanism, iterations=iterations, seed=board_seed)[-1]
            found[index, step] = last.delta, last.net
    return found


@experiment(
    id="neto-s11",
    title="The overfit by number of submissions",
    paper=PAPER,
    claim="The overfit of the ladder grows with the number of submissions, LadderBoot's does not.",
)
def s11(conditions: Conditions) -> Outcome:
    """The overfit by number of submissions, in the grid of panels."""
    panels = mse_panels() if not conditions.quick else [one for one in mse_panels() if one.replicates in (None, 10)]
    setting = setting_for(conditions, panels)
    found = np.array(
        conditions.run(
            grid_attacks, [setting] * conditions.choose(full=100, quick=4), title="attacks by number of submissions"
        )
    )
    counts = [count_submissions(iterations=iterations, features=features) for iterations, features in GRID]
    net = dict(zip(((one.alpha, one.replicates) for one in panels), np.median(found[..., 1], axis=0), strict=True))
    ladder, boot = net[0.5, None], net[0.5, 10]
    verdict = Verdict(
        bool(counts == list(COUNTS) and ladder[-1] < ladder[0] - 0.03 and np.abs(boot).max() < 0.03),
        f"From 50 to 1785 submissions the flattery of the ladder (α = .5) grows from {-ladder[0]:.3f} to "
        f"{-ladder[-1]:.3f}; LadderBoot's with b = 10 is {-boot[0]:.3f} and {-boot[-1]:.3f} (medians of private − "
        "public MSE net of the split's luck).",
        {f"{panel.name}, α = {panel.alpha:g}": float(net[panel.alpha, panel.replicates][-1]) for panel in panels},
    )
    label = conditions.choose(full="public − private MSE", quick="public − private MSE, net of luck")
    return Outcome(
        boxes_table(panels, found[..., 0], found[..., 1], counts),
        lambda figure: draw_grid(figure, panels, found[..., int(conditions.quick)], counts, label=label),
        verdict,
        size=GRID_SIZE if not conditions.quick else (6.0, 6.4),
    )
