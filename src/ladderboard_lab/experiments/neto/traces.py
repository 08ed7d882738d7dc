"""What the releases look like in Neto et al.: Fig. 4's trace, S4's variability, S6's share of jumps that are found."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import ladderboard as lb
from ladderboard_lab.attacks.freedman import fits_for
from ladderboard_lab.change_points import find_jumps, find_segment_starts
from ladderboard_lab.experiments.base import Cell, Conditions, Outcome, Table, Verdict, experiment
from ladderboard_lab.experiments.neto.setting import (
    ALPHAS,
    PAPER,
    REPLICATES,
    Panel,
    Setting,
    boot_panel,
    ladder_panel,
    problem_of,
)
from ladderboard_lab.experiments.writing import COLOURS, INK
from ladderboard_lab.participant import FloatArray, IntArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class Trace:
    """The first iteration of the attack on one mechanism: the numbers, the accepted submissions, the jump found."""

    numbers: FloatArray
    accepts: IntArray
    found: int


def first_iteration(setting: Setting, seed: np.random.SeedSequence) -> list[Trace]:
    """One trace for each mechanism, all on the same data."""
    rng = np.random.default_rng(seed)
    problem, board_seed = problem_of(setting, rng), int(rng.integers(2**62))
    traces = []
    for mechanism in setting.mechanisms:
        participant = problem.open_board(mechanism, seed=board_seed, repeats_are_free=False)
        releases = [participant.submit(each) for each in fits_for(problem.briefing).predictions_with_each()]
        numbers = np.array([release.board_value for release in releases], dtype=float)
        accepts = np.flatnonzero([release.accepted for release in releases])
        traces.append(Trace(numbers, accepts, _find_last_jump(numbers, accepts)))
    return traces


def _find_last_jump(numbers: FloatArray, accepts: IntArray) -> int:
    """Where an attacker who knows the number of jumps sees the last one."""
    seen = find_jumps(numbers.tolist())
    if len(seen) > len(accepts):
        seen = [0, *find_segment_starts(numbers, jumps=len(accepts) - 1)]
    return seen[-1]


@experiment(
    id="neto-fig4",
    title="What an attacker sees: releases of the first 300 submissions",
    paper=PAPER,
    claim="The ladder's releases show each jump; a bootstrapped release hides them in noise.",
)
def fig4(conditions: Conditions) -> Outcome:
    """One trace of releases for the ladder and for each b."""
    panels = [ladder_panel(0.5), *(boot_panel(0.5, b) for b in REPLICATES)]
    setting = Setting(tuple(panel.mechanism for panel in panels))
    traces = conditions.run(first_iteration, [setting])[0]
    plain = traces[0]
    steps = -np.diff(plain.numbers)
    heights = steps[steps != 0]
    # Between accepts the numbers differ by their noise alone.
    noise = [_noise(trace) for trace in traces]
    typical = float(np.median(heights)) if len(heights) else 0.0
    verdict = Verdict(
        noise[0] == 0 and noise[1] < noise[2] < noise[3] and noise[3] > typical,
        f"The ladder's {len(heights)} jumps are read off exactly (median height {typical:.4f}); the noise of "
        f"LadderBoot's releases is {noise[1]:.4f}/{noise[2]:.4f}/{noise[3]:.4f} for b = 1000/100/10: at b = 10 a jump "
        "drowns in it.",
        {"median jump": typical, **{panel.name: sd for panel, sd in zip(panels, noise, strict=True)}},
    )
    rows: list[tuple[Cell, ...]] = [
        (panel.name, index + 1, float(number), bool(index in trace.accepts))
        for panel, trace in zip(panels, traces, strict=True)
        for index, number in enumerate(trace.numbers)
    ]
    table = Table(("mechanism", "submission", "released", "accepted"), rows)
    return Outcome(table, lambda figure: _draw_traces(figure, panels, traces), verdict, size=(8.5, 5.5))


def _noise(trace: Trace) -> float:
    """The standard deviation of the numbers around their means between accepts."""
    segment = np.searchsorted(trace.accepts, np.arange(len(trace.numbers)), side="right")
    sizes = np.bincount(segment)
    means = np.bincount(segment, weights=trace.numbers) / np.maximum(sizes, 1)
    squares = np.square(trace.numbers - means[segment]).sum()
    return float(np.sqrt(squares / max(len(trace.numbers) - np.count_nonzero(sizes), 1)).round(12))


def _draw_traces(figure: "Figure", panels: Sequence[Panel], traces: Sequence[Trace]) -> None:
    for axes, panel, trace, colour in zip(
        figure.subplots(2, 2, sharex=True, sharey=True).flat, panels, traces, COLOURS, strict=False
    ):
        axes.plot(np.arange(1, len(trace.numbers) + 1), trace.numbers, color=colour, linewidth=0.9)
        axes.axvline(trace.accepts[-1] + 1, color=INK, linewidth=1, label="last jump")
        axes.axvline(trace.found + 1, color=INK, linewidth=1.2, linestyle=":", label="where it is seen")
        axes.set_title(panel.name)
    figure.axes[0].legend()
    figure.supxlabel("submission", size=9, color=INK)
    figure.supylabel("released MSE", size=9, color=INK)


@experiment(
    id="neto-s6",
    title="How often the last jump is found",
    paper=PAPER,
    claim="Even with the true number of jumps given, binary segmentation finds the last one less often the smaller b.",
)
def s6(conditions: Conditions) -> Outcome:
    """The share of runs in which the last jump of the first iteration is found."""
    panels = [panel for alpha in ALPHAS for panel in (ladder_panel(alpha), *(boot_panel(alpha, b) for b in REPLICATES))]
    setting = Setting(tuple(panel.mechanism for panel in panels))
    repetitions = conditions.choose(full=200, quick=14)
    runs = conditions.run(first_iteration, [setting] * repetitions, title="first iterations")
    # Where only the first submission was accepted there is no jump to be found.
    jumped = np.array([[len(trace.accepts) > 1 for trace in run] for run in runs])
    hits = np.array([[trace.found == trace.accepts[-1] for trace in run] for run in runs])
    shares = [float(hits[jumped[:, index], index].mean()) if jumped[:, index].any() else 1.0 for index in range(12)]
    by_panel = {(panel.alpha, panel.replicates): share for panel, share in zip(panels, shares, strict=True)}
    plain, most, middle, least = (by_panel[0.15, b] for b in (None, *REPLICATES))
    verdict = Verdict(
        plain > 0.9 and plain >= most >= middle >= least and least < 0.35,
        f"At α = .15 the last jump of the first iteration is found in {plain:.0%} of runs against the ladder, and in "
        f"{most:.0%}/{middle:.0%}/{least:.0%} against LadderBoot with b = 1000/100/10, the number of jumps given. At "
        f"α = .5 it is {by_panel[0.5, None]:.0%} for the ladder: its rounding to 1/n hides small jumps too.",
        {f"{panel.name}, α = {panel.alpha:g}": share for panel, share in zip(panels, shares, strict=True)},
    )

    def draw(figure: "Figure") -> None:
        axes = figure.subplots()
        names = ["Ladder", *(f"b = {b}" for b in REPLICATES)]
        for offset, (alpha, colour) in enumerate(zip(ALPHAS, COLOURS, strict=False)):
            heights = [by_panel[alpha, b] for b in (None, *REPLICATES)]
            axes.bar(np.arange(4) + 0.27 * (offset - 1), heights, width=0.25, color=colour, label=f"α = {alpha:g}")
        axes.set_xticks(range(4), names)
        axes.set_ylabel("share of runs with the last jump found")
        axes.legend()

    rows: list[tuple[Cell, ...]] = [
        (panel.alpha, panel.name, share, int(jumped[:, index].sum()))
        for index, (panel, share) in enumerate(zip(panels, shares, strict=True))
    ]
    return Outcome(
        Table(("alpha", "mechanism", "share_found", "runs_with_a_jump"), rows), draw, verdict, size=(6.5, 3.8)
    )


@dataclass(frozen=True, eq=False)
class Repeats:
    """One submission, scored again and again by a mechanism that draws fresh noise."""

    public: int
    replicates: int
    times: int
    data_seed: int


def redrawn_releases(task: Repeats, seed: np.random.SeedSequence) -> tuple[float, float]:
    """The standard deviation of the releases, and sd(l)/√(n·b)."""
    # The same submission for every b.
    rng = np.random.default_rng((task.data_seed, task.public))
    labels, predictions = rng.standard_normal(task.public), 0.2 * rng.standard_normal(task.public)
    mechanism = lb.LadderBoot(0.15, task.replicates, redraw=True)
    board = lb.Leaderboard(labels, "mse", mechanism, remembers_repeats=False, seed=int(seed.generate_state(1)[0]))
    released = np.array([board.submit("team", predictions).value for _ in range(task.times)], dtype=float)
    losses = np.square(labels - predictions)
    return float(released.std(ddof=1)), float(losses.std() / np.sqrt(task.public * task.replicates))


@experiment(
    id="neto-s4",
    title="The variability of a bootstrapped release",
    paper=PAPER,
    claim="The mean of b bootstrap means varies by sd(l)/√(n·b): little for b = 1000, visibly for b = 10.",
)
def s4(conditions: Conditions) -> Outcome:
    """One submission released again and again, for three sizes and three b."""
    sizes, times = (40, 209, 628), conditions.choose(full=5000, quick=1200)
    tasks = [Repeats(n, b, times, conditions.seed) for n in sizes for b in reversed(REPLICATES)]
    found = conditions.run(redrawn_releases, tasks, title="releases drawn again")
    ratios = [measured / formula for measured, formula in found]
    worst = max(abs(ratio - 1) for ratio in ratios)
    verdict = Verdict(
        # A standard deviation from T draws has a relative error of 1/√(2T); the largest of nine stays below 4 of them.
        worst <= 4 / np.sqrt(2 * times),
        f"The releases of one submission vary by sd(l)/√(n·b): the ratio to it is {min(ratios):.3f} to "
        f"{max(ratios):.3f} over n = 40, 209, 628 and b = 10, 100, 1000.",
        {f"n = {task.public}, b = {task.replicates}": ratio for task, ratio in zip(tasks, ratios, strict=True)},
    )

    def draw(figure: "Figure") -> None:
        axes = figure.subplots()
        for index, (n, colour) in enumerate(zip(sizes, COLOURS, strict=False)):
            part = found[3 * index : 3 * index + 3]
            b = [task.replicates for task in tasks[3 * index : 3 * index + 3]]
            axes.plot(b, [measured for measured, _ in part], "o", color=colour, label=f"n = {n}, measured")
            axes.plot(b, [formula for _, formula in part], color=colour, linewidth=1, label="sd(l)/√(n·b)")
        axes.set(
            xscale="log", yscale="log", xlabel="b, bootstrap replicates behind a release", ylabel="sd of the releases"
        )
        axes.legend(ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0))

    rows: list[tuple[Cell, ...]] = [
        (task.public, task.replicates, measured, formula, measured / formula, times)
        for task, (measured, formula) in zip(tasks, found, strict=True)
    ]
    return Outcome(
        Table(("n", "b", "measured_sd", "formula_sd", "ratio", "draws"), rows), draw, verdict, size=(6.5, 4.2)
    )
