"""Freedman's attack in Neto et al.: Fig. 1 and 2 by features kept, S1 by submissions, S2 by size of the public part."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

import ladderboard as lb
from ladderboard_lab.attacks.freedman import best_released, fits_for
from ladderboard_lab.experiments.base import Cell, Conditions, Outcome, Table, Verdict, experiment
from ladderboard_lab.experiments.neto.setting import PAPER, PUBLIC, Setting, problem_of, setting_for
from ladderboard_lab.experiments.writing import COLOURS, INK
from ladderboard_lab.participant import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

KEPT = (1, 2, 5, 10, 20, 40)
FULL, LADDER = lb.FullDisclosure(), lb.SignificanceLadder(0.15)
QUARTILES = (25, 50, 75)


@dataclass(frozen=True, eq=False)
class FreedmanTask:
    """One repetition of the attack on the mechanisms of a setting, for several numbers of kept features."""

    setting: Setting
    kept: tuple[int, ...]


def freedman_losses(task: FreedmanTask, seed: np.random.SeedSequence) -> FloatArray:
    """Mechanisms × kept × (public, private, luck of the split)."""
    rng = np.random.default_rng(seed)
    problem, board_seed = problem_of(task.setting, rng), int(rng.integers(2**62))
    found = []
    for mechanism in task.setting.mechanisms:
        fits = fits_for(problem.briefing)
        luck = problem.public_score(fits.predictions) - problem.true_score(fits.predictions)
        participant = problem.open_board(mechanism, seed=board_seed)
        order = best_released(participant, fits, budget=task.setting.features, rng=rng)
        rows = []
        for kept in task.kept:
            fits.choose(*order[len(fits.chosen) : kept])
            rows.append((problem.public_score(fits.predictions), problem.true_score(fits.predictions), luck))
        found.append(rows)
    return np.array(found)


@experiment(
    id="neto-fig1",
    title="Freedman's attack under full disclosure",
    paper=PAPER,
    claim="A regression on the features that scored best by themselves overfits the public part, the more the more of "
    "them are kept, though no feature is related to the response.",
    takes_data=True,
)
def fig1(conditions: Conditions) -> Outcome:
    """The regression on the best features, by how many are kept, under full disclosure."""
    losses = _by_kept(conditions, (FULL,))[:, 0]
    net = _net(losses)
    medians = np.median(net, axis=0)
    verdict = Verdict(
        bool((np.diff(medians) < 0).all() and medians[-1] < -0.05),
        f"The regression on the best {KEPT[0]} to {KEPT[-1]} of 300 useless features flatters by {-medians[0]:.3f} to "
        f"{-medians[-1]:.3f} (median private − public MSE, net of the split's luck), more with each step.",
        {f"kept {kept}": float(value) for kept, value in zip(KEPT, medians, strict=True)},
    )

    def draw(figure: "Figure") -> None:
        left, right = figure.subplots(1, 2)
        _draw_public_and_private(left, KEPT, losses)
        _draw_band(right, KEPT, net, COLOURS[0], "full disclosure")
        _finish(left, "features kept", "MSE")
        _finish(right, "features kept", "public − private MSE, net of luck")

    return Outcome(_build_kept_table((FULL,), losses[:, None]), draw, verdict, size=(8.0, 3.6))


@experiment(
    id="neto-fig2",
    title="The ladder withstands Freedman's attack",
    paper=PAPER,
    claim="The Ladder, which tells a number only when it improves, takes the ground from under Freedman's attack.",
    takes_data=True,
)
def fig2(conditions: Conditions) -> Outcome:
    """The same beside the ladder."""
    losses = _by_kept(conditions, (FULL, LADDER))
    full, ladder = (np.median(_net(losses[:, index]), axis=0) for index in (0, 1))
    verdict = Verdict(
        bool(abs(ladder[-1]) < 0.3 * abs(full[-1])),
        f"With {KEPT[-1]} features kept full disclosure flatters by {-full[-1]:.3f}, the ladder (α = .15) by "
        f"{-ladder[-1]:.3f}: it tells the same number for most features, and so names hardly any.",
        {"full disclosure": float(full[-1]), "Ladder, α = .15": float(ladder[-1])},
    )

    def draw(figure: "Figure") -> None:
        for axes, index, title in zip(
            figure.subplots(1, 2, sharey=True), (0, 1), ("full disclosure", "Ladder, α = .15"), strict=True
        ):
            _draw_public_and_private(axes, KEPT, losses[:, index])
            axes.set_title(title)
            _finish(axes, "features kept", "MSE" if index == 0 else "")

    return Outcome(_build_kept_table((FULL, LADDER), losses), draw, verdict, size=(8.0, 3.6))


@experiment(
    id="neto-s1",
    title="Freedman's attack by number of submissions",
    paper=PAPER,
    claim="Under full disclosure the overfit of the ten best features grows with the number of features tried.",
)
def s1(conditions: Conditions) -> Outcome:
    """The ten best features, by the number of features tried."""
    counts = (50, 100, 150, 200, 250, 300)
    base = setting_for(conditions, (), mechanisms=(FULL,))
    return _by_setting(
        conditions,
        [replace(base, features=count) for count in counts],
        name="submissions",
        values=counts,
        claim="more submissions, more overfit",
        grows=True,
    )


@experiment(
    id="neto-s2",
    title="Freedman's attack by size of the public part",
    paper=PAPER,
    claim="Under full disclosure the overfit of the ten best features shrinks as the public part grows.",
)
def s2(conditions: Conditions) -> Outcome:
    """The ten best features, by the size of the public part."""
    sizes = (40, 80, 150, PUBLIC, 400, 800)
    base = Setting((FULL,))
    settings = [replace(base, items=2 * PUBLIC + size, public=size, private=PUBLIC) for size in sizes]
    return _by_setting(
        conditions,
        settings,
        name="public items",
        values=sizes,
        claim="more public items, less overfit",
        grows=False,
    )


def _by_kept(conditions: Conditions, mechanisms: tuple["lb.Mechanism", ...]) -> FloatArray:
    """Repetitions × mechanisms × kept × (public, private, luck)."""
    setting = setting_for(conditions, (), mechanisms=mechanisms)
    task = FreedmanTask(setting, KEPT)
    return np.array(
        conditions.run(freedman_losses, [task] * conditions.choose(full=100, quick=16), title="Freedman's attack")
    )


def _by_setting(
    conditions: Conditions, settings: Sequence[Setting], *, name: str, values: Sequence[int], claim: str, grows: bool
) -> Outcome:
    """Ten features kept, full disclosure; one setting for each value."""
    repetitions = conditions.choose(full=100, quick=16)
    tasks = [FreedmanTask(setting, (10,)) for setting in settings for _ in range(repetitions)]
    losses = np.array(conditions.run(freedman_losses, tasks, title=f"Freedman's attack by {name}"))
    losses = losses.reshape(len(settings), repetitions, 3).transpose(1, 0, 2)
    net = _net(losses)
    medians = np.median(net, axis=0)
    change = medians[-1] - medians[0]
    verdict = Verdict(
        bool(change < 0 if grows else change > 0) and bool(max(medians) < 0.01),
        f"Best 10 features under full disclosure: median flattery {-medians[0]:.3f} with {values[0]} {name}, "
        f"{-medians[-1]:.3f} with {values[-1]} ({claim}).",
        {f"{value} {name}": float(median) for value, median in zip(values, medians, strict=True)},
    )

    def draw(figure: "Figure") -> None:
        axes = figure.subplots()
        _draw_band(axes, values, net, COLOURS[0], "ten best features, full disclosure")
        _finish(axes, name, "public − private MSE, net of luck")

    rows: list[tuple[Cell, ...]] = [
        (value, *(float(quartile) for quartile in np.percentile(net[:, index], QUARTILES)), repetitions)
        for index, value in enumerate(values)
    ]
    columns = (name.replace(" ", "_"), "lower_quartile", "median", "upper_quartile", "repetitions")
    return Outcome(Table(columns, rows), draw, verdict, size=(6.0, 3.8))


def _net(losses: FloatArray) -> FloatArray:
    return np.asarray(losses[..., 0] - losses[..., 1] - losses[..., 2])


def _build_kept_table(mechanisms: Sequence["lb.Mechanism"], losses: FloatArray) -> Table:
    medians, net = np.median(losses, axis=0), np.median(_net(losses), axis=0)
    rows: list[tuple[Cell, ...]] = [
        (
            mechanism.name,
            kept,
            *(float(value) for value in medians[index, step, :2]),
            float(net[index, step]),
            len(losses),
        )
        for index, mechanism in enumerate(mechanisms)
        for step, kept in enumerate(KEPT)
    ]
    return Table(("mechanism", "kept", "median_public", "median_private", "median_net_of_luck", "repetitions"), rows)


def _draw_public_and_private(axes: "Axes", x: Sequence[int], losses: FloatArray) -> None:
    _draw_band(axes, x, losses[..., 0], COLOURS[0], "public")
    _draw_band(axes, x, losses[..., 1], COLOURS[1], "private")
    axes.axhline(1, color=INK, linewidth=0.8, alpha=0.6)


def _draw_band(axes: "Axes", x: Sequence[int], values: FloatArray, colour: str, label: str) -> None:
    low, middle, high = np.percentile(values, QUARTILES, axis=0)
    axes.fill_between(x, low, high, color=colour, alpha=0.2, linewidth=0)
    axes.plot(x, middle, color=colour, marker="o", markersize=3.5, label=label)


def _finish(axes: "Axes", x_label: str, y_label: str) -> None:
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.legend()
