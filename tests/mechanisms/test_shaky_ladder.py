"""The Shaky Ladder: the rule without noise by hand, its noise by Monte Carlo, its budget."""

import math

import numpy as np
import pytest

from ladderboard.core.errors import HoldoutSpentError, ParameterError
from ladderboard.mechanisms.shaky_ladder import ShakyLadder
from tests.mechanisms.play import Play, answer_key, labels_of, play, told, wrong_on

FAINT = 1e-9
"""Noise that decides nothing, so that the rule can be worked by hand."""


def test_a_gain_must_exceed_the_step_and_is_told_to_nine_digits() -> None:
    releases = play(ShakyLadder(0.1, FAINT), 16, range(8), range(7), range(4))
    # R_0 = 1 and .5 < 1 − .1; then .4375 is above .4, and .25 is below it.
    assert [release.accepted for release in releases] == [True, False, True]
    assert [release.value for release in releases] == [pytest.approx(x, abs=1e-7) for x in (0.5, 0.5, 0.25)]


def test_the_first_submission_must_beat_the_worst_loss_by_a_step() -> None:
    releases = play(ShakyLadder(0.25, FAINT), 16, range(14), range(8))
    assert (releases[0].accepted, releases[0].value, releases[0].interval) == (False, None, None)  # .875 > 1 − .25
    assert releases[1].accepted


def test_the_default_constants_follow_the_published_rate() -> None:
    yardstick = answer_key(labels_of(4000)).yardstick
    ladder = ShakyLadder()
    assert ladder.step_for(yardstick) == pytest.approx(4000**-0.4)
    assert ladder.noise_for(yardstick) == pytest.approx(4000**-0.4 / (2 * math.log(1000)))
    assert ladder.updates_for(yardstick) == 28


def test_the_noise_scales_with_the_width_of_the_losses() -> None:
    narrow, wide = answer_key(labels_of(100)).yardstick, answer_key(labels_of(100), "mcc").yardstick
    assert ShakyLadder().noise_for(wide) == 2 * ShakyLadder().noise_for(narrow)
    assert ShakyLadder().updates_for(wide) == ShakyLadder().updates_for(narrow)


def test_an_unbounded_loss_needs_its_width() -> None:
    key = answer_key([0.0, 1.0, 4.0], "mse")
    with pytest.raises(ParameterError, match="loss_width"):
        Play(ShakyLadder(), key)
    assert Play(ShakyLadder(loss_width=16), key).submit([0.0, 1.0, 4.0]).accepted


def test_the_release_carries_laplace_noise() -> None:
    """sd = √2·b, mean |ξ| = b. 2000 draws: the mean of |ξ| errs by 2.2 %, the sd by 2.5 % (kurtosis 6): five sigma."""
    values = [play(ShakyLadder(0.1, 0.01), 100, range(40), seed=seed)[0].value for seed in range(2000)]
    noise = np.array(values, dtype=float) - 0.4
    assert np.abs(noise).mean() == pytest.approx(0.01, rel=0.11)
    assert noise.std() == pytest.approx(0.01 * math.sqrt(2), rel=0.125)


def test_a_submission_no_better_than_the_incumbent_passes_as_rarely_as_derived() -> None:
    """P(ξ' − ξ + ξ'' > η) = e^(−x)(½ + 5x/16 + x²/16) with x = η/b = 2·ln k; k = 10 here: 3.26 %.

    12,000 trials err by .16 %: .81 % is five sigma, a false alarm in 1.7 million runs.
    """
    key, x = answer_key(labels_of(100)), 2 * math.log(10)
    ladder = ShakyLadder(step_size=0.01, submissions=10)
    first, equal = (
        key.evaluate(wrong_on(100, items), submission=name)
        for items, name in zip((range(50), range(50, 100)), ("first", "equal"), strict=True)
    )
    passed = 0
    for seed in range(12_000):
        rng = np.random.default_rng(seed)
        state, release = ladder.step(ladder.start(key.baseline, rng), first, key.baseline, rng)
        assert release.accepted
        passed += ladder.step(state, equal, first, rng)[1].accepted
    expected = math.exp(-x) * (0.5 + 5 * x / 16 + x * x / 16)
    assert passed / 12_000 == pytest.approx(expected, abs=0.0081)


def test_the_holdout_is_spent_after_its_updates() -> None:
    run = Play(ShakyLadder(0.3, FAINT), answer_key(labels_of(16)))  # ⌈1/.3⌉ = 4 updates, or as many as fit
    run.mechanism = ShakyLadder(0.01, FAINT)  # the updates allowed were fixed at the start
    for errors in (8, 7, 6, 5):
        assert run.submit(wrong_on(16, range(errors))).accepted
    assert run.mechanism.is_spent(run.state)
    with pytest.raises(HoldoutSpentError, match="used up"):
        run.submit(wrong_on(16, range(1)))


def test_rejections_do_not_spend_updates() -> None:
    run = Play(ShakyLadder(0.5, FAINT), answer_key(labels_of(16)))
    for _ in range(50):
        run.submit(wrong_on(16, range(7)))
    assert (run.state.accepts, run.state.attempts) == (1, 50)
    assert not run.mechanism.is_spent(run.state)


def test_the_threshold_noise_lasts_until_the_next_update() -> None:
    run = Play(ShakyLadder(0.2, 0.01), answer_key(labels_of(100)))
    at_start = run.state.memory["threshold_noise"]
    run.submit(wrong_on(100, range(50)))
    after_update = run.state.memory["threshold_noise"]
    run.submit(wrong_on(100, range(60)))
    assert at_start != after_update == run.state.memory["threshold_noise"]


def test_a_repetition_gets_the_stored_number() -> None:
    # The noise is as large as the step: without the rule a repetition would pass every third time.
    releases = play(ShakyLadder(0.1, 0.1), 100, *[range(40)] * 60)
    numbers = [release.value for release in releases if release.value is not None]
    assert len(numbers) > 50
    assert len(set(numbers)) == 1


def test_with_redraw_a_repetition_is_judged_with_fresh_noise() -> None:
    releases = play(ShakyLadder(0.02, 0.1, redraw=True), 100, *[range(40)] * 60)
    assert len({release.value for release in releases}) > 3


def test_a_noisy_release_stays_within_the_bounds_and_shows_no_idle_digits() -> None:
    values = [play(ShakyLadder(0.1, 0.03), 16, [], seed=seed)[0].value for seed in range(50)]
    assert min(value for value in values if value is not None) == 0
    assert told(play(ShakyLadder(0.1, 0.03), 100, range(40)))[0][1] == pytest.approx(0.4, abs=0.6)
    shown = [value for value in values if value]
    assert shown
    assert all(round(value, 4) == value for value in shown)  # two digits below a noise of .03


@pytest.mark.parametrize(
    "parameters", [{"step_size": 0.0}, {"noise": -1.0}, {"loss_width": math.inf}, {"submissions": 1}]
)
def test_bad_parameters_are_refused(parameters: dict[str, float]) -> None:
    with pytest.raises(ParameterError, match=next(iter(parameters))):
        ShakyLadder(**parameters)  # type: ignore[arg-type]
