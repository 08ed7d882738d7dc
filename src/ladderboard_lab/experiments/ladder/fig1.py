"""The Ladder paper's Figure 1: the boosting attack on full disclosure and on the parameter-free Ladder."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

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
    self_consistent,
)
from ladderboard_lab.experiments.deciding import agrees
from ladderboard_lab.experiments.drawing import BLUE, GREEN, MUTED, RED, band, label_end
from ladderboard_lab.experiments.estimates import Estimate, mean_of
from ladderboard_lab.experiments.ladder.boosting_runs import Weighing, boost_disclosed, boost_ladder, keep_released
from ladderboard_lab.experiments.shared_data import find_shared_folder, read_series
from ladderboard_lab.participant import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PUBLIC, PRIVATE = 4000, 8000
QUERIES = tuple(range(10, 401, 10))
PAPER_RUNS = 5
COMPARED = (100, 200, 300, 400)

PAPER = {"Kaggle": (0.4669, 0.4522, 0.4408, 0.4274), "Ladder": (0.4904, 0.4864, 0.4896, 0.4843)}
"""The paper's means of five runs at 100, 200, 300, 400 submissions (csvs/kaggleboosting-* of Ladder.jl, MIT)."""

KNOWN = math.inf
"""Degrees of freedom of an error that need not be estimated."""

NO_LADDER = "full disclosure instead of the Ladder"
RANDOM_VOTES = "a majority of all vectors, whatever their score"


def formula(k: float, n: int) -> float:
    """The expected loss of the boosted vector under full disclosure, 1 − Φ(√(k/(πn))).

    >>> round(formula(400, 4000), 4)
    0.4292
    """
    return 0.5 * math.erfc(math.sqrt(k / (math.pi * n)) / math.sqrt(2))


@dataclass(frozen=True)
class BoostingTask:
    """One run: full disclosure to some precisions, or the Ladder where there are none."""

    precisions: tuple[float, ...]
    votes_at_random: bool = False


@dataclass(frozen=True, eq=False)
class Curve:
    """The loss of the boosted vector on the public and on the private labels, over runs."""

    public: FloatArray
    sd: FloatArray
    private: FloatArray
    each: FloatArray
    """Runs × numbers of submissions × (public, private)."""

    @property
    def runs(self) -> int:
        return len(self.each)

    def at(self, k: int) -> Estimate:
        """The public loss after k submissions."""
        return mean_of(self.each[:, QUERIES.index(k), 0])

    def distances(self, printed: tuple[float, ...]) -> list[float]:
        """From printed means of five runs, in standard errors; a run's is that of n items, at most 1/(2√n)."""
        error = 0.5 / math.sqrt(PUBLIC) * math.sqrt(1 / self.runs + 1 / PAPER_RUNS)
        return [(self.at(k) - value) / error for k, value in zip(COMPARED, printed, strict=True)]


@experiment(
    id="ladder-fig1",
    title="The boosting attack on full disclosure and on the Ladder",
    paper="Ladder",
    claim="With 400 random submissions the boosted vector looks 7 points better than it is on a board that tells every "
    "score to 1e-5; on the parameter-free Ladder it gains 1.5 points. On independent labels it is at one half. "
    "(n = 4000 of 12,000 labels.)",
    controls=(NO_LADDER, RANDOM_VOTES),
)
def ladder_fig1(conditions: Conditions) -> ExperimentResult:
    """Loss of the boosted vector by number of submissions, 5 runs in the paper."""
    runs = conditions.repeat(full=40, quick=5)
    curves = dict(zip(("Kaggle", "Ladder"), run_boosting(conditions, (1e-5,), runs), strict=True))
    distances = {name: curves[name].distances(printed) for name, printed in PAPER.items()}
    worst = max(abs(one) for both in distances.values() for one in both)
    ladder = float(curves["Ladder"].public[QUERIES.index(200) :].mean())
    gap = float(np.abs(curves["Kaggle"].public - [formula(k, PUBLIC) for k in QUERIES]).max())
    private = float(np.abs(curves["Kaggle"].private - 0.5).max())
    checks = (
        check_number(
            "eight points of the published curves agree with ours",
            agrees([one for both in distances.values() for one in both], degrees=KNOWN),
        ),
        check_claim(
            "full disclosure is at least three times as far below ½ as the Ladder",
            0.5 - curves["Kaggle"].at(400) > 3 * (0.5 - ladder),
        ),
        self_consistent(
            "full disclosure follows 1 − Φ(√(k/(πn)))", gap <= 0.003 + 4.5 * 0.5 / math.sqrt(PUBLIC * runs)
        ),
    )
    sentence = (
        f"At 400 submissions the boosted vector has a loss of {curves['Kaggle'].at(400):.3f} under full disclosure "
        f"(printed .427, formula .429) and {curves['Ladder'].at(400):.3f} under the Ladder (printed .484); the eight "
        f"compared points are within {worst:.1f} standard errors. On private labels it stays within {private:.3f} of ½."
    )
    numbers = {f"loss, {name}, k = {k}": curve.at(k) for name, curve in curves.items() for k in COMPARED}
    paper = published_points(conditions, "highacc")
    draw = partial(_draw, curves=curves, paper=paper)
    verdict = Verdict(checks, sentence, numbers)
    return ExperimentResult(curves_table(curves, paper), draw, verdict, size=(6.0, 4.0), raw=list_runs(curves))


def run_boosting(conditions: Conditions, precisions: tuple[float, ...], runs: int) -> list[Curve]:
    """A curve for each precision of full disclosure, then the Ladder's."""
    at_random = conditions.control == RANDOM_VOTES
    disclosed, ladder = BoostingTask(precisions, at_random), BoostingTask(())
    if conditions.control == NO_LADDER:
        ladder = BoostingTask((1e-5,))
    found = conditions.run(_attack, [disclosed] * runs + [ladder] * runs, title="boosting")
    stacks = [*np.moveaxis(np.stack(found[:runs]), 1, 0), np.stack(found[runs:])[:, 0]]
    return [
        Curve(one[..., 0].mean(axis=0), one[..., 0].std(axis=0, ddof=1), one[..., 1].mean(axis=0), one)
        for one in stacks
    ]


def _attack(task: BoostingTask, seed: np.random.SeedSequence) -> FloatArray:
    """Rules × checkpoints × (public, private)."""
    rng = np.random.default_rng(seed)
    if not task.precisions:
        return boost_ladder(rng, "parameter_free_ladder", n=PUBLIC, private=PRIVATE, checkpoints=QUERIES)[None]
    weighings: list[Weighing] = [
        np.ones_like if task.votes_at_random else keep_released(precision) for precision in task.precisions
    ]
    return boost_disclosed(rng, n=PUBLIC, private=PRIVATE, checkpoints=QUERIES, weighings=weighings)


def published_points(conditions: Conditions, which: str) -> dict[str, dict[int, float]]:
    """The paper's own curves where they are at hand: Kaggle, Ladder, Test → k → loss."""
    folder = find_shared_folder(conditions, "ladder_paper")
    return {} if folder is None else read_series(folder / f"kaggleboosting-4000-400-5-{which}.csv")


def curves_table(curves: Mapping[str, Curve], paper: dict[str, dict[int, float]]) -> ResultTable:
    """Every point of every curve, beside the published ones."""
    rows: list[tuple[Cell, ...]] = []
    for name, curve in curves.items():
        for place, k in enumerate(QUERIES):
            numbers = (float(values[place]) for values in (curve.public, curve.sd, curve.private))
            rows.append((name, k, curve.runs, *numbers, formula(k, PUBLIC), paper.get(name, {}).get(k)))
    columns = ("curve", "submissions", "runs", "public_loss", "sd_of_a_run", "private_loss", "formula", "published")
    return ResultTable(columns, rows)


def list_runs(curves: Mapping[str, Curve]) -> ResultTable:
    """Every point of every run."""
    values = np.stack([curve.each for curve in curves.values()], axis=1)
    return list_repetitions(values, "loss", curve=[*curves], submissions=QUERIES, part=("public", "private"))


def draw_panel(axes: "Axes", curves: Mapping[str, Curve], paper: dict[str, dict[int, float]]) -> None:
    """Kaggle, Ladder and independent labels, with the published points where they are at hand."""
    for (name, curve), colour in zip(curves.items(), (RED, BLUE), strict=False):
        reach = 2 * curve.sd.mean() / math.sqrt(PAPER_RUNS)
        band(axes, QUERIES, curve.public - reach, curve.public + reach, colour)
        axes.plot(QUERIES, curve.public, color=colour, linewidth=1.4)
        label_end(axes, QUERIES, curve.public.tolist(), name, colour)
        points = paper.get(name, {})
        axes.plot([*points], [*points.values()], "o", color=colour, markersize=2.5, alpha=0.75)
    test = next(iter(curves.values()))
    axes.plot(QUERIES, test.private, color=GREEN, linewidth=1.4)
    label_end(axes, QUERIES, test.private.tolist(), "test", GREEN)
    axes.set(xlabel="submissions", ylim=(0.415, 0.51), xlim=(0, 470), xticks=(0, 100, 200, 300, 400))
    if paper:
        axes.plot([], [], "o", color=MUTED, markersize=2.5, label="published points (5 runs)")
        axes.legend(loc="lower left")


def _draw(figure: "Figure", *, curves: dict[str, Curve], paper: dict[str, dict[int, float]]) -> None:
    axes = figure.subplots()
    draw_panel(axes, curves, paper)
    axes.set_ylabel("loss of the boosted vector")
