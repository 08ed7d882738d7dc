"""The attacks by regression: batched fits, jumps in releases, and how many submissions they make."""

import numpy as np
import pytest

import ladderboard as lb
from ladderboard_lab.attacks.freedman import Freedman
from ladderboard_lab.attacks.step_forward import StepForward
from ladderboard_lab.change_points import find_jumps, find_penalised_starts, find_segment_starts, noise_penalty
from ladderboard_lab.participant import FloatArray
from ladderboard_lab.planning.step_forward_fits import StepForwardFits
from ladderboard_lab.planning.step_forward_runs import count_submissions, step_forward_run
from ladderboard_lab.problems.base import Problem
from ladderboard_lab.problems.regression import autoregressive, simulate_regression, split_regression

# --- the fits ----------------------------------------------------------------------------------------------------


def by_lstsq(train: FloatArray, y: FloatArray, items: FloatArray, chosen: list[int]) -> FloatArray:
    design = np.column_stack([np.ones(len(y)), train[:, chosen]])
    solution = np.linalg.lstsq(design, y, rcond=None)[0]
    return np.asarray(np.column_stack([np.ones(len(items)), items[:, chosen]]) @ solution)


@pytest.mark.parametrize("correlation", [0.0, 0.9, 0.999])
def test_all_candidate_fits_in_one_pass_equal_one_least_squares_fit_for_each(correlation: float) -> None:
    rng = np.random.default_rng(3)
    train, items = (autoregressive(rng, n=n, features=40, correlation=correlation) for n in (60, 33))
    y = rng.standard_normal(60)
    fits = StepForwardFits(train, y, features=items)
    for feature in (7, 31, 0, 8, 9):
        fits.choose(feature)
        expected = [by_lstsq(train, y, items, [*fits.chosen, int(j)]) for j in fits.candidates]
        np.testing.assert_allclose(fits.predictions, by_lstsq(train, y, items, fits.chosen), atol=1e-9)
        np.testing.assert_allclose(fits.predictions_with_each(), expected, atol=1e-8)


def test_a_candidate_that_repeats_chosen_features_changes_no_prediction() -> None:
    rng = np.random.default_rng(4)
    train, items = rng.standard_normal((30, 3)), rng.standard_normal((12, 3))
    train[:, 2], items[:, 2] = train[:, 0] - 2 * train[:, 1] + 5, items[:, 0] - 2 * items[:, 1] + 5
    fits = StepForwardFits(train, rng.standard_normal(30), features=items)
    fits.choose(0, 1)
    np.testing.assert_allclose(fits.predictions_with_each()[0], fits.predictions)
    before = fits.predictions
    fits.choose(2)
    np.testing.assert_allclose(fits.predictions, before)


def test_a_constant_feature_is_harmless() -> None:
    rng = np.random.default_rng(5)
    fits = StepForwardFits(np.ones((20, 1)), rng.standard_normal(20), features=np.ones((4, 1)))
    np.testing.assert_allclose(fits.predictions_with_each()[0], fits.predictions)


def test_what_is_no_candidate_cannot_be_chosen() -> None:
    fits = StepForwardFits(np.eye(5), np.arange(5.0), features=np.eye(5))
    fits.choose(2)
    with pytest.raises(lb.ParameterError, match="feature 2 is no candidate"):
        fits.choose(2)


# --- the jumps ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("jumps", [1, 2, 5, 9])
def test_jumps_are_found_where_ruptures_finds_them_with_its_own_cost(jumps: int) -> None:
    import ruptures

    rng = np.random.default_rng(jumps)
    for _ in range(2):
        signal = np.repeat(1 - 0.02 * np.arange(6), 20) + 0.02 * rng.standard_normal(120)
        expected = ruptures.Binseg(model="l2", min_size=1, jump=1).fit(signal).predict(n_bkps=jumps)[:-1]
        assert find_segment_starts(signal, jumps=jumps) == expected


def test_a_penalised_search_leaves_noise_alone_and_finds_a_clear_jump() -> None:
    noise = np.random.default_rng(4).standard_normal(300)
    assert find_segment_starts(noise, jumps=9, penalty=3 * noise_penalty(noise)) == []
    jumped = noise + np.where(np.arange(300) < 240, 9.0, 0.0)
    assert find_segment_starts(jumped, jumps=9, penalty=3 * noise_penalty(jumped)) == [240]
    assert find_penalised_starts(jumped, penalty=3 * noise_penalty(jumped)) == [240]


def test_no_jump_is_found_where_none_is_asked_for() -> None:
    assert find_segment_starts(np.array([1.0, 2.0, 3.0]), jumps=0) == []


def test_every_number_is_a_jump_where_there_are_as_many_as_numbers() -> None:
    assert find_segment_starts(np.array([3.0, 2.0, 1.0]), jumps=3) == [1, 2]


def test_a_number_that_was_there_before_is_no_jump() -> None:
    assert find_jumps([0.5, 0.5, None], before=0.5) == [2]


# --- the attacks -------------------------------------------------------------------------------------------------


def noise_problem(seed: int, *, n: int = 120, features: int = 60, metric: str = "mse") -> Problem:
    rng = np.random.default_rng(seed)
    return split_regression(simulate_regression(rng, n=n, features=features), rng, metric=metric)


def test_an_iteration_without_a_jump_is_skipped_and_the_next_one_asks_again() -> None:
    problem = noise_problem(1, features=12)
    participant = problem.open_board(lb.SignificanceLadder(1e-9), seed=1, repeats_are_free=False)
    stages = list(StepForward(4).stages(participant, budget=10_000))
    # Only the very first submission is accepted; its feature is chosen, and 11 candidates are asked three times.
    assert participant.submissions == 12 + 3 * 11
    assert len(stages) == 5
    np.testing.assert_array_equal(stages[1], stages[4])
    endless = problem.open_board(lb.SignificanceLadder(1e-9), seed=1, repeats_are_free=False)
    StepForward().run(endless, budget=10_000, rng=np.random.default_rng(0))
    assert endless.submissions == 12 + 11, "without a number of iterations it ends where nothing jumps"


@pytest.mark.parametrize(("iterations", "features"), [(3, 41), (5, 26), (15, 15)])
def test_three_ways_to_spend_120_submissions(iterations: int, features: int) -> None:
    problem = noise_problem(1, features=features)
    participant = problem.open_board(lb.FullDisclosure(precision=1e-12), seed=1)
    StepForward(iterations).run(participant, budget=10_000, rng=np.random.default_rng(0))
    # An iteration without a jump keeps every candidate for the next one.
    assert count_submissions(iterations=iterations, features=features) == 120
    assert 120 <= participant.submissions <= iterations * features


def test_the_attack_against_full_disclosure_is_greedy_forward_selection_on_the_public_part() -> None:
    problem = noise_problem(2)
    participant = problem.open_board(lb.FullDisclosure(precision=1e-12), seed=1)
    found = StepForward(4).run(participant, budget=10_000, rng=np.random.default_rng(0))
    briefing = problem.briefing
    assert briefing.features is not None
    assert briefing.training_features is not None
    assert briefing.training_labels is not None
    chosen: list[int] = []
    for _ in range(4):
        tried = {
            j: by_lstsq(briefing.training_features, briefing.training_labels, briefing.features, [*chosen, j])
            for j in range(60)
            if j not in chosen
        }
        chosen.append(min(tried, key=lambda j: problem.public_score(tried[j])))
    np.testing.assert_allclose(found, tried[chosen[-1]], atol=1e-9)
    assert participant.submissions == 60 + 59 + 58 + 57


def test_the_attack_stops_at_its_budget() -> None:
    problem = noise_problem(3)
    participant = problem.open_board("significance_ladder", seed=1)
    StepForward().run(participant, budget=77, rng=np.random.default_rng(0))
    assert participant.submissions == 77


def test_the_number_of_a_baseline_is_no_jump() -> None:
    """The Witness Ladder shows the baseline's score from the start; only accepted submissions may move the attacker."""
    rng = np.random.default_rng(5)
    problem = split_regression(simulate_regression(rng, n=3000, features=20, signal=0.8), rng)
    participant = problem.open_board(lb.WitnessLadder(), seed=1)
    stages = list(StepForward(3).stages(participant, budget=1000))
    assert len(stages) > 1
    assert problem.true_score(stages[-1]) < problem.true_score(stages[0])


def test_the_attacker_who_reads_accepts_is_as_strong_against_a_noisy_release_as_against_a_plain_one() -> None:
    """Noise on the number hides the jump; the word "accepted" beside it tells it."""
    noisy = lb.LadderBoot(0.15, 10, redraw=True)

    def mean_net(attack: StepForward) -> float:
        runs = [
            step_forward_run(noise_problem(seed), noisy, iterations=4, seed=seed, attack=attack) for seed in range(20)
        ]
        return float(np.mean([run[-1].net for run in runs]))

    # One run, measured over 100 seeds: −.019 ± .115 and −.157 ± .131 (the plain ladder: −.140 ± .145). Of means over
    # 20 runs both bounds are 2.6 standard errors or more away: a false alarm in 100 choices of the seeds.
    assert mean_net(StepForward(4, "accepts")) < -0.08
    assert mean_net(StepForward(4, "numbers")) > -0.08


def test_freedmans_attack_uses_one_submission_for_each_feature() -> None:
    problem = noise_problem(6)
    participant = problem.open_board("full_disclosure", seed=1)
    Freedman(kept=5).run(participant, budget=1000, rng=np.random.default_rng(0))
    assert participant.submissions == 60


def test_freedmans_attack_overfits_full_disclosure() -> None:
    nets = []
    for seed in range(20):
        problem = noise_problem(seed, n=300)
        final = Freedman(kept=8).run(
            problem.open_board("full_disclosure", seed=seed), budget=60, rng=np.random.default_rng(seed)
        )
        assert problem.briefing.training_labels is not None
        constant = np.full(problem.briefing.items, problem.briefing.training_labels.mean())
        nets.append(
            problem.overfit(final, problem.public_score(final))
            - problem.overfit(constant, problem.public_score(constant))
        )
    # One run, measured over 100 seeds: .061 ± .058. The bound is 3.5 standard errors below the mean of 20.
    assert np.mean(nets) > 0.015


@pytest.mark.parametrize("attack", [Freedman(), StepForward()])
def test_attacks_by_regression_say_what_they_need(attack: Freedman | StepForward) -> None:
    from ladderboard_lab.problems.coin_flips import coin_flips

    briefing = coin_flips(np.random.default_rng(0), n=20).briefing
    assert attack.misfit(briefing) == "needs a metric of numbers such as mse or rmse, not error_rate"
    assert attack.misfit(noise_problem(1).briefing) is None


def test_a_correlation_is_attacked_as_well_as_an_error() -> None:
    readings = step_forward_run(noise_problem(7, metric="ccc"), lb.FullDisclosure(precision=1e-9), iterations=3, seed=1)
    assert [reading.submissions for reading in readings] == [60, 119, 177]
    assert readings[-1].public < readings[0].public < 0  # a loss is the negative of the correlation
    assert readings[-1].luck == 0


def shown(value: float, *, accepted: bool = False) -> lb.Release:
    return lb.Release(value, value, accepted=accepted, improved=False, attempt=1, interval=None)


def test_the_very_first_submission_is_one_of_the_jumps_and_needs_no_place() -> None:
    numbers = np.array([1.0, 1.01, 0.99, 0.5, 0.53, 0.45])
    assert StepForward()._last_segment(numbers, jumps=2, is_first=True) == 3
    assert StepForward()._last_segment(numbers, jumps=2, is_first=False) == 5


def test_who_reads_accepts_needs_no_proof_and_who_repeats_takes_the_mean() -> None:
    answers = [[shown(0.5)], [shown(0.4, accepted=True)], [shown(0.4)]]
    assert StepForward(reads="accepts")._last_jump(answers, None) == 1
    # Means .5, .45, .45 change once; the last of each repetition would change at the end again.
    repeated = [[shown(0.5, accepted=True)] * 2, [shown(0.4, accepted=True), shown(0.5)], [shown(0.5), shown(0.4)]]
    assert StepForward(repeats=2)._last_jump(repeated, None) == 1
