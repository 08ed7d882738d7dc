"""Attacks on boards so small, or with so many submissions, that what they find is certain."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

import ladderboard as lb
from ladderboard_lab.attacks.auc_probe import AucProbe
from ladderboard_lab.attacks.base import Attack, majority
from ladderboard_lab.attacks.boosting import Boosting
from ladderboard_lab.attacks.coordinate_probe import CoordinateProbe
from ladderboard_lab.attacks.freedman import best_released, fits_for
from ladderboard_lab.attacks.hill_climb import HillClimb
from ladderboard_lab.attacks.log_loss_boosting import LogLossBoosting
from ladderboard_lab.attacks.log_loss_oracle import LogLossOracle
from ladderboard_lab.attacks.multiclass import Multiclass
from ladderboard_lab.attacks.repeat_averaging import RepeatAveraging
from ladderboard_lab.attacks.split_membership import SplitMembership
from ladderboard_lab.attacks.step_forward import StepForward, _mean_shown
from ladderboard_lab.attacks.sybil import Sybil
from ladderboard_lab.attacks.weighted_boosting import WeightedBoosting
from ladderboard_lab.experiments.neto.data import make_illustration
from ladderboard_lab.planning.step_forward_fits import StepForwardFits
from ladderboard_lab.problems.base import Problem
from ladderboard_lab.problems.coin_flips import coin_flips, coin_flips_auc, coin_flips_log_loss
from ladderboard_lab.problems.regression import noise_numbers

FEW = 20


@pytest.mark.parametrize(
    ("attack", "problem", "budget", "at_most_wrong"),
    [
        # A label of boosting is right with probability Φ(√(k/(πn))) = .994, of weighted boosting Φ(√(k/n)) = 1 − 4e-6.
        (Boosting(), coin_flips, 400, 2),
        (WeightedBoosting(), coin_flips, 400, 0),
        (LogLossBoosting(), coin_flips_log_loss, 400, 2),
        (Multiclass(), partial(coin_flips, classes=3), 800, 0),
        (Sybil(accounts=400, flips=0.3), coin_flips, 400, 2),
        (HillClimb(flips=2), coin_flips, 600, 1),
        (CoordinateProbe(), coin_flips, FEW + 1, 0),
        (CoordinateProbe(), coin_flips, 11, FEW - 10),
        (AucProbe(), coin_flips_auc, FEW, 0),
        (LogLossOracle(), coin_flips_log_loss, 2, 0),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_a_fully_disclosed_board_of_few_items_gives_its_labels_away(
    attack: Attack, problem: Callable[..., Problem], budget: int, at_most_wrong: int
) -> None:
    rng = np.random.default_rng(3)
    made = problem(rng, n=FEW)
    # On so few items an attack comes back to old submissions: their stored answers would lead it astray.
    participant = made.open_board(lb.FullDisclosure(), seed=0, repeats_are_free=False)
    releases: list[lb.Release] = []
    participant.on_release = releases.append
    final = attack.run(participant, budget=budget, rng=rng)
    found = final if made.briefing.classes > 2 else np.asarray(final) > 0.5
    assert np.count_nonzero(found != made.labels) <= at_most_wrong
    assert len(releases) == budget


def test_tied_votes_are_decided_by_coins() -> None:
    found = majority(np.zeros(1000), np.random.default_rng(0))
    assert 0.4 < found.mean() < 0.6


def test_membership_is_read_where_items_differ_and_nowhere_else() -> None:
    rng = np.random.default_rng(3)
    mixed, public = noise_numbers(rng, n=8, private=8), noise_numbers(rng, n=8)
    found = SplitMembership().run(mixed.open_board(lb.FullDisclosure(), seed=0), budget=17, rng=rng)
    assert np.flatnonzero(found).tolist() == mixed.public.tolist()
    alike = SplitMembership().run(public.open_board(lb.FullDisclosure(), seed=0), budget=9, rng=rng)
    assert alike.tolist() == [0.5] * 8, "what is the same for all items tells nothing of any"


def test_features_are_ranked_by_what_was_told_and_those_without_a_number_come_last() -> None:
    problem = make_illustration(3, features=30).problem()
    fits = fits_for(problem.briefing)
    order = best_released(problem.open_board(lb.FullDisclosure(), seed=1), fits, budget=30)
    losses = [problem.public_score(each) for each in fits.predictions_with_each()]
    assert order.tolist() == np.argsort(np.round(losses, 5), kind="stable").tolist()
    silent = best_released(problem.open_board(lb.MECHANISMS["silent"](), seed=1), fits, budget=30)
    assert silent.tolist() == list(range(30))


def test_the_step_forward_attack_takes_the_feature_at_the_last_jump_of_each_iteration() -> None:
    problem = make_illustration(6, features=30).problem()
    participant = problem.open_board(lb.SignificanceLadder(0.5), seed=1)
    shown: list[float | None] = [None]
    participant.on_release = lambda release: shown.append(release.board_value)
    _, *stages = StepForward(2).stages(participant, budget=1000)
    assert len(shown) == 1 + 30 + 29
    fits = fits_for(problem.briefing)
    for start, end, stage in zip((1, 31), (31, 60), stages, strict=True):
        jump = max(index for index in range(start, end) if shown[index] != shown[index - 1])
        fits.choose(int(fits.candidates[jump - start]))
        np.testing.assert_allclose(stage, fits.predictions)


def test_the_step_forward_attack_goes_on_after_an_iteration_without_a_jump() -> None:
    participant = make_illustration(4, features=30).problem().open_board(lb.SignificanceLadder(0.5), seed=1)
    shown: list[float | None] = []
    participant.on_release = lambda release: shown.append(release.board_value)
    before, first, second, third = StepForward(3).stages(participant, budget=1000)
    assert len({*shown[30:59]} | {shown[29]}) == 1
    np.testing.assert_array_equal(second, first)
    assert len(shown) == 30 + 29 + 29
    assert not np.array_equal(before, first)
    assert len(third) == len(first)


def test_repeated_submissions_are_paid_from_the_budget() -> None:
    problem = make_illustration(3, features=30).problem()
    participant = problem.open_board(lb.LadderBoot(0.15, 10, redraw=True), seed=1)
    list(StepForward(reads="penalised", repeats=4).stages(participant, budget=100))
    assert 96 <= participant.submissions <= 100


def test_the_first_submission_is_a_jump_that_needs_no_looking_for() -> None:
    noisy = np.array([1.0, 1.01, 0.99, 0.5, 0.52, 0.48])
    assert StepForward()._last_segment(noisy, jumps=2, is_first=True) == 3
    assert StepForward()._last_segment(noisy, jumps=1, is_first=False) == 3
    assert StepForward()._last_segment(np.array([1.0, 1.01, 0.7, 0.71, 0.4, 0.41]), jumps=2, is_first=False) == 4


def test_answers_to_the_same_submission_are_averaged() -> None:
    told = [lb.Release(value, value, accepted=False, improved=False, attempt=1, interval=None) for value in (0.5, 0.7)]
    assert _mean_shown(told) == pytest.approx(0.6)


def test_accounts_read_the_labels_from_either_constant() -> None:
    for seed in range(4):
        rng = np.random.default_rng(seed)
        made = coin_flips(rng, n=FEW)
        found = Sybil(accounts=200, flips=0.3).run(made.open_board(lb.FullDisclosure(), seed=0), budget=200, rng=rng)
        assert np.count_nonzero(found != made.labels) <= 3


def test_near_duplicates_are_no_repetitions() -> None:
    for attack, submissions in ((RepeatAveraging(), 1), (RepeatAveraging(near_duplicates=True), 10)):
        participant = coin_flips(np.random.default_rng(3), n=FEW).open_board(lb.FullDisclosure(), seed=0)
        releases: list[lb.Release] = []
        participant.on_release = releases.append
        attack.run(participant, budget=10, rng=np.random.default_rng(3))
        assert len({release.attempt for release in releases}) == submissions


def test_a_regression_keeps_a_degree_of_freedom() -> None:
    fits = StepForwardFits(np.eye(5)[:, :4], np.arange(5.0), features=np.eye(5)[:, :4])
    assert fits.room == 5 - 1 - 1, "five items, an intercept, and one left over"
    fits.choose(0)
    assert fits.room == 2
