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
from ladderboard_lab.experiments.neto import submissions
from ladderboard_lab.experiments.neto.attacks import Campaign, both_losses, open_board, run_freedman, run_step_forward
from ladderboard_lab.experiments.neto.data import ILLUSTRATION, StandIn, Study, ThreeSets, make_illustration, make_study
from ladderboard_lab.experiments.neto.measured import Measured
from ladderboard_lab.experiments.neto.mechanisms import (
    ALPHAS,
    DISCLOSED,
    NO_NOISE,
    REPLICATES,
    Panel,
    bayes_panels,
    grid_panels,
    ladder_panel,
)
from ladderboard_lab.experiments.neto.submissions import COUNTS, WAYS, count_borne
from ladderboard_lab.experiments.own.stand_ins import ORDERINGS, own_stand_ins, read_diabetes
from ladderboard_lab.participant import FloatArray
from ladderboard_lab.planning.step_forward_runs import count_submissions
from ladderboard_lab.planning.submissions import GRID
from ladderboard_lab.problems.regression import RegressionData, simulate_regression
from tests.lab.experiments.quick_runs import quick


def test_every_figure_of_the_paper_and_its_supplement_can_be_named() -> None:
    figures = {f"neto-fig{number}" for number in range(1, 7)} | {f"neto-s{number}" for number in range(1, 14)}
    assert figures <= set(EXPERIMENTS)


# --- the three sets ----------------------------------------------------------------------------------------------


def three_sets(seed: int = 0) -> ThreeSets:
    data = StandIn(items=96, features=12).draw(np.random.default_rng(seed), features=12)
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


def given(*, permuted: bool, features: int = 5, redraws: bool = False) -> list[ThreeSets]:
    """Two repetitions on one data set of 30 features."""
    data = StandIn(items=90, features=30).draw(np.random.default_rng(0), features=30)
    study = Study(data, features, permuted, redraws=redraws)
    return [study.repetition(np.random.default_rng(seed)) for seed in (1, 2)]


def test_with_a_given_data_set_permuted_responses_keep_the_sets_and_random_splits_do_not() -> None:
    first, second = (one.data for one in given(permuted=True))
    assert np.array_equal(first.features, second.features)
    assert not np.array_equal(first.response, second.response)
    first, second = (one.data for one in given(permuted=False))
    assert not np.array_equal(first.features, second.features)


def test_a_study_that_redraws_chooses_other_features_of_the_given_data_for_every_repetition() -> None:
    whole = [one.data.features for one in given(permuted=True, features=30)]
    assert np.array_equal(whole[0], whole[1])
    first, second = (one.data.features for one in given(permuted=True, redraws=True))
    assert first.shape == second.shape == (90, 5)
    assert not np.array_equal(first, second)


@pytest.mark.parametrize("permuted", [True, False])
def test_every_repetition_on_the_stand_in_has_a_data_set_of_its_own(permuted: bool) -> None:
    study = make_study(Conditions(), permuted=permuted, features=4)
    first, second = (study.repetition(np.random.default_rng(seed)).data for seed in (1, 2))
    assert first.features.shape == second.features.shape == (628, 4)
    assert not np.isin(first.features, second.features).any()


def test_features_at_chosen_places_have_the_law_of_the_whole_sequence() -> None:
    # Correlations of 20,000 rows have a standard error below .0071; 5 of them are exceeded once in 500,000 seeds.
    law = StandIn(items=20_000, features=40, common=0.0)
    places = np.sort(np.random.default_rng(7).permutation(40)[:6])
    drawn = law.draw(np.random.default_rng(7), features=6).features
    expected = 0.9 ** np.abs(places[:, None] - places)
    assert np.abs(np.corrcoef(drawn.T) - expected).max() < 5 * 0.0071


def test_the_common_factor_explains_its_share_of_the_response() -> None:
    data = StandIn(items=20_000, features=200, correlation=0.0, explained=0.6).draw(
        np.random.default_rng(3), features=200
    )
    factor = data.features.mean(axis=1)
    # 200 features with loadings up to .7 average to the factor but for .1 of its variance.
    assert np.corrcoef(factor, data.response)[0, 1] ** 2 == pytest.approx(0.6, abs=0.06)


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


@pytest.mark.slow
def test_the_quick_number_of_submissions_is_the_papers() -> None:
    numbers = quick("neto-s11").verdict.numbers
    assert numbers["Ladder, α = 0.5"] == 199


# --- what is measured, by hand ----------------------------------------------------------------------------------


def measured() -> Measured:
    """Five repetitions of one mechanism, read twice; the final loss is always 1."""
    public = np.array([[0.7, 0.9], [1.0, 0.8], [1.1, 0.4], [1.2, 0.6], [0.0, 0.7]])
    losses = np.stack([public, np.ones_like(public)], axis=-1)[:, None]
    return Measured((Panel(0.15, None, lb.SignificanceLadder(0.15)),), "features kept", (1, 2), losses)


def test_a_negative_difference_flatters_and_medians_are_averaged_over_the_steps() -> None:
    found = measured()
    assert found.delta[:, 0, 0].tolist() == pytest.approx([-0.3, 0.0, 0.1, 0.2, -1.0])
    assert found.median(0, 1) == pytest.approx(0.0)
    assert found.median(0, 2) == pytest.approx(-0.3)
    assert found.mean_median(0) == pytest.approx(-0.15)


def test_the_table_has_quartiles_and_the_raw_values_are_all_there() -> None:
    found = measured()
    row = dict(zip(found.table().columns, found.table().rows[0], strict=True))
    assert [row[f"public_{which}"] for which in ("q25", "median", "q75")] == pytest.approx([0.7, 1.0, 1.1])
    assert [row[f"delta_{which}"] for which in ("q25", "median", "q75")] == pytest.approx([-0.3, 0.0, 0.1])
    assert found.raw().rows[3] == (1, "Ladder", 0.15, 2, 0.8, 1.0)


def test_the_boards_of_the_grid_are_the_papers() -> None:
    noisy = [panel.mechanism for panel in grid_panels(Conditions()) if panel.replicates is not None]
    assert [(one.alpha, one.replicates) for one in noisy] == [(a, b) for a in ALPHAS for b in REPLICATES]  # type: ignore[attr-defined]
    bayesian = [panel.mechanism for panel in bayes_panels(100, Conditions())]
    assert [one.odds for one in bayesian[::4]] == pytest.approx([99, 17 / 3, 1])  # type: ignore[attr-defined]
    assert all(one.redraw for one in [*noisy, *bayesian] if not isinstance(one, lb.BayesBootLadder))  # type: ignore[attr-defined]


def test_the_public_loss_comes_first() -> None:
    problem = three_sets().problem()
    right_in_public = np.where(np.arange(64) < 32, problem.labels, 0.0)
    assert both_losses(problem, right_in_public) == pytest.approx((0.0, 1.0))


def small_study(features: int = 6) -> Study:
    return Study(replace(ILLUSTRATION, features=features), features, permuted=True)


def test_freedmans_regression_has_the_best_features_of_the_public_part() -> None:
    study, seed = small_study(), np.random.SeedSequence(1)
    found = run_freedman(Campaign(study, (DISCLOSED,), (1, 3)), seed)[0]
    problem = study.repetition(np.random.default_rng(seed)).problem()
    briefing = problem.briefing
    train, items = briefing.training_features, briefing.features
    assert train is not None
    assert items is not None

    def predict(columns: list[int]) -> FloatArray:
        given, asked = (np.column_stack([np.ones(len(x)), x[:, columns]]) for x in (train, items))
        return np.asarray(asked @ np.linalg.lstsq(given, np.asarray(briefing.training_labels), rcond=None)[0])

    alone = [both_losses(problem, predict([feature]))[0] for feature in range(6)]
    best = np.argsort(alone).tolist()
    assert found.tolist() == [pytest.approx(both_losses(problem, predict(best[:kept]))) for kept in (1, 3)]


def test_a_step_of_the_attack_is_a_feature_more() -> None:
    study, seed, panel = small_study(40), np.random.SeedSequence(1), ladder_panel(0.5, Conditions())
    found = run_step_forward(Campaign(study, (panel,), (1, 2)), seed)[0]
    rng = np.random.default_rng(seed)
    problem = study.repetition(rng).problem()
    board = open_board(problem, panel.mechanism, seed=int(rng.integers(2**62, size=2)[0]))
    _, *stages = StepForward(2).stages(board, budget=10_000)
    assert found[:, :2].tolist() == [pytest.approx(both_losses(problem, stage)) for stage in stages]
    # The Ladder releases the accepted regression's own loss, rounded to 1/n of the 40 public items.
    assert found[:, 2] == pytest.approx(found[:, 0], abs=0.5 / 40 + 1e-9)
    assert found[1, 2] < found[0, 2]


def test_what_ladder_boot_releases_is_the_best_submission_with_noise() -> None:
    study, seed = small_study(40), np.random.SeedSequence(1)
    panels = tuple(Panel(0.5, b, lb.LadderBoot(0.5, b, redraw=True)) for b in (10**7, 1))
    exact, noisy = run_step_forward(Campaign(study, panels, (1, 2)), seed)
    ladder = run_step_forward(Campaign(study, (ladder_panel(0.5, Conditions()),), (1, 2)), seed)[0]
    assert exact[0, 2] == pytest.approx(ladder[0, 2], abs=0.5 / 40 + 0.002), "the same gate, and hardly any noise"
    assert abs(noisy[0, 2] - exact[0, 2]) > 0.01
    random = Campaign(study, panels[:1], (1, 2), is_random=True)
    public, _, released = run_step_forward(random, seed)[0].T
    assert released[0] == pytest.approx(public[0], abs=0.002), "the first submission is accepted"
    assert released[1] == pytest.approx(min(public), abs=0.05)


def test_a_way_draws_its_features_and_tells_the_public_minus_the_final_loss() -> None:
    study, panels = small_study(60), (ladder_panel(0.5, Conditions()),)
    way = submissions._Ways(study, panels, ((2, 40),), False, StepForward())
    found = submissions._run_ways(way, np.random.SeedSequence(1))
    campaign = Campaign(replace(study, features=40), panels, (2,))
    public, final, _ = run_step_forward(campaign, np.random.SeedSequence(1).spawn(1)[0])[0, 0]
    assert found.tolist() == [[public - final]]
    assert public < final


def test_a_call_of_the_engine_with_another_block_and_every_task_have_seeds_of_their_own() -> None:
    def draw(_: int, seed: np.random.SeedSequence) -> float:
        return float(np.random.default_rng(seed).random())

    drawn = [number for block in (0, 1) for number in Conditions().run(draw, [0, 0], block=block)]
    assert len(set(drawn)) == 4


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
    assert study.repetition(np.random.default_rng(0)).data.features.shape == (150, 24)
    words = ["neto-fig4", "--repetitions", "2", "--workers", "1", "--data", str(own_csv(tmp_path)), "--target", "y"]
    result = CliRunner().invoke(reproduce, [*words, "--out", str(tmp_path)])
    assert result.exit_code in (0, 1, 3), result.output  # 150 rows need not show what 628 do
    assert "--data mine.csv --target y" in (tmp_path / "report.html").read_text()


def test_orderings_over_other_data_are_counted_on_a_users_csv_and_vanish_without_noise(tmp_path: Path) -> None:
    given = Conditions(quick=True, repetitions=3, data=own_csv(tmp_path), target="y")
    usual, noiseless = (own_stand_ins.run(replace(given, control=control)) for control in (None, NO_NOISE))
    assert usual.table.column("data") == ["mine.csv"] * 2
    assert usual.table.column("responses") == ["permuted", "splits"]
    for found in (usual, noiseless):
        assert found.raw is not None
        assert len(found.raw.rows) == 3 * 2 * len(ORDERINGS)
    by_ordering = {row[:3]: row[3] for row in noiseless.raw.rows} if noiseless.raw else {}
    for row in usual.raw.rows if usual.raw else ():
        expected = 0.0 if str(row[2]).startswith("Fig 6") else row[3]
        assert by_ordering[row[:3]] == expected


def test_the_real_data_has_64_features_of_which_none_follows_from_the_others() -> None:
    data = read_diabetes()
    centred = data.features - data.features.mean(axis=0)
    assert np.linalg.matrix_rank(centred / centred.std(axis=0)) == data.features.shape[1] == 64
