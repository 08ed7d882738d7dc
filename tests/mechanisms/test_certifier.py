"""The Certifier, worked by hand."""

from dataclasses import replace
from typing import Never

import numpy as np
import pytest
from scipy.stats import binom

import ladderboard as lb
from ladderboard.core.errors import ParameterError, UndefinedMetricError
from ladderboard.core.records import BASELINE
from ladderboard.mechanisms.certifier import Certifier
from ladderboard.mechanisms.proof import find_weight
from tests.mechanisms.play import Play, key_of, wrong_on

N = 200


def play_certified(*wrong: range) -> Play:
    run = Play(Certifier(), key_of(N))
    for items in wrong:
        run.submit(wrong_on(N, items))
    return run


def test_the_first_submission_is_the_reference_and_gets_no_number() -> None:
    run = play_certified(range(80))
    assert run.releases[0] == lb.Release(None, None, accepted=False, improved=False, attempt=1, interval=None)
    assert (run.state.incumbent, run.state.accepts, run.state.released) == ("s1", 0, None)


def test_a_question_passes_at_the_level_of_its_slot_and_not_beside_it() -> None:
    """McNemar: k of k changed items repaired have p = 2^−k; α·w(1) = .0215 lies between 2^−6 and 2^−5."""
    level = 0.05 * find_weight(1)
    assert binom.sf(5, 6, 0.5) < level < binom.sf(4, 5, 0.5)
    assert not play_certified(range(80), range(75)).releases[1].improved
    assert play_certified(range(80), range(74)).releases[1].improved


@pytest.mark.parametrize("before", [range(79), range(74)])
def test_a_failed_question_is_paid_for_and_a_certificate_halves_the_level(before: range) -> None:
    """α·w(2) = .0109 after a failure, α·w(1)/2 = .0108 after a certificate: both between 2^−7 and 2^−6."""
    first = 74 if len(before) == 74 else 80
    assert not play_certified(range(80), before, range(first - 6)).releases[2].improved
    assert play_certified(range(80), before, range(first - 7)).releases[2].improved


def test_without_a_certificate_the_board_keeps_the_certified_number_and_nothing_is_told() -> None:
    run = play_certified(range(80), range(40), range(40, 90))
    certified, rejected = run.releases[1:]
    assert certified.accepted
    assert certified.value == certified.board_value
    assert (rejected.value, rejected.board_value, rejected.accepted) == (None, certified.value, False)
    assert rejected.interval == certified.interval


def test_the_number_of_a_narrow_certificate_is_worse_than_the_raw_score_and_that_of_a_sure_one_is_not() -> None:
    narrow, sure = play_certified(range(80), range(60, 116)), play_certified(range(80), range(20))
    step = 0.6 * key_of(N).yardstick.null_standard_error
    assert 56 / N + step < (narrow.releases[1].value or 0) <= 80 / N
    assert sure.releases[1].value == pytest.approx(20 / N, abs=step)


def test_the_board_never_falls_behind_an_entry_that_is_proven_worse() -> None:
    run = play_certified(range(80), range(40), range(33))
    assert all(one.improved for one in run.releases[1:])
    assert (run.releases[2].value or 1) <= (run.releases[1].value or 0)


def test_a_first_submission_without_a_score_is_no_reference() -> None:
    run = Play(Certifier(), key_of(N))
    candidate = run.key.evaluate(wrong_on(N, range(80)), submission="s1")
    run.judge(replace(candidate, compute_contributions=undefined))
    assert (run.state.incumbent, run.state.attempts) == (BASELINE, 1)
    run.submit(wrong_on(N, range(80)))
    assert run.state.incumbent == "s2"


def undefined() -> Never:
    raise UndefinedMetricError("no value")


def test_the_meter_counts_every_word() -> None:
    run, mechanism = play_certified(range(80)), Certifier()
    bits = [mechanism.leakage(run.state, run.key.yardstick).bits or 0.0]
    for items in (range(79), range(78), range(30)):
        run.submit(wrong_on(N, items))
        bits.append(mechanism.leakage(run.state, run.key.yardstick).bits or 0.0)
    assert bits == sorted(set(bits))  # strictly rising: also a refusal is a word
    assert bits[-1] - bits[-2] > 5  # and a certificate a number


@pytest.mark.parametrize("given", [{"alpha": 0.0}, {"alpha": 1.0}, {"grid": 0.0}, {"grid": 5.0}])
def test_parameters_out_of_range_are_refused(given: dict[str, float]) -> None:
    with pytest.raises(ParameterError, match="must lie"):
        Certifier(**given)


def test_where_a_board_is_meant_it_is_refused() -> None:
    losses = (np.random.default_rng(1).random((60, 3)) < 0.3).astype(int)
    with pytest.raises(ParameterError, match="only certifies"):
        lb.plan_submissions(n=400, mechanism="certifier")
    with pytest.raises(ParameterError, match="only certifies"):
        lb.audit_records(losses, ladders=["certifier"])
