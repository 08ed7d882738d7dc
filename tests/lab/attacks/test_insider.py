"""What an insider has read of an item it never changed is nothing, on every machine."""

import numpy as np
import pytest

import ladderboard as lb
from ladderboard_lab.attacks.insiders.insider import Insider, Readings
from tests.lab.attacks.attacked import SEEDS, coins


@pytest.mark.parametrize("seed", SEEDS)
def test_an_item_that_never_changed_has_no_vote(seed: int) -> None:
    """By the algebra its vote is zero; the sign of a rounding error, which is the machine's, must not decide it."""
    rng = np.random.default_rng(seed)
    board = coins(400, known_share=0.5)(rng).open_board(lb.FullDisclosure(), seed=seed)
    insider = Insider(board, 100, rng)
    readings, gambles = Readings(insider), []
    for _ in range(30):
        if insider.submit(insider.gamble ^ (rng.random(len(insider.unknown)) < 0.02), repairs=3):
            readings.take()
            gambles.append(insider.gamble)
    changed = (np.array(gambles) != gambles[0]).any(axis=0)
    votes = readings.regression()
    assert 0 < changed.sum() < len(changed)
    assert not votes[~changed].any()
    assert votes[changed].all()
