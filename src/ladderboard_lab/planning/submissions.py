"""How many submissions can a holdout bear? The step-forward attack on permuted responses, by number of submissions.

Neto et al. 2016, Text S3: the largest number of submissions whose median overfit stays within a tolerance (0.05).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import ladderboard as lb
from ladderboard_lab.participant import FloatArray
from ladderboard_lab.planning.step_forward_runs import count_submissions, step_forward_run
from ladderboard_lab.problems.base import Problem
from ladderboard_lab.problems.regression import (
    SMALLEST_PART,
    RegressionData,
    autoregressive,
    regression_problem,
    standardise_data,
)
from ladderboard_lab.run import run_all

GRID = tuple((iterations, 50 * iterations) for iterations in range(1, 7))
"""The paper's grid of (iterations, features): 50, 199, 447, 794, 1240, 1785 submissions."""

TOLERANCE = 0.05


@dataclass(frozen=True)
class OverfitAt:
    """The overfit after that many submissions over the repetitions: public minus private loss, negative = overfit."""

    submissions: int
    iterations: int
    features: int
    median: float
    lower_quartile: float
    upper_quartile: float


@dataclass(frozen=True, eq=False)
class _Setting:
    """What one repetition needs; travels to the workers."""

    data: RegressionData
    is_simulated: bool
    metric: str
    mechanism: "str | lb.Mechanism"
    grid: tuple[tuple[int, int], ...]
    correlation: float


def overfit_by_submissions(
    responses: npt.ArrayLike,
    *,
    features: npt.ArrayLike | None = None,
    metric: str = "mse",
    mechanism: "str | lb.Mechanism" = "witness_ladder",
    grid: Sequence[tuple[int, int]] = GRID,
    repetitions: int = 100,
    correlation: float = 0.9,
    seed: int = 0,
    quiet: bool = True,
    **engine: Any,
) -> list[OverfitAt]:
    """Measure the overfit of the step-forward attack on a holdout with these responses, unrelated to any features.

    The holdout's own responses are permuted; as many training items and private items are drawn from them, with
    replacement. Responses are standardised first: an overfit of .05 in MSE is a twentieth of their variance.

    Parameters
    ----------
    responses
        The n numbers of the holdout, at least 10.
    features
        n × p numbers; without them neighbouring features are simulated that correlate by ``correlation``.
    grid, engine
        (iterations, features) pairs, without those with more features than there are; options of `run_all`.
    """
    data = _read(responses, features, grid)
    fitting = tuple((done, p) for done, p in grid if p <= data.features.shape[1])
    if not fitting:
        raise lb.ParameterError(f"{data.features.shape[1]} features; the grid starts with {min(p for _, p in grid)}")
    setting = _Setting(data, features is None, metric, mechanism, fitting, correlation)
    engine |= {"seed": seed, "title": "Attacking permuted responses", "quiet": quiet}
    found = run_all(_run_repetition, [setting] * repetitions, **engine)
    quartiles = np.percentile(np.array(found), (25, 50, 75), axis=0).T.tolist()
    return [
        OverfitAt(count_submissions(iterations=done, features=p), done, p, median, lower, upper)
        for (done, p), (lower, median, upper) in zip(fitting, quartiles, strict=True)
    ]


def bearable_submissions(overfits: Sequence[OverfitAt], *, tolerance: float = TOLERANCE) -> int:
    """The largest number of submissions up to which the median overfit stays within the tolerance; 0 for none.

    >>> points = [OverfitAt(50, 1, 50, -0.01, 0, 0), OverfitAt(199, 2, 100, -0.06, 0, 0)]
    >>> bearable_submissions(points), bearable_submissions(points, tolerance=0.1)
    (50, 199)
    """
    bearable = 0
    for point in sorted(overfits, key=lambda point: point.submissions):
        if point.median < -tolerance:
            break
        bearable = point.submissions
    return bearable


def _read(responses: npt.ArrayLike, features: npt.ArrayLike | None, grid: Sequence[tuple[int, int]]) -> RegressionData:
    y = np.asarray(responses, dtype=float)
    x = np.zeros((len(y), max(p for _, p in grid))) if features is None else np.asarray(features, dtype=float)
    if y.ndim != 1 or len(y) < SMALLEST_PART or not np.isfinite(y).all():
        raise lb.LabelsError(f"at least {SMALLEST_PART} finite responses are needed, one for each item")
    if x.ndim != 2 or len(x) != len(y) or not np.isfinite(x).all():
        raise lb.InputError(f"features must be a table of finite numbers with {len(y)} rows, one for each response")
    return standardise_data(x, y)


def _run_repetition(setting: _Setting, seed: np.random.SeedSequence) -> list[float]:
    """The net overfit of each point of the grid, on one set of permuted responses."""
    rng = np.random.default_rng(seed)
    data = _permute_with_relatives(setting, rng)
    readings = []
    for iterations, p in setting.grid:
        problem = _problem(data.first(p), len(setting.data.response), setting.metric)
        run = step_forward_run(problem, setting.mechanism, iterations=iterations, seed=int(rng.integers(2**62)))
        readings.append(run[-1].net)
    return readings


def _permute_with_relatives(setting: _Setting, rng: np.random.Generator) -> RegressionData:
    """Three times n items: the holdout with permuted responses, then training and private items drawn from it."""
    n = len(setting.data.response)
    drawn = rng.integers(0, n, (2, 2 * n))
    response = np.concatenate([rng.permutation(setting.data.response), setting.data.response[drawn[0]]])
    return RegressionData(_features(setting, drawn[1], rng), response)


def _features(setting: _Setting, drawn: npt.NDArray[np.int64], rng: np.random.Generator) -> FloatArray:
    given = setting.data.features
    if setting.is_simulated:
        n = len(given) + len(drawn)
        return autoregressive(rng, n=n, features=given.shape[1], correlation=setting.correlation)
    return np.concatenate([given, given[drawn]])


def _problem(data: RegressionData, n: int, metric: str) -> Problem:
    """The first n items are public, the next n train, the rest are private."""
    items = np.concatenate([np.arange(n), np.arange(2 * n, 3 * n)])
    return regression_problem(data, train=np.arange(n, 2 * n), items=items, public=np.arange(n), metric=metric)
