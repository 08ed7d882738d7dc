"""The data check: each oddity has its sentence, and an ordinary board has none."""

import numpy as np
import pytest

from ladderboard.analysis.data_check import check_data
from ladderboard.evals import LossMatrix


def board(seed: int, systems: int = 8, items: int = 400) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    rng = np.random.default_rng(seed)
    skill, difficulty = rng.normal(0, 0.5, systems), rng.normal(0, 1.5, (items, 1))
    return (rng.random((items, systems)) < 1 / (1 + np.exp(skill + difficulty))).astype(float)


def test_an_ordinary_board_seldom_has_anything_odd() -> None:
    odd = [bool(check_data(LossMatrix.of(board(seed)))) for seed in range(40)]
    assert sum(odd) <= 2  # a normal skill that lies apart from seven others is possible


def test_each_oddity_is_one_sentence() -> None:
    losses = board(1)
    losses[:, 1] = losses[:, 0]
    losses[:, 2] = 1 - losses[:, 3]
    losses[:, 4] = 2
    found = check_data(LossMatrix.of(losses, constant=True))
    assert found[0] == "system 1 and system 2 have the same loss on every item; are they one system?"
    assert found[1] == "system 5 has 2.0000 on every item; did it answer at all?"
    assert found[2].startswith("system 5 is far off: 2.0000 where the middle of the board has ")
    assert found[3].startswith("system 3 does well where the others do badly (correlation -0.")
    assert len(found) == 4


def test_an_item_in_percent_among_shares_is_named() -> None:
    losses = board(1) + 0.1
    losses[7] = 80 + losses[7]
    assert [one for one in check_data(LossMatrix.of(losses)) if one.startswith("item 8 is on another scale: 80")]


@pytest.mark.parametrize(("factor", "is_said"), [(100, True), (10, False)])
def test_tasks_on_two_scales_are_named(factor: int, is_said: bool) -> None:
    losses = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 0], [0, 1, 1]]) * np.array([[1], [1], [factor], [factor]])
    found = check_data(LossMatrix.of(losses, tasks=["shares", "shares", "percents", "percents"]))
    assert any("percents reaches 100, shares only 1, so percents decides the mean" in one for one in found) == is_said
