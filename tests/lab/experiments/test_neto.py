"""The data and attacks of Neto et al.: scaled sets, permuted responses, the screened Ladder, a user's own file."""

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import ladderboard as lb
from ladderboard.cli.lab.reproduce import reproduce
from ladderboard_lab.attacks.freedman import best_released, fits_for
from ladderboard_lab.attacks.step_forward import StepForward
from ladderboard_lab.experiments import EXPERIMENTS, Conditions
from ladderboard_lab.experiments.neto.attacks import both_losses, open_board
from ladderboard_lab.experiments.neto.data import ThreeSets, make_illustration, make_stand_in, make_study
from ladderboard_lab.experiments.neto.submissions import COUNTS, WAYS, count_borne
from ladderboard_lab.planning.step_forward_runs import count_submissions
from ladderboard_lab.planning.submissions import GRID
from ladderboard_lab.problems.regression import RegressionData, simulate_regression
from tests.lab.experiments.quick_runs import quick


def test_every_figure_of_the_paper_and_its_supplement_can_be_named() -> None:
    figures = {f"neto-fig{number}" for number in range(1, 7)} | {f"neto-s{number}" for number in range(1, 14)}
    assert figures <= set(EXPERIMENTS)


# --- the three sets ----------------------------------------------------------------------------------------------


def three_sets(seed: int = 0) -> ThreeSets:
    data = make_stand_in(np.random.default_rng(seed), items=96, features=12)
    return ThreeSets.split(data, np.random.default_rng(seed).permutation(96))


def test_every_set_is_scaled_on_its_own_so_that_a_constant_has_an_mse_of_one() -> None:
    sets = three_sets()
    for part in np.split(np.column_stack([sets.data.features, sets.data.response]), 3):
        assert np.allclose(part.mean(axis=0), 0, atol=1e-12)
        assert np.allclose(part.std(axis=0), 1)
    assert both_losses(sets.problem(), np.zeros(64)) == pytest.approx((1.0, 1.0))


def test_permuted_responses_lose_their_relation_to_the_features_and_stay_in_their_set() -> None:
    x = np.linspace(-1, 1, 90)
    sets = ThreeSets.split(RegressionData(x[:, None], x), np.random.default_rng(1).permutation(90))
    permuted = sets.permuted(np.random.default_rng(0))
    for before, after in zip(np.split(sets.data.response, 3), np.split(permuted.data.response, 3), strict=True):
        assert sorted(before) == sorted(after)
    for column, response in zip(
        np.split(permuted.data.features[:, 0], 3), np.split(permuted.data.response, 3), strict=True
    ):
        # The correlation was 1; of 30 permuted items it exceeds .6 once in 2000 seeds.
        assert abs(np.corrcoef(column, response)[0, 1]) < 0.6
    assert permuted.data.features is sets.data.features


def test_a_study_with_permuted_responses_keeps_its_sets_and_a_random_split_does_not() -> None:
    conditions, rngs = Conditions(), [np.random.default_rng(seed) for seed in (1, 2)]
    fixed = [make_study(conditions, permuted=True, features=5).repetition(rng).data for rng in rngs]
    assert np.array_equal(fixed[0].features, fixed[1].features)
    assert not np.array_equal(fixed[0].response, fixed[1].response)
    split = [make_study(conditions, permuted=False, features=5).repetition(rng).data for rng in rngs]
    assert not np.array_equal(split[0].features, split[1].features)


def test_a_study_that_draws_features_draws_others_for_every_repetition() -> None:
    study = replace(make_study(Conditions(), permuted=True, features=50), drawn=3)
    first, second = (study.repetition(np.random.default_rng(seed)).data.features for seed in (1, 2))
    assert first.shape == second.shape == (628, 3)
    assert not np.array_equal(first, second)


# --- the attacks -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [0.01, 0.15, 0.5])
def test_sending_only_what_can_be_accepted_changes_no_answer(alpha: float) -> None:
    problem = make_illustration(3, features=60).problem()
    participants = (
        open_board(problem, lb.SignificanceLadder(alpha), seed=1),
        problem.open_board(lb.SignificanceLadder(alpha), seed=1, repeats_are_free=False),
    )
    screened, plain = (list(StepForward(4).stages(one, budget=10_000)) for one in participants)
    np.testing.assert_array_equal(screened, plain)


def test_of_features_with_equal_releases_the_first_are_taken() -> None:
    problem = make_illustration(3, features=60).problem()
    fits = fits_for(problem.briefing)
    releases: list[lb.Release] = []
    participant = problem.open_board(lb.SignificanceLadder(0.15), seed=1)
    participant.on_release = releases.append
    order = best_released(participant, fits, budget=60)
    jump = max(index for index, release in enumerate(releases) if release.accepted)
    assert order[: 60 - jump].tolist() == list(range(jump, 60))


def test_the_grid_makes_50_to_1785_submissions_and_four_ways_make_120() -> None:
    assert tuple(count_submissions(iterations=i, features=p) for i, p in GRID) == COUNTS
    assert [count_submissions(iterations=i, features=p) for i, p in WAYS] == [120] * 4


def test_a_median_of_exactly_the_tolerance_is_still_borne() -> None:
    assert count_borne((50, 199), np.array([-0.01, -0.05])) == 199
    assert count_borne((50, 199), np.array([-0.01, -0.0501])) == 50
    assert count_borne((50, 199), np.array([-0.06, -0.01])) == 0


def test_the_quick_number_of_submissions_is_the_papers() -> None:
    numbers = quick("neto-s11").verdict.numbers
    assert numbers["Ladder, α = 0.15"] == 447
    assert numbers["Ladder, α = 0.5"] == 199


# --- a user's own data -------------------------------------------------------------------------------------------


def own_csv(folder: Path) -> Path:
    data = simulate_regression(np.random.default_rng(3), n=150, features=24)
    file = folder / "mine.csv"
    with file.open("w", newline="") as opened:
        writer = csv.writer(opened)
        writer.writerow([*(f"x{j}" for j in range(24)), "y"])
        writer.writerows(np.column_stack([data.features, 7 + 3 * data.response]).tolist())
    return file


def test_an_experiment_runs_on_a_users_csv(tmp_path: Path) -> None:
    study = make_study(Conditions(data=own_csv(tmp_path), target="y"), permuted=True)
    assert study.data.features.shape == (150, 24)
    words = ["neto-fig4", "--repetitions", "2", "--workers", "1", "--data", str(own_csv(tmp_path)), "--target", "y"]
    result = CliRunner().invoke(reproduce, [*words, "--out", str(tmp_path)])
    assert result.exit_code in (0, 1), result.output  # 150 rows need not show what 628 do
    assert "--data mine.csv --target y" in (tmp_path / "report.html").read_text()
