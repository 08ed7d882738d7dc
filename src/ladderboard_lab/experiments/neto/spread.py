"""The spread of LadderBoot's releases in Neto et al., Text S4: S12 (lasso and kNN) and S13 (quality of prediction)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import ladderboard as lb
from ladderboard_lab.experiments.base import (
    Cell,
    Check,
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
from ladderboard_lab.experiments.deciding import Evidence, agrees, usually
from ladderboard_lab.experiments.drawing import BLUE, GREEN, RED
from ladderboard_lab.experiments.neto.data import ThreeSets, scale
from ladderboard_lab.experiments.neto.measured import draw_boxes
from ladderboard_lab.experiments.neto.mechanisms import PAPER
from ladderboard_lab.participant import FloatArray
from ladderboard_lab.problems.regression import simulate_regression

if TYPE_CHECKING:
    from matplotlib.figure import Figure

REPLICATES = (10, 100, 1000)
CORRELATIONS = (0.18, 0.29, 0.40, 0.51, 0.62, 0.72, 0.82, 0.924)
"""From the printed .18 to .92: with predictions scaled like the labels the MSE is 2(1 − r), 1.64 to .15."""
ITEMS = 209
FURTHER_DATA, FURTHER_RELEASES = 40, 100
"""Data sets behind a verdict on an order, and the releases of each prediction there."""
SHUFFLED = "the two predictions exchanged"
REVERSED = "the predictions in reverse order"
ONE_REPLICATE = "one bootstrap replicate in place of b"


@dataclass(frozen=True, eq=False)
class _Repeats:
    """One prediction, released again and again by LadderBoot."""

    labels: FloatArray
    predictions: FloatArray
    replicates: int
    times: int


Making = Callable[[np.random.Generator], tuple[FloatArray, list[FloatArray]]]
"""Labels, and predictions from the one whose releases spread most, or least, to the other end."""


@dataclass(frozen=True)
class _Further:
    """A data set of its own, on which the order of the spreads is looked at once more."""

    make: Making
    rank: Callable[[FloatArray], bool]
    control: str | None


def _order_holds(task: _Further, seed: np.random.SeedSequence) -> bool:
    drawing, *releasing = seed.spawn(1 + 8 * len(REPLICATES))
    labels, predictions = task.make(np.random.default_rng(drawing))
    predictions = predictions[::-1] if task.control in (SHUFFLED, REVERSED) else predictions
    cells = [_Repeats(labels, given, b, FURTHER_RELEASES) for given in predictions for b in REPLICATES]
    spreads = [_releases(cell, own).std(ddof=1) for cell, own in zip(cells, releasing, strict=False)]
    return task.rank(np.reshape(spreads, (len(predictions), -1)))


def _on_further_data(conditions: Conditions, make: Making, rank: Callable[[FloatArray], bool]) -> Evidence:
    """Whether the order of spreads is so on most data sets."""
    tasks = [_Further(make, rank, conditions.control)] * FURTHER_DATA
    return usually(np.array(conditions.run(_order_holds, tasks, title="further data")))


def _releases(task: _Repeats, seed: np.random.SeedSequence) -> FloatArray:
    mechanism = lb.LadderBoot(0.15, task.replicates, redraw=True)
    board = lb.Leaderboard(
        task.labels, "mse", mechanism, remembers_repeats=False, seed=int(seed.generate_state(1, np.uint64)[0])
    )
    return np.array([board.submit("team", task.predictions).value for _ in range(task.times)], dtype=float)


@experiment(
    id="neto-s12",
    title="LadderBoot's released scores for a lasso and a kNN prediction",
    paper=PAPER,
    claim="The releases of the better prediction (a lasso, MSE .79) spread less than those of the worse one (3 nearest "
    "neighbours, MSE 1.12) for b = 10, 100 and 1000. (10,000 releases each, simulated data.)",
    stand_in="simulated data of our own: the paper's are not published, and the two MSEs are those of ours",
    controls=(SHUFFLED, ONE_REPLICATE),
)
def s12(conditions: Conditions) -> ExperimentResult:
    """Histograms of the releases, three b for each of the two predictions."""
    labels, fitted = _lasso_and_knn(np.random.default_rng([conditions.seed, 12]))
    fitted = fitted[::-1] if conditions.control == SHUFFLED else fitted
    predictions = dict(zip(("lasso", "knn"), fitted, strict=True))
    found = _measure(conditions, labels, list(predictions.values()), times=conditions.repeat(full=10_000, quick=400))
    mse = {name: float(np.mean(np.square(labels - given))) for name, given in predictions.items()}
    sds = found.std(axis=2, ddof=1)
    formula = _formula(labels, list(predictions.values()))
    checks = (
        check_claim(
            "the lasso's releases spread less than kNN's for each b",
            _on_further_data(conditions, _lasso_and_knn, _rises),
        ),
        _follows_formula(sds, formula, found.shape[2]),
    )
    sentence = (
        f"MSE {mse['lasso']:.2f} (lasso; printed .79) and {mse['knn']:.2f} (kNN; printed 1.12). Standard deviations of "
        f"the releases for b = 10/100/1000: {_join(sds[0])} and {_join(sds[1])}; sd(l)/√(nb) gives "
        f"{_join(formula[0])} and {_join(formula[1])}."
    )
    numbers = {f"MSE, {name}": value for name, value in mse.items()}

    def draw(figure: "Figure") -> None:
        grid = figure.subplots(2, 3, sharex="col")
        for row, name in enumerate(predictions):
            for column, b in enumerate(REPLICATES):
                axes = grid[row, column]
                axes.hist(found[row, column], 40, color=(BLUE, GREEN)[row], alpha=0.7, density=True)
                axes.axvline(mse[name], color=RED, linewidth=1.2)
                axes.set_title(f"{name}, b = {b}")
        figure.supxlabel("released MSE", size=9)

    verdict, raw = Verdict(checks, sentence, numbers), _raw(list(predictions), found)
    return ExperimentResult(_table(list(predictions), found, formula), draw, verdict, size=(9.0, 5.0), raw=raw)


@experiment(
    id="neto-s13",
    title="Spread of LadderBoot's released scores by quality of prediction",
    paper=PAPER,
    claim="For eight predictions with an MSE from 1.64 to .15 (correlation .18 to .92) the spread of the releases "
    "falls monotonically, for b = 10, 100 and 1000. (10,000 releases each.)",
    controls=(REVERSED, ONE_REPLICATE),
)
def s13(conditions: Conditions) -> ExperimentResult:
    """True labels plus less and less noise, scaled: boxes (a) and standard deviations (b) of the releases."""
    labels, predictions = _ladder_of_predictions(np.random.default_rng([conditions.seed, 13]))
    if conditions.control == REVERSED:
        predictions = predictions[::-1]
    found = _measure(conditions, labels, predictions, times=conditions.repeat(full=10_000, quick=400))
    mse = [float(np.mean(np.square(labels - given))) for given in predictions]
    sds, formula = found.std(axis=2, ddof=1), _formula(labels, predictions)
    printed = [(round(mse[i], 2), round(_correlation(labels, predictions[i]), 2)) for i in (0, -1)]
    checks = (
        check_number(
            "the MSE is 1.64 at a correlation of .18 and .15 at .92, as for predictions scaled like the labels",
            printed == [(1.64, 0.18), (0.15, 0.92)],
        ),
        check_claim(
            "the standard deviation of the releases falls from each prediction to the next but one, for each b",
            _on_further_data(conditions, _ladder_of_predictions, _falls),
        ),
        _follows_formula(sds, formula, found.shape[2]),
    )
    sentence = (
        f"MSE {mse[0]:.2f} to {mse[-1]:.2f} at correlations {CORRELATIONS[0]:g} to {CORRELATIONS[-1]:g}: the printed "
        f"pairs satisfy MSE = 2(1 − r), so the predictions were scaled too. Standard deviations of the releases, first "
        f"to last: {sds[0, 0]:.4f} to {sds[-1, 0]:.4f} for b = 10, {sds[0, 1]:.4f} to {sds[-1, 1]:.4f} for 100, "
        f"{sds[0, 2]:.4f} to {sds[-1, 2]:.4f} for 1000."
    )

    def draw(figure: "Figure") -> None:
        left, right = figure.subplots(1, 2)
        for column, colour in enumerate((BLUE, GREEN, RED)):
            draw_boxes(left, found[:, column].T, [f"{value:.2f}" for value in mse], colour, place=column, of=3)
            right.plot(range(1, 9), sds[:, column], "o-", color=colour, label=f"b = {REPLICATES[column]}")
        right.set_xticks(range(1, 9), [f"{m:.2f}\n({r:.2f})" for m, r in zip(mse, CORRELATIONS, strict=True)], size=7)
        left.set(xlabel="MSE of the prediction", ylabel="released MSE")
        right.set(xlabel="MSE (correlation) of the prediction", ylabel="standard deviation", yscale="log")
        right.legend()

    names = [f"r = {r:g}" for r in CORRELATIONS]
    numbers = {f"sd, MSE {m:.2f}, b = 10": float(sd) for m, sd in zip(mse, sds[:, 0], strict=True)}
    verdict, raw = Verdict(checks, sentence, numbers), _raw(names, found)
    return ExperimentResult(_table(names, found, formula), draw, verdict, size=(10.0, 4.2), raw=raw)


def _measure(
    conditions: Conditions, labels: FloatArray, predictions: Sequence[FloatArray], *, times: int
) -> FloatArray:
    """Predictions × b × releases."""
    used = (1, 1, 1) if conditions.control == ONE_REPLICATE else REPLICATES
    tasks = [_Repeats(labels, given, b, times) for given in predictions for b in used]
    found = conditions.run(_releases, tasks, title="releases")
    return np.array(found).reshape(len(predictions), len(used), times)


def _formula(labels: FloatArray, predictions: Sequence[FloatArray]) -> FloatArray:
    """sd(l)/√(n·b): predictions × b."""
    spread = [np.square(labels - given).std() for given in predictions]
    return np.array([[one / np.sqrt(len(labels) * b) for b in REPLICATES] for one in spread])


def _follows_formula(sds: FloatArray, formula: FloatArray, times: int) -> Check:
    """A standard deviation from T draws has a relative error of 1/√(2T)."""
    errors = (sds / formula - 1) * np.sqrt(2 * times)
    return self_consistent("the spread is sd(l)/√(n·b), but for chance", agrees(errors, degrees=times - 1))


def _rises(spreads: FloatArray) -> bool:
    """From one prediction to the next, for each b."""
    return bool((spreads[0] < spreads[1]).all())


def _falls(spreads: FloatArray) -> bool:
    """From each prediction to the next but one, for each b."""
    return bool((spreads[2:] < spreads[:-2]).all())


def _lasso_and_knn(rng: np.random.Generator) -> tuple[FloatArray, list[FloatArray]]:
    """Scaled public labels, and the predictions of both learners, from simulated data with 30 % to be explained."""
    from sklearn.linear_model import Lasso
    from sklearn.neighbors import KNeighborsRegressor

    data = simulate_regression(rng, n=3 * ITEMS, features=200, signal=0.3)
    briefing = ThreeSets.split(data, np.arange(3 * ITEMS)).problem().briefing
    labels = ThreeSets.split(data, np.arange(3 * ITEMS)).data.response[ITEMS : 2 * ITEMS]
    assert briefing.features is not None
    return labels, [
        np.asarray(
            model.fit(briefing.training_features, briefing.training_labels).predict(briefing.features[:ITEMS]), float
        )
        for model in (Lasso(alpha=0.1), KNeighborsRegressor(n_neighbors=3))
    ]


def _ladder_of_predictions(rng: np.random.Generator) -> tuple[FloatArray, list[FloatArray]]:
    """Labels and eight scaled predictions with exactly the correlations above: labels plus Gaussian noise."""
    labels = scale(rng.standard_normal((ITEMS, 1)))[:, 0]
    noise = rng.standard_normal(ITEMS)
    noise = scale((noise - labels * (noise @ labels) / ITEMS)[:, None])[:, 0]
    return labels, [r * labels + np.sqrt(1 - r**2) * noise for r in CORRELATIONS]


def _correlation(labels: FloatArray, predictions: FloatArray) -> float:
    return float(np.corrcoef(labels, predictions)[0, 1])


def _table(names: Sequence[str], found: FloatArray, formula: FloatArray) -> ResultTable:
    rows: list[tuple[Cell, ...]] = [
        (name, b, float(cell.mean()), float(cell.std(ddof=1)), float(formula[row, column]), len(cell))
        for row, name in enumerate(names)
        for column, (b, cell) in enumerate(zip(REPLICATES, found[row], strict=True))
    ]
    return ResultTable(("prediction", "b", "mean_release", "sd_of_releases", "formula_sd", "releases"), rows)


def _raw(names: Sequence[str], found: FloatArray) -> ResultTable:
    return list_repetitions(np.moveaxis(found, 2, 0), "release", prediction=names, b=REPLICATES)


def _join(values: Sequence[float]) -> str:
    return "/".join(f"{value:.4f}" for value in values)
