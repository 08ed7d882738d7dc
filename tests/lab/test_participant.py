"""An account in the laboratory: what it sees, what it remembers, and what a repetition tells it."""

import numpy as np

import ladderboard as lb
from ladderboard_lab.problems.coin_flips import coin_flips


def test_a_repetition_is_told_again_and_changes_nothing() -> None:
    problem = coin_flips(np.random.default_rng(0), n=100)
    participant = problem.open_board("full_disclosure", seed=1)
    first = participant.submit(np.zeros(100, dtype=np.int8))
    participant.submit(problem.labels)
    assert participant.submit(np.zeros(100, dtype=np.int8)) == first
    assert first.accepted
    # The board goes on standing by the labels.
    assert participant.shown == 0.0
    assert participant.best is not None
    assert np.array_equal(participant.best, problem.labels)
    assert participant.submissions == 3
    assert participant.board.leakage["attacker"].attempts == 2


def test_a_submission_that_differs_on_private_items_only_is_a_new_one() -> None:
    problem = coin_flips(np.random.default_rng(0), n=50, private=50)
    private = np.setdiff1d(np.arange(100), problem.public)
    participant = problem.open_board(lb.WitnessLadder(), seed=1)
    guess = np.zeros(100, dtype=np.int8)
    assert participant.submit(guess).attempt == 1
    guess[private[0]] = 1
    assert participant.submit(guess).attempt == 2


def test_where_repeats_are_not_free_each_is_an_attempt() -> None:
    problem = coin_flips(np.random.default_rng(0), n=50)
    participant = problem.open_board("ladder", seed=1, repeats_are_free=False)
    assert [participant.submit(np.zeros(50, dtype=np.int8)).attempt for _ in range(3)] == [1, 2, 3]


def test_accounts_share_the_board_and_have_numbers_of_their_own() -> None:
    problem = coin_flips(np.random.default_rng(0), n=50)
    participant = problem.open_board("full_disclosure", seed=1)
    other = participant.account("sybil")
    other.submit(problem.labels)
    assert other.shown == 0.0
    assert participant.shown is None
    assert set(participant.board.leakage) == {"sybil"}
