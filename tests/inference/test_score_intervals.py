"""Intervals of single scores: Wilson's for right and wrong, and coverage where it is hard."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import binomtest, t

from ladderboard.core.records import FloatArray
from ladderboard.inference.score_intervals import score_intervals

STREAMS = 400


def test_right_and_wrong_have_wilsons_interval() -> None:
    """With Student's quantile for the normal one, which at 2,000 answers is the same."""
    found = score_intervals(np.repeat([[1.0], [0.0]], [300, 1700], axis=0))[0]
    oracle = binomtest(300, 2000).proportion_ci(method="wilson")
    assert found == pytest.approx((oracle.low, oracle.high), abs=2e-4)


def test_real_losses_have_students_interval() -> None:
    losses = np.random.default_rng(1).normal(3, 1, (40, 1))
    oracle = t.interval(0.95, 39, losses.mean(), losses.std(ddof=1) / np.sqrt(40))
    assert score_intervals(losses)[0] == pytest.approx(oracle)


def test_a_system_without_an_error_is_not_certain() -> None:
    low, high = score_intervals(np.zeros((100, 1)))[0]
    assert low == 0
    assert 0.02 < high < 0.05


def errors(n: int, rate: float) -> Callable[[np.random.Generator], tuple[FloatArray, dict[str, object]]]:
    return lambda rng: ((rng.random((n, 1)) < rate).astype(float), {})


def shares(n: int, rate: float) -> Callable[[np.random.Generator], tuple[FloatArray, dict[str, object]]]:
    return lambda rng: (rng.binomial(4, rng.beta(rate, 1 - rate, (n, 1))) / 4, {})


def passages(n: int, rate: float) -> Callable[[np.random.Generator], tuple[FloatArray, dict[str, object]]]:
    codes = np.repeat(np.arange(n // 5), 5)
    return lambda rng: (
        (rng.random(n) < rng.beta(2 * rate, 2 - 2 * rate, n // 5)[codes]).astype(float)[:, None],
        {"groups": codes},
    )


@pytest.mark.claim
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("draw", [errors(60, 0.03), errors(200, 0.4), shares(100, 0.2), passages(250, 0.3)])
def test_the_interval_holds_the_planted_score(
    draw: Callable[[np.random.Generator], tuple[FloatArray, dict[str, object]]], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    truth = {60: 0.03, 200: 0.4, 100: 0.2, 250: 0.3}
    covered = 0
    for _ in range(STREAMS):
        losses, more = draw(rng)
        low, high = score_intervals(losses, **more)[0]  # type: ignore[arg-type]  # groups alone
        covered += low <= truth[len(losses)] <= high
    assert covered / STREAMS >= 0.93
