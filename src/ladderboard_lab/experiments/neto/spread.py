"""The spread of LadderBoot's releases in Neto et al., Text S4: S12 (lasso and kNN) and S13 (quality of prediction)."""

from collections.abc import Sequence
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
    labels, fitted = _lasso_and_knn(conditions.seed)
    names = list(fitted)[::-1] if conditions.control == SHUFFLED else list(fitted)
    predictions = dict(zip(("lasso", "knn"), (fitted[name] for name in names), strict=True))
    found = _measure(conditions, labels, list(predictions.values()), times=conditions.repeat(full=10_000, quick=400))
    mse = {name: float(np.mean(np.square(labels - given))) for name, given in predictions.items()}
    sds = found.std(axis=2, ddof=1)
    formula = _formula(labels, list(predictions.values()))
    checks = (
        check_claim("the lasso's releases spread less than kNN's for each b", (sds[0] < sds[1]).all()),
        check_claim("the lasso predicts better than a constant, kNN worse", mse["lasso"] < 1 < mse["knn"]),
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
    labels, predictions = _ladder_of_predictions(conditions.seed)
    if conditions.control == REVERSED:
        predictions = predictions[::-1]
    found = _measure(conditions, labels, predictions, times=conditions.repeat(full=10_000, quick=400))
    mse = [float(np.mean(np.square(labels - given))) for given in predictions]
    sds, formula = found.std(axis=2, ddof=1), _formula(labels, predictions)
    falls = np.diff(formula[:, 0]) < 0
    printed = [(round(mse[i], 2), round(_correlation(labels, predictions[i]), 2)) for i in (0, -1)]
    checks = (
        check_number(
            "the MSE is 1.64 at a correlation of .18 and .15 at .92, as for predictions scaled like the labels",
            printed == [(1.64, 0.18), (0.15, 0.92)],
        ),
        check_claim(
            "the standard deviation of the releases falls from each prediction to the next but one, for each b",
            falls.all() and (sds[2:] < sds[:-2]).all(),
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
    """A standard deviation from T draws has a relative error of 1/√(2T); the largest of 24 stays below 4.5 of them."""
    worst = float(np.abs(sds / formula - 1).max())
    return self_consistent("the spread is sd(l)/√(n·b), to 4.5 standard errors", worst <= 4.5 / np.sqrt(2 * times))


def _lasso_and_knn(seed: int) -> tuple[FloatArray, dict[str, FloatArray]]:
    """Scaled public labels, and the predictions of both learners, from simulated data with 30 % to be explained."""
    from sklearn.linear_model import Lasso
    from sklearn.neighbors import KNeighborsRegressor

    rng = np.random.default_rng([seed, 12])
    data = simulate_regression(rng, n=3 * ITEMS, features=200, signal=0.3)
    briefing = ThreeSets.split(data, np.arange(3 * ITEMS)).problem().briefing
    labels = ThreeSets.split(data, np.arange(3 * ITEMS)).data.response[ITEMS : 2 * ITEMS]
    assert briefing.features is not None
    models = {"lasso": Lasso(alpha=0.1), "knn": KNeighborsRegressor(n_neighbors=3)}
    predictions = {
        name: np.asarray(
            model.fit(briefing.training_features, briefing.training_labels).predict(briefing.features[:ITEMS]), float
        )
        for name, model in models.items()
    }
    return labels, predictions


def _ladder_of_predictions(seed: int) -> tuple[FloatArray, list[FloatArray]]:
    """Labels and eight scaled predictions with exactly the correlations above: labels plus Gaussian noise."""
    rng = np.random.default_rng([seed, 13])
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
