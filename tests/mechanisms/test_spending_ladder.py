"""The Spending Ladder by hand: a level that falls with every attempt, and a step that grows with every accept."""

import pytest
from scipy.stats import binomtest

from ladderboard.core.records import Release
from ladderboard.mechanisms.spending_ladder import SpendingLadder
from tests.mechanisms.play import Play, key_of, wrong_on

N = 400


def against_the_baseline(run: Play, *, wins: int, losses: int) -> Release:
    """The baseline says class 0, which is right on the even items: errors there are losses, odd ones repaired wins."""
    odd, even = range(1, N, 2), range(0, N, 2)
    return run.submit(wrong_on(N, [*odd[wins:], *even[:losses]]))


def test_the_level_is_shared_by_all_attempts() -> None:
    p_value = binomtest(60, 102, alternative="greater").pvalue
    assert 0.05 / 2 < p_value <= 0.05
    first, second = (Play(SpendingLadder(), key_of(N)) for _ in range(2))
    assert against_the_baseline(first, wins=60, losses=42).accepted
    assert not against_the_baseline(second, wins=1, losses=1).accepted
    assert not against_the_baseline(second, wins=60, losses=42).accepted


@pytest.mark.parametrize(("wins", "accepted"), [(10, False), (11, True)])
def test_a_gain_must_reach_one_standard_error(wins: int, accepted: bool) -> None:
    # The baseline errs on half of 400 items: SE = .5/√399 = 10.01/400. Ten wins without a loss have p = 1/1024.
    assert against_the_baseline(Play(SpendingLadder(), key_of(N)), wins=wins, losses=0).accepted == accepted


@pytest.mark.parametrize(("gain", "accepted"), [(9, False), (10, True)])
def test_the_step_has_grown_by_an_eighth_after_an_accept(gain: int, accepted: bool) -> None:
    # 100 of 400 wrong: SE = √(3/16)/√399 = 8.67/400, times 9/8 is 9.76/400.
    run = Play(SpendingLadder(), key_of(N))
    assert run.submit(wrong_on(N, range(100))).accepted
    assert run.submit(wrong_on(N, range(gain, 100))).accepted == accepted


def test_the_hurdle_is_that_of_the_next_attempt() -> None:
    mechanism = SpendingLadder()
    run = Play(mechanism, key_of(N))
    yardstick = run.key.baseline.yardstick
    assert mechanism.hurdle(run.state, yardstick, 0.025).errors == pytest.approx(1.6449, abs=1e-4)  # z of .05
    run.submit(wrong_on(N, range(399)))
    hurdle = mechanism.hurdle(run.state, yardstick, 0.025)
    assert (hurdle.errors, hurdle.fixed) == pytest.approx((1.9600, 0.025), abs=1e-4)  # z of .05/2
