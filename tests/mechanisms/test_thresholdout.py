"""Thresholdout: confirmations, corrections and the budget by hand; its noise by Monte Carlo."""

import math

import numpy as np
import pytest

from ladderboard.core.errors import HoldoutSpentError, ParameterError
from ladderboard.mechanisms.thresholdout import Thresholdout
from tests.mechanisms.play import Play, answer_key, key_of, labels_of, wrong_on

FAINT = 1e-9
"""Noise that decides nothing, so that the rule can be worked by hand."""


def run_on(n: int, mechanism: Thresholdout, seed: int = 0) -> Play:
    return Play(mechanism, key_of(n), seed)


def test_a_claim_near_the_holdout_score_is_confirmed_and_costs_nothing() -> None:
    run = run_on(20, Thresholdout(0.1, FAINT))
    before = run.state.memory
    release = run.submit(wrong_on(20, range(5)), training_score=0.2)  # .25 on the holdout, .05 apart
    assert (release.value, release.accepted) == (0.2, True)
    assert run.state.memory == before


def test_a_claim_far_from_the_holdout_score_is_corrected_and_paid_for() -> None:
    run = run_on(20, Thresholdout(0.1, FAINT, budget=3))
    before = run.state.memory
    release = run.submit(wrong_on(20, range(5)), training_score=0.05)  # .25 on the holdout, .2 apart
    assert release.value == pytest.approx(0.25, abs=1e-7)
    assert run.state.memory["budget"] == 2
    assert run.state.memory["threshold"] != before["threshold"]


def test_a_claim_that_is_too_modest_is_corrected_too() -> None:
    run = run_on(20, Thresholdout(0.1, FAINT))
    assert run.submit(wrong_on(20, range(5)), training_score=0.6).value == pytest.approx(0.25, abs=1e-7)


def test_the_board_shows_the_best_answer_and_a_worse_one_repeats_it() -> None:
    run = run_on(20, Thresholdout(0.1, FAINT))
    run.submit(wrong_on(20, range(5)), training_score=0.25)
    release = run.submit(wrong_on(20, range(8)), training_score=0.4)
    assert (release.value, release.board_value, release.accepted) == (0.25, 0.25, False)


def test_with_redraw_every_query_is_answered_as_in_the_papers() -> None:
    run = run_on(20, Thresholdout(0.1, FAINT, redraw=True))
    run.submit(wrong_on(20, range(5)), training_score=0.25)
    release = run.submit(wrong_on(20, range(8)), training_score=0.4)
    assert (release.value, release.board_value, release.accepted) == (0.4, 0.25, False)


def test_a_repetition_gets_the_stored_number_unless_redrawn() -> None:
    told: dict[bool, set[float | None]] = {}
    for redraw in (False, True):
        run = run_on(100, Thresholdout(0.01, 0.01, budget=1000, redraw=redraw))
        told[redraw] = {run.submit(wrong_on(100, range(50)), training_score=0.0).value for _ in range(20)}
        assert run.state.memory["budget"] == (980 if redraw else 999)
    assert len(told[False]) == 1
    assert len(told[True]) > 10


def test_the_holdout_is_spent_when_the_budget_is_used_up() -> None:
    run = run_on(20, Thresholdout(0.1, FAINT, budget=2))
    for errors in (10, 9):
        assert not run.mechanism.is_spent(run.state)
        run.submit(wrong_on(20, range(errors)), training_score=0.0)
    assert run.mechanism.is_spent(run.state)
    with pytest.raises(HoldoutSpentError, match="used up"):
        run.submit(wrong_on(20, range(8)), training_score=0.4)


def test_confirmations_never_spend_the_holdout() -> None:
    run = run_on(20, Thresholdout(0.1, FAINT, budget=1))
    for errors in range(15, 5, -1):
        assert run.submit(wrong_on(20, range(errors)), training_score=errors / 20).accepted
    assert not run.mechanism.is_spent(run.state)


def test_a_missing_training_score_is_asked_for_and_charged_nothing() -> None:
    run = run_on(20, Thresholdout())
    with pytest.raises(ParameterError, match="training_score="):
        run.submit(wrong_on(20, range(5)))
    assert run.state.attempts == 0


@pytest.mark.parametrize("claim", [-0.1, 1.5, math.nan, math.inf])
def test_an_impossible_training_score_is_refused(claim: float) -> None:
    with pytest.raises(ParameterError, match="training_score"):
        run_on(20, Thresholdout()).submit(wrong_on(20, range(5)), training_score=claim)


def test_the_default_constants_are_the_published_ones() -> None:
    yardstick = answer_key(labels_of(400)).yardstick
    assert Thresholdout().threshold_for(yardstick) == pytest.approx(4 / 20)
    assert Thresholdout().noise_for(yardstick) == pytest.approx(1 / 20)


def test_threshold_and_noise_scale_with_the_width_of_the_losses() -> None:
    wide = answer_key(labels_of(400), "mcc").yardstick
    assert Thresholdout().threshold_for(wide) == pytest.approx(8 / 20)
    assert Thresholdout().noise_for(wide) == pytest.approx(2 / 20)


def test_an_unbounded_loss_needs_its_width() -> None:
    key = answer_key([0.0, 1.0, 4.0], "mse")
    with pytest.raises(ParameterError, match="loss_width"):
        Play(Thresholdout(), key)
    assert Play(Thresholdout(loss_width=16), key).submit([0.0, 1.0, 4.0], training_score=0.1).accepted


def test_the_noise_of_each_kind_has_its_published_scale() -> None:
    """γ ~ Lap(2σ), η ~ Lap(4σ), ξ ~ Lap(σ), σ = .01. A mean of 2000 |Lap| errs by 2.2 %: 11 % is five sigma.

    γ is seen in the first threshold, ξ in the corrections of a claim too far off, and γ and η together in how often a
    claim just T away is corrected: half the time, by symmetry; a claim 2T away with T = 6σ fails to be corrected with
    P(γ + η > 6σ) = (16·e^(−6/4) − 4·e^(−6/2))/(2·(16 − 4)) = .1405.
    """
    mechanism = Thresholdout(0.06, 0.01)
    predictions = wrong_on(100, range(40))
    thresholds, answers = [], []
    is_corrected: dict[float, list[bool]] = {0.06: [], 0.12: []}
    for seed in range(2000):
        run = run_on(100, mechanism, seed)
        thresholds.append(run.state.memory["threshold"])
        answers.append(run.submit(predictions, training_score=1.0).value)
        for apart, corrected in is_corrected.items():
            run = run_on(100, mechanism, seed)
            run.submit(predictions, training_score=0.4 + apart)
            corrected.append(run.state.memory["budget"] == 99)
    assert np.abs(np.array(thresholds) - 0.06).mean() == pytest.approx(0.02, rel=0.11)
    assert np.abs(np.array(answers, dtype=float) - 0.4).mean() == pytest.approx(0.01, rel=0.11)
    assert np.mean(is_corrected[0.06]) == pytest.approx(0.5, abs=0.056)  # five sigma of a share of 2000
    assert np.mean(is_corrected[0.12]) == pytest.approx(1 - 0.1405, abs=0.039)


@pytest.mark.parametrize("parameters", [{"threshold": 0.0}, {"noise": math.nan}, {"loss_width": -1.0}, {"budget": 0}])
def test_bad_parameters_are_refused(parameters: dict[str, float]) -> None:
    with pytest.raises(ParameterError, match=next(iter(parameters))):
        Thresholdout(**parameters)  # type: ignore[arg-type]
