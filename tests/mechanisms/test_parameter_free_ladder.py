"""The parameter-free Ladder, worked by hand."""

import numpy as np
import pytest

from ladderboard.mechanisms.gates import paired_standard_error
from ladderboard.mechanisms.parameter_free_ladder import ParameterFreeLadder
from tests.mechanisms.play import Play, answer_key, labels_of, play, told, wrong_on


def test_a_gain_must_exceed_one_paired_standard_error() -> None:
    releases = play(ParameterFreeLadder(), 16, range(8), range(4), range(3), range(2))
    # .5 → 4 repaired: sd(d)/√n = √(3/15)/4 = .112, and .25 < .5 − .112: accepted.
    # One more repaired: sd(d)/√n = √(.9375/15)/4 = 1/16 is the gain itself, which is not enough, at any n.
    # Two more: √(1.75/15)/4 = .085 < 2/16: accepted. Two items suffice at any n: the pair flip.
    assert told(releases) == [(True, 0.5), (True, 0.25), (False, 0.25), (True, 0.125)]


def test_a_gain_of_a_little_more_than_one_standard_error_is_enough() -> None:
    # 400 items, 8 broken. 12 repaired: a gain of .01 against sd(d)/√n = √((20 − 16/400)/399)/20 = .01118, .894 of it.
    # 13 repaired: .0125 against √((21 − 25/400)/399)/20 = .01145, 1.091 of it.
    before = range(200)
    for repaired, accepted in ((12, False), (13, True)):
        after = [*range(repaired, 200), *range(300, 308)]
        releases = play(ParameterFreeLadder(), 400, before, after)
        assert releases[1].accepted is accepted


def test_items_broken_on_the_way_widen_the_step() -> None:
    # d has two +1 and one −1: a gain of 1/16, and sd(d)/√n = √(2.9375/15)/4 = .111.
    assert told(play(ParameterFreeLadder(), 16, range(4), [2, 3, 9])) == [(True, 0.25), (False, 0.25)]


def test_the_example_of_ladder_jl() -> None:
    run = Play(ParameterFreeLadder(), answer_key([1, 0, 1, 1, 1, 0]))
    assert run.submit([0, 0, 0, 0, 0, 0]).value == pytest.approx(4 / 6)
    # One item repaired is no significant gain.
    assert run.submit([1, 0, 0, 0, 0, 0]).value == pytest.approx(4 / 6)
    assert run.submit([1, 0, 1, 1, 1, 0]).value == 0


def test_the_paired_standard_error_is_that_of_the_differences() -> None:
    key = answer_key(labels_of(16))
    first, second = (key.evaluate(wrong_on(16, items)) for items in ([0, 1, 2], [2, 3]))
    d = np.array([1, 1, 0, -1] + [0] * 12)
    assert paired_standard_error(first, second) == pytest.approx(np.std(d, ddof=1) / 4)


def test_an_identical_submission_is_accepted_again_where_rounding_went_up() -> None:
    """The paper's rounding, kept and documented: .15 is shown as [.15]_{1/4} = .25, which .15 itself beats."""
    run = Play(ParameterFreeLadder(), answer_key([0.0, 1.0, 0.0, 3.0], "mse"))
    predictions = [np.sqrt(0.6), 1.0, 0.0, 3.0]
    first, again = run.submit(predictions), run.submit(predictions)
    assert (first.accepted, first.value) == (True, 0.25)
    assert (again.accepted, again.value) == (True, 0.25)


def test_an_identical_submission_is_rejected_where_rounding_went_down() -> None:
    run = Play(ParameterFreeLadder(), answer_key([0.0, 1.0, 0.0, 3.0], "mse"))
    predictions = [np.sqrt(1.2), 1.0, 0.0, 3.0]  # .3 is shown as .25
    assert told([run.submit(predictions), run.submit(predictions)]) == [(True, 0.25), (False, 0.25)]


def test_the_pair_flip_climbs_it_at_every_size() -> None:
    """Two random flips pass whenever both items were wrong: the known weakness, so that nobody mistakes it for safe."""
    for n in (100, 1000):
        rng = np.random.default_rng(n)
        labels = rng.integers(0, 2, n)
        run = Play(ParameterFreeLadder(), answer_key(labels))
        best = rng.integers(0, 2, n)
        start = run.submit(best).value
        for _ in range(n):
            trial = best.copy()
            pair = rng.choice(n, 2, replace=False)
            trial[pair] = 1 - trial[pair]
            if run.submit(trial).accepted:
                best = trial
        end = run.releases[-1].value
        assert start is not None
        assert end is not None
        # About n/8·(2/n) = .25 is expected at first and less later; a tenth would take n/20 passing pairs of n, where
        # more than n/8 are expected: far beyond six standard deviations of √(n/8) already at n = 1000.
        assert start - end > 0.1
