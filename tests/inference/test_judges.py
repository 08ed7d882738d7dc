"""A judge corrected by human scores: the published estimate, and ranges that hold though the judge has favourites."""

import numpy as np
import pytest

from ladderboard.core.errors import InputError
from ladderboard.inference.judges import correct_judge
from tests.claims.judge_coverage import draw_board, measure_judge


def test_the_estimate_is_that_of_ppi_python() -> None:
    """ppi-python 0.2.4, `ppi_mean_pointestimate` and `ppi_mean_ci` with λ = Cov/Var of the labelled × (1 − n/N)."""
    rng = np.random.default_rng(7)
    human = (rng.random(500) < 0.4).astype(float)
    judged = np.clip(human * 0.6 + 0.3 + rng.normal(0, 0.3, 500), 0, 1)
    human[100:] = np.nan
    parts = correct_judge(np.c_[judged, judged], np.c_[human, human]).losses[:, 0]
    assert parts.mean() == pytest.approx(0.4378093, abs=1e-7)
    width = 2 * 1.959964 * parts.std(ddof=1) / np.sqrt(500)
    small_sample = np.sqrt(100 / 98)  # ours alone: for the two numbers estimated from 100 labels
    assert width / small_sample == pytest.approx(0.51122696 - 0.36439163, rel=2e-3)


def test_a_judge_that_says_nothing_leaves_the_human_mean() -> None:
    rng = np.random.default_rng(1)
    human = rng.random((200, 2))
    human[50:] = np.nan
    judged = np.zeros((200, 2))
    corrected = correct_judge(judged, human)
    assert corrected.losses.mean(axis=0) == pytest.approx(np.nanmean(human, axis=0))
    assert corrected.explained.tolist() == [0, 0]
    spread = corrected.losses.std(axis=0, ddof=1) / np.sqrt(200)
    assert spread == pytest.approx(np.nanstd(human, axis=0, ddof=1) / np.sqrt(50), rel=0.02)


def test_the_scale_and_direction_of_a_judge_do_not_matter() -> None:
    judged, human = draw_board(np.random.default_rng(2), 300, 60)
    assert np.allclose(correct_judge(judged, human).losses, correct_judge(10 - 7 * judged, human).losses)


@pytest.mark.claim
@pytest.mark.parametrize("apart", [False, True])
def test_ranges_cover_under_a_judge_with_favourites_and_the_naive_ones_do_not(apart: bool) -> None:
    """Claimed .95: of 60 boards fewer than 51 (.85) cover with a probability of .0008. At full size: judge_coverage."""
    found = measure_judge(400, 60, apart=apart, boards=60)
    assert found.corrected >= 51 / 60
    assert found.naive <= 0.5


@pytest.mark.slow
@pytest.mark.claim
@pytest.mark.parametrize(("items", "labelled"), [(300, 20), (1000, 200)])
@pytest.mark.parametrize("seed", [1, 2])
def test_ranges_from_a_judge_cover_at_full_size(items: int, labelled: int, seed: int) -> None:
    """Claimed .95: of 400 boards fewer than 362 (.905) cover with a probability of .0002."""
    assert measure_judge(items, labelled, boards=400, seed=seed).corrected >= 362 / 400


def test_too_few_labels_and_missing_judgements_are_refused() -> None:
    judged, human = draw_board(np.random.default_rng(3), 100, 19)
    with pytest.raises(InputError, match="a system has 19 human scores; at least 20"):
        correct_judge(judged, human)
    judged[0, 0] = np.nan
    with pytest.raises(InputError, match="must have judged every item of every system"):
        correct_judge(judged, human)
    with pytest.raises(InputError, match="have shape"):
        correct_judge(judged[:, :2], human)
