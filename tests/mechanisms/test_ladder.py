"""The Ladder with a fixed step, worked by hand."""

import math

import pytest

from ladderboard.core import bounds
from ladderboard.core.errors import ParameterError
from ladderboard.mechanisms.ladder import Ladder
from tests.mechanisms.play import Play, answer_key, labels_of, play, told, wrong_on


def test_a_gain_must_exceed_the_step() -> None:
    releases = play(Ladder(step_size=0.125), 16, range(8), range(7), range(6), range(5))
    # R = .5. 7/16 is above .5 − .125 = .375, and 6/16 is just that, which is not below; 5/16 is, and rounds to
    # 2.5 steps, to even: 2 steps = .25.
    assert told(releases) == [(True, 0.5), (False, 0.5), (False, 0.5), (True, 0.25)]


def test_rounding_below_the_score_makes_the_next_gain_harder() -> None:
    releases = play(Ladder(step_size=0.125), 16, range(5), range(2), range(1))
    # 5/16 is shown as .25; the next must be below .125: 2/16 is not, 1/16 is (and rounds to 0).
    assert told(releases) == [(True, 0.25), (False, 0.25), (True, 0.0)]


def test_a_multiple_of_the_step_beyond_the_bounds_is_cut_off() -> None:
    assert play(Ladder(step_size=0.35), 8, range(8))[0].value == 1.0


def test_the_default_step_is_the_best_one_of_theorem_3_1() -> None:
    key = answer_key(labels_of(400))
    assert Ladder(submissions=50).step_for(key.yardstick) == bounds.best_step(n=400, k=50)


def test_an_unbounded_loss_needs_a_step() -> None:
    key = answer_key([0.0, 1.0, 2.0], "mse")
    with pytest.raises(ParameterError, match="step_size"):
        Play(Ladder(), key)
    assert Play(Ladder(step_size=0.5), key).submit([0.0, 1.0, 3.0]).accepted


def test_the_meter_of_an_unbounded_loss_is_finite_even_before_the_first_accept() -> None:
    run = Play(Ladder(step_size=0.5), answer_key([0.0, 1.0, 2.0], "mse"))
    assert run.mechanism.leakage(run.state, run.key.yardstick).bits == 0
    run.submit([0.0, 1.0, 3.0])
    bits = run.mechanism.leakage(run.state, run.key.yardstick).bits
    assert bits is not None
    assert 0 < bits < math.inf


def test_the_meter_counts_which_attempts_were_accepted_and_what_they_were_told() -> None:
    run = Play(Ladder(step_size=0.125), answer_key(labels_of(16)))
    for count in (8, 7, 5):
        run.submit(wrong_on(16, range(count)))
    bits = run.mechanism.leakage(run.state, run.key.yardstick).bits
    # 2 of 3 accepted, ten values (nine multiples of 1/8, one spare), log2 3 for t and log2 12 for A.
    assert bits == pytest.approx(math.log2(3) + 2 * math.log2(10) + math.log2(3) + math.log2(12))


@pytest.mark.parametrize("parameters", [{"step_size": 0.0}, {"step_size": math.nan}, {"submissions": 0}])
def test_bad_parameters_are_refused(parameters: dict[str, float]) -> None:
    with pytest.raises(ParameterError, match=next(iter(parameters))):
        Ladder(**parameters)  # type: ignore[arg-type]


def test_the_default_step_is_as_wide_as_the_metric() -> None:
    error_rate, pearson = (answer_key([0.0, 1.0] * 200, name).baseline.yardstick for name in ("error_rate", "pearson"))
    assert Ladder().step_for(pearson) == 2 * Ladder().step_for(error_rate)


def test_a_number_was_rounded_by_half_a_step_at_most() -> None:
    yardstick = answer_key([0, 1] * 8).baseline.yardstick
    assert Ladder(step_size=0.25).bracket_rounding(0.5, yardstick) == (0.375, 0.625)
    assert Ladder(step_size=0.25).bracket_rounding(0.0, yardstick) == (0.0, 0.125)
