import numpy as np
import pytest

from ladderboard.guard.holdout import Holdout
from tests.claims.sizes import most, sized

TRIALS, ITEMS = 500, 600


@pytest.mark.claim
@sized(4, 100)
def test_few_searches_on_noise_ever_hear_improved(runs: int) -> None:
    """Random search over 500 models without skill, as in examples/optuna_noise.py.

    A search's expected number of accepts is at most α·(1 + … + 1/500) = .34, and "improved" needs the witness half's
    number to fall below the baseline's as well, which luck on the gate does not help with: one search in 20 at most.
    """
    claims, convincing = 0, 0
    for seed in range(runs):
        rng = np.random.default_rng([seed, TRIALS])
        labels = rng.integers(0, 2, ITEMS)
        models = rng.integers(0, 2, (TRIALS, ITEMS))
        holdout = Holdout(labels, path=":memory:", seed=seed)
        claims += any(release.improved for release in map(holdout.score, models))
        convincing += np.mean(models != labels, axis=1).min() < 0.5 - 1.645 * 0.5 / np.sqrt(ITEMS)
    assert claims / runs <= most(0.05, runs)
    assert convincing == runs  # raw scoring always ends with a false best that looks significant
