"""The line of a plan on models that were made without the scores."""

import math

import numpy as np
import pytest

import ladderboard as lb
from ladderboard.planning.natural_analysts import MOST_MODELS, PAIRWISE, NaturalAnalysts

ITEMS, TOLERANCE, BOARDS = 628, 0.02, 400


def planned(*, n: int = ITEMS, metric: str = "error_rate", tolerance: float = TOLERANCE) -> NaturalAnalysts | None:
    return lb.plan_submissions(n=n, metric=metric, tolerance=tolerance).natural_analysts


def simulate_luck(models: int, accuracy: float, correlation: float) -> tuple[float, float]:
    """Mean luck of the best, and its standard error: models copy a common answer with probability √ρ, or guess anew.

    The luck of the common answers is zero on average; taking it off makes the mean steadier.
    """
    rng = np.random.default_rng(3)
    luck = np.empty(BOARDS)
    for board in range(BOARDS):
        common = rng.random(ITEMS) < accuracy
        copies = rng.random((models, ITEMS)) < math.sqrt(correlation)
        right = np.where(copies, common, rng.random((models, ITEMS)) < accuracy)
        luck[board] = right.mean(axis=1).max() - accuracy - math.sqrt(correlation) * (common.mean() - accuracy)
    return float(luck.mean()), float(luck.std() / math.sqrt(BOARDS))


@pytest.mark.parametrize("is_alike", [True, False])
def test_the_best_of_so_many_simulated_models_is_as_lucky_as_tolerated(is_alike: bool) -> None:
    found = planned()
    assert found is not None
    models = found.alike if is_alike else found.independent
    steps = [simulate_luck(count, found.accuracy, PAIRWISE * is_alike) for count in (models, models + 1)]
    # Four standard errors, fixed seed: a correct program fails at fewer than one seed in 10,000.
    assert steps[0][0] <= TOLERANCE + 4 * steps[0][1]
    assert steps[1][0] >= TOLERANCE - 4 * steps[1][1]
    # The other assumption is told apart by far.
    other, error = simulate_luck(models, found.accuracy, PAIRWISE * (not is_alike))
    assert abs(other - TOLERANCE) > 8 * error


def test_models_alike_can_be_more_and_a_larger_test_set_compares_more() -> None:
    small, large = planned(n=300), planned(n=5000)
    assert small is not None
    assert large is not None
    assert 1 <= small.independent < small.alike < large.independent < large.alike
    assert large.alike == MOST_MODELS
    assert "10,000 or more as alike as those of ImageNet" in large.sentence()


def test_it_is_said_for_right_and_wrong_answers_only() -> None:
    assert planned(metric="accuracy") == planned()
    assert planned(metric="auc") is None
    assert planned(metric="mse") is None
