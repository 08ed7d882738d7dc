"""Attacks by insiders, through a metric and through noise get what their docstrings state.

Every seed is fixed. The comment at each claim says how often a correct program would fail it with seeds drawn anew.
"""

import math
from functools import cache

import numpy as np
import pytest

import ladderboard as lb
from ladderboard_lab.attacks.auc_probe import AucProbe
from ladderboard_lab.attacks.base import Attack
from ladderboard_lab.attacks.insiders.combo import Combo
from ladderboard_lab.attacks.insiders.look import Look
from ladderboard_lab.attacks.insiders.padding import Padding
from ladderboard_lab.attacks.log_loss_oracle import LogLossOracle
from ladderboard_lab.attacks.repeat_averaging import RepeatAveraging
from ladderboard_lab.attacks.split_membership import SplitMembership
from ladderboard_lab.participant import LocalParticipant
from ladderboard_lab.problems.base import Problem
from ladderboard_lab.problems.coin_flips import coin_flips, coin_flips_auc, coin_flips_log_loss
from ladderboard_lab.problems.regression import noise_numbers
from tests.lab.attacks.attacked import attacked, coins, mean_board


@pytest.mark.claim
@pytest.mark.parametrize(
    ("attack", "mechanism", "least"),
    [
        # Measured over 10 seeds, mean and standard deviation: .165 ± .007, .154 ± .006, .072 ± .005, .069 ± .007
        # (padding), .027 ± .009 (look), .102 ± .006, .068 ± .009 (combo). The bounds are 3.4 standard errors of the
        # mean of 2 and more below. False alarms: below 1 in 1,000.
        (Padding(0.01), lb.ParameterFreeLadder(), 0.14),
        (Padding(0.01), lb.SignificanceLadder(alpha=0.01), 0.13),
        (Padding(0.1), lb.Ladder(step_size=0.02), 0.05),
        (Padding(0.1), lb.SpendingLadder(), 0.05),
        (Look(), lb.ParameterFreeLadder(), 0.005),
        (Combo(2.0), lb.ParameterFreeLadder(), 0.08),
        (Combo(2.0, block=0.1), lb.SpendingLadder(), 0.045),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_insiders_overfit_gates_that_test_on_what_they_report(
    attack: Attack, mechanism: lb.Mechanism, least: float
) -> None:
    assert mean_board(attack, mechanism, coins(1000, known_share=0.5), k=1500, seeds=range(2)) > least


@pytest.mark.claim
@pytest.mark.parametrize("attack", [Padding(0.1), Look(), Combo()], ids=lambda attack: attack.name)
def test_insiders_overfit_the_witness_ladder_by_a_few_standard_errors_at_most(attack: Attack) -> None:
    # Benefit SE = .0137, half a grid step .004, and readings. Measured over 10 seeds, mean and standard deviation:
    # .015 ± .019, .025 ± .009, .049 ± .007. Four standard errors of the mean of 4 above: 1 in 30,000 false alarms.
    assert overfit_of_the_witness(attack) < 0.063


@cache
def overfit_of_the_witness(attack: Attack) -> float:
    return mean_board(attack, lb.WitnessLadder(), coins(1000, known_share=0.5), k=1500, seeds=range(4))


@pytest.mark.claim
def test_the_combo_is_the_strongest_attack_on_the_witness_ladder() -> None:
    # Measured .049 ± .007 against .015 ± .019 and .025 ± .009 (mean and standard deviation over 10 seeds): the
    # difference of two means of 4 is negative with a probability of 1 in 2,000.
    combo = overfit_of_the_witness(Combo())
    assert combo > max(overfit_of_the_witness(Padding(0.1)), overfit_of_the_witness(Look()))


def test_the_auc_probe_reads_every_label_in_n_queries() -> None:
    problem, participant, found = attacked(
        AucProbe(), lb.FullDisclosure(), lambda rng: coin_flips_auc(rng, n=400), k=400, seed=0
    )
    assert np.array_equal(found, problem.labels)
    assert participant.submissions == 400
    assert problem.overfit(found, problem.public_score(found)) == 0.5


def test_the_auc_probe_reads_nothing_from_the_witness_ladder() -> None:
    problem, _, found = attacked(AucProbe(), lb.WitnessLadder(), lambda rng: coin_flips_auc(rng, n=400), k=400, seed=0)
    # The null standard error of the AUC is .029.
    assert abs(problem.public_score(found) - 0.5) < 4 * 0.029


@pytest.mark.parametrize("seed", range(5))
def test_the_log_loss_oracle_reads_198_labels_in_14_submissions_at_5_decimals(seed: int) -> None:
    problem, participant, found = attacked(
        LogLossOracle(), lb.FullDisclosure(precision=1e-5), lambda rng: coin_flips_log_loss(rng, n=198), k=99, seed=seed
    )
    assert participant.submissions == 14
    assert np.array_equal(found, problem.labels)


def test_the_log_loss_oracle_reads_nothing_from_our_ladders() -> None:
    for mechanism in (lb.SpendingLadder(), lb.WitnessLadder()):
        problem, participant, found = attacked(
            LogLossOracle(), mechanism, lambda rng: coin_flips_log_loss(rng, n=198), k=99, seed=0
        )
        assert participant.best is None
        assert abs(float(np.mean((found > 0.5) == (problem.labels > 0.5))) - 0.5) < 0.2


def test_split_membership_tells_public_from_private_items_under_full_disclosure_only() -> None:
    def make(rng: np.random.Generator) -> Problem:
        return noise_numbers(rng, n=60, private=40)

    problem, _, member = attacked(SplitMembership(), lb.FullDisclosure(), make, k=101, seed=0)
    assert np.array_equal(np.flatnonzero(member == 1), problem.public)
    assert np.count_nonzero(member == 0) == 40
    _, _, learnt = attacked(SplitMembership(), lb.WitnessLadder(), make, k=101, seed=0)
    assert (learnt == 0.5).all()
    # Fresh noise moves every number alike.
    _, _, learnt = attacked(SplitMembership(), lb.LadderBoot(redraw=True), make, k=101, seed=0)
    assert (learnt == 0.5).all()


def test_a_host_that_knows_repetitions_by_the_public_items_gives_the_split_away_under_any_mechanism() -> None:
    problem = noise_numbers(np.random.default_rng(4), n=60, private=40)
    board = lb.Leaderboard(problem.labels[problem.public], "mse", lb.WitnessLadder(), remembers_repeats=True, seed=1)
    participant = LocalParticipant(problem.briefing, board, problem.public)
    member = SplitMembership().run(participant, budget=101, rng=np.random.default_rng(5))
    assert np.array_equal(np.flatnonzero(member == 1), problem.public)


@pytest.mark.claim
@pytest.mark.parametrize(
    ("attack", "repeats_are_free"), [(RepeatAveraging(), False), (RepeatAveraging(near_duplicates=True), True)]
)
def test_averaging_repetitions_removes_redrawn_noise_like_the_root_of_their_number(
    attack: Attack, repeats_are_free: bool
) -> None:
    # One release has the noise sd(l)/√(n·b); the mean of T = 100 a tenth of it. The root mean square over 20 runs has
    # a relative standard error of 1/√40 = 16 %; four of them: 1 in 15,000.
    n, b, k, runs = 400, 10, 100, 20
    errors = []
    for seed in range(runs):
        mechanism = lb.LadderBoot(replicates=b, redraw=True)
        problem, participant, found = attacked(
            attack, mechanism, coins(n), k=k, seed=seed, repeats_are_free=repeats_are_free
        )
        assert participant.best is not None
        errors.append(float(found[0]) - problem.public_score(participant.best))
    expected = 0.5 / math.sqrt(n * b) / math.sqrt(k)
    assert abs(math.sqrt(np.mean(np.square(errors))) / expected - 1) < 4 * 0.16


@pytest.mark.parametrize(
    ("mechanism", "near_duplicates"),
    [(lb.LadderBoot(replicates=10, redraw=True), False), (lb.LadderBoot(replicates=10), True)],
)
def test_averaging_repetitions_gains_nothing_from_stored_numbers(
    mechanism: lb.Mechanism, near_duplicates: bool
) -> None:
    # Either the board remembers the submission, or the mechanism repeats what it said of the incumbent.
    asked: list[lb.Release] = []
    problem = coin_flips(np.random.default_rng(2), n=400)
    participant = problem.open_board(mechanism, seed=2)
    participant.on_release = asked.append
    found = RepeatAveraging(near_duplicates).run(participant, budget=50, rng=np.random.default_rng(3))
    assert {release.value for release in asked} == {asked[0].value}
    assert found[0] == pytest.approx(asked[0].value)
