"""The Multiplicity paper's Figures 7 and 8: ROC curves with the same AUC, and the scores behind them."""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

import ladderboard as lb
from ladderboard_lab.experiments.base import (
    Cell,
    Conditions,
    ExperimentResult,
    ResultTable,
    Verdict,
    check_claim,
    check_number,
    experiment,
    self_consistent,
)
from ladderboard_lab.experiments.drawing import BLUE, GREEN, MUTED, RED, title_left
from ladderboard_lab.experiments.multiplicity.setting import PAPER
from ladderboard_lab.participant import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Shape = Any
"""A member of the binormal family, as `lb.auc_reading` lists them."""

AUC, SHAPES = 0.95, (3.0, 1.0, 1 / 3)
"""Three ROC curves with an AUC of .95, from low to high variance."""
POSITIVES, NEGATIVES = 136, 7551
"""The melanoma challenge's 7,687 test images at the 1.77 % of melanomas of its training set."""
WINNER, TYPICAL, TEAMS, UPPER = 0.9490, 0.9352, 427, 0.9490
RATES = np.linspace(1e-6, 1 - 1e-6, 400)
COLOURS = (GREEN, BLUE, RED)

SAME_SHAPE = "the same shape three times"
FEWER_IMAGES = "a tenth of the images"
ONE_TEAM = "one team instead of 427"


@experiment(
    id="multiplicity-fig7",
    title="ROC curves with an AUC of .95 from low to high variance, and the melanoma challenge's reading",
    paper=PAPER,
    claim="The uncertainty of an AUC depends on the shape of the ROC curve. With identical classifiers of AUC .9352 "
    "the upper bound of the 95 % interval is .9490, the winner's AUC; 427 teams are above .9352, so that "
    "observations outside the interval are expected.",
    stand_in="binormal curves; the challenge's predictions are not published",
    controls=(SAME_SHAPE, FEWER_IMAGES, ONE_TEAM),
)
def multiplicity_fig7(conditions: Conditions) -> ExperimentResult:
    """Three curves with their intervals, and the printed bound among those of the shapes."""
    shapes = _shapes(conditions, AUC)
    errors = [shape.standard_error for shape in shapes]
    uppers = [shape.interval(0.95, logit=False)[1] for shape in _shapes(conditions, TYPICAL)]
    matching = _matching_shape(conditions)
    teams = 1 if conditions.control == ONE_TEAM else TEAMS
    expected_best = lb.BestAuc(matching, teams).mean
    checks = (
        check_claim("at the same AUC the three curves differ in variance", all(a < b for a, b in pairwise(errors))),
        check_number(
            "the upper bound .9490 for an AUC of .9352 lies between those of the three shapes, at a shape near 1.5",
            uppers[0] < UPPER < uppers[-1] and 1.3 < matching.shape < 1.8,
        ),
        check_claim("the best of 427 such teams is expected above the bound", expected_best > UPPER),
    )
    sentence = (
        f"Standard errors of an AUC of .95: {errors[0]:.4f}, {errors[1]:.4f} and {errors[2]:.4f}. For .9352 the upper "
        f"bounds are {uppers[0]:.4f} to {uppers[-1]:.4f}; the printed .9490 belongs to a binormal shape of "
        f"{matching.shape:.2f} ({POSITIVES} melanomas of 7,687 images). The best of 427 equal teams is then expected "
        f"at {expected_best:.4f}."
    )
    numbers = {f"standard error, shape {one.shape:.2f}": one.standard_error for one in shapes}
    verdict = Verdict(checks, sentence, numbers | {"expected best of 427": expected_best})
    curves = [shape.curve(RATES) for shape in shapes]
    rows: list[tuple[Cell, ...]] = [
        (round(shape.shape, 3), float(rate), float(height))
        for shape, curve in zip(shapes, curves, strict=True)
        for rate, height in zip(RATES[::20], curve[::20], strict=True)
    ]
    table = ResultTable(("shape", "false_positive_rate", "true_positive_rate"), rows)
    return ExperimentResult(table, partial(_draw_curves, shapes=shapes, curves=curves), verdict, size=(9.5, 3.6))


@experiment(
    id="multiplicity-fig8",
    title="The scores behind the three ROC curves",
    paper=PAPER,
    claim="The variability of the curves has to do with how the scores of the two classes overlap: a high-variance "
    "curve has mostly low overlap, but a high variance of the cases' scores, so that a handful of cases decides its "
    "shape.",
    controls=(SAME_SHAPE,),
)
def multiplicity_fig8(conditions: Conditions) -> ExperimentResult:
    """Simulated scores of cases and others for each shape."""
    shapes = _shapes(conditions, AUC)
    drawn = [shape.simulate(np.random.default_rng([conditions.seed, 8])) for shape in shapes]
    spread = [float(cases.std() / others.std()) for cases, others in drawn]
    overlap = [float(np.mean(cases > np.quantile(others, 0.999))) for cases, others in drawn]
    empirical = [float(np.mean(cases[:, None] > others[None])) for cases, others in drawn]
    checks = (
        check_claim(
            "the spread of the cases' scores grows from the low-variance curve to the high-variance one",
            all(a < b for a, b in pairwise(spread)),
        ),
        check_claim(
            "the high-variance curve has the largest share of cases beyond almost all others",
            overlap[2] > overlap[1] > overlap[0],
        ),
        self_consistent(
            "each simulated test set has an AUC of .95, to 4 standard errors",
            all(abs(a - AUC) <= 4 * one.standard_error for a, one in zip(empirical, shapes, strict=True))
            and len({one.shape for one in shapes}) == 3,
        ),
    )
    sentence = (
        f"Spread of the cases' scores relative to the others': {spread[0]:.2f}, {spread[1]:.2f} and {spread[2]:.2f}; "
        f"share of cases above 99.9 % of the others: {overlap[0]:.0%}, {overlap[1]:.0%} and {overlap[2]:.0%}; AUC of "
        f"the simulated test sets {empirical[0]:.3f}, {empirical[1]:.3f} and {empirical[2]:.3f}."
    )
    rows: list[tuple[Cell, ...]] = [
        (round(shape.shape, 3), own, cell[1], auc)
        for shape, own, cell, auc in zip(shapes, spread, enumerate(overlap), empirical, strict=True)
    ]
    numbers = {f"spread, shape {one.shape:.2f}": value for one, value in zip(shapes, spread, strict=True)}
    table = ResultTable(("shape", "relative_spread_of_cases", "share_beyond_99.9_percent", "auc"), rows)
    return ExperimentResult(
        table, partial(_draw_scores, drawn=drawn), Verdict(checks, sentence, numbers), size=(9.5, 3.4)
    )


def _shapes(conditions: Conditions, auc: float) -> list[Shape]:
    ratios = (1.0,) * 3 if conditions.control == SAME_SHAPE else SHAPES
    return _make_shapes(conditions, auc, ratios)


def _make_shapes(conditions: Conditions, auc: float, ratios: Sequence[float]) -> list[Shape]:
    positives, negatives = _sizes(conditions)
    return list(lb.auc_reading(auc, positives=positives, negatives=negatives, shapes=ratios).shapes)


def _sizes(conditions: Conditions) -> tuple[int, int]:
    part = 10 if conditions.control == FEWER_IMAGES else 1
    return POSITIVES // part, NEGATIVES // part


def _matching_shape(conditions: Conditions) -> Shape:
    """The shape whose upper bound for .9352 is nearest to the printed .9490."""
    tried = _make_shapes(conditions, TYPICAL, np.linspace(0.5, 3, 101).tolist())
    return min(tried, key=lambda shape: abs(shape.interval(0.95, logit=False)[1] - UPPER))


def _draw_curves(figure: "Figure", *, shapes: list[Shape], curves: list[FloatArray]) -> None:
    for axes, shape, curve, colour in zip(figure.subplots(1, 3, sharey=True), shapes, curves, COLOURS, strict=True):
        low, high = shape.interval(0.95)
        axes.plot(RATES, curve, color=colour, linewidth=1.5)
        axes.plot([0, 1], [0, 1], "--", color=MUTED, linewidth=0.8)
        title_left(axes, f"AUC .95, 95 % interval {low:.3f} to {high:.3f}")
        axes.set_xlabel("false positive rate")
    figure.axes[0].set_ylabel("true positive rate")


def _draw_scores(figure: "Figure", *, drawn: list[tuple[FloatArray, FloatArray]]) -> None:
    for axes, (cases, others), colour in zip(figure.subplots(1, 3), drawn, COLOURS, strict=True):
        axes.hist(others, 60, density=True, color=MUTED, alpha=0.6, label="others")
        axes.hist(cases, 30, density=True, color=colour, alpha=0.6, label="cases")
        axes.set_xlabel("score")
    figure.axes[0].legend()
    figure.axes[0].set_ylabel("density")
