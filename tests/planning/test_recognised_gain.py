"""The gain that a board usually recognises, against the mechanisms themselves: simulated files, no formula shared."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ladderboard.core.records import State
from ladderboard.guard.detectable_gain import estimate_recognised_gain
from ladderboard.inference.power import smallest_visible_improvement
from ladderboard.mechanisms import MECHANISMS, make_mechanism
from ladderboard.mechanisms.base import Hurdle, Mechanism
from ladderboard.mechanisms.witness_ladder import WitnessLadder
from ladderboard.metrics import find_metric
from ladderboard.metrics.answer_key import AnswerKey

UNITS, ERROR, RUNS = 1000, 0.3, 300
LABELS = np.arange(UNITS) % 2
KEY = AnswerKey(LABELS, find_metric("error_rate"))
STATE = State(attempts=9, accepts=3, released=ERROR)
FEW = {"bayes_boot_ladder": 50, "bayes_boot_ladder_boot": 50}
"""Replicates of the slow ones."""
WITH_HURDLE = sorted(set(MECHANISMS) - {"full_disclosure", "thresholdout", "silent"})


def draw_pair(gain: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two files: true error rates ERROR and ERROR − gain, and a difference as noisy as one file's score."""
    changed = ERROR * (1 - ERROR) + gain**2
    repaired, broken = (changed + gain) / 2, (changed - gain) / 2
    was_wrong = rng.random(UNITS) < ERROR
    flips = rng.random(UNITS) < np.where(was_wrong, repaired / ERROR, broken / (1 - ERROR))
    return np.where(was_wrong, 1 - LABELS, LABELS), np.where(was_wrong ^ flips, 1 - LABELS, LABELS)


def make(name: str) -> Mechanism:
    return make_mechanism(name, **({"replicates": FEW[name]} if name in FEW else {}))


def find_gain(mechanism: Mechanism) -> float:
    found = estimate_recognised_gain(mechanism, KEY.yardstick, STATE)
    assert found is not None
    return found


def accepted_share(mechanism: Mechanism, gain: float) -> float:
    """How often the mechanism itself accepts a file with that true gain."""
    rng, accepted = np.random.default_rng(20), 0
    for run in range(RUNS):
        before, after = (KEY.evaluate(KEY.read(one), submission=str(i)) for i, one in enumerate(draw_pair(gain, rng)))
        start = mechanism.start(KEY.baseline, np.random.default_rng(run))
        memory = replace(STATE, released=before.score, incumbent="0", memory=start.memory)
        accepted += mechanism.step(memory, after, before, rng)[1].accepted
    return accepted / RUNS


@pytest.mark.parametrize("name", WITH_HURDLE)
def test_the_gain_is_accepted_four_times_in_five_and_half_of_it_is_not(name: str) -> None:
    mechanism = make(name)
    gain = find_gain(mechanism)
    # Seeded. With other seeds a correct formula would leave this band in about one run of a thousand.
    assert 0.7 <= accepted_share(mechanism, gain) <= 0.9
    assert accepted_share(mechanism, gain / 2) < 0.65


class ForgetsItsStep(WitnessLadder):
    """A hurdle as if any gain on the gate were accepted, which is what a wrong formula would say."""

    def hurdle(self, *given: Any) -> Hurdle:
        return super().hurdle(*given)._replace(fixed=0.0)


def test_a_wrong_hurdle_is_found_out() -> None:
    assert accepted_share(WitnessLadder(), find_gain(ForgetsItsStep())) < 0.7


@pytest.mark.parametrize("name", sorted(set(MECHANISMS) - set(WITH_HURDLE)))
def test_where_nothing_has_to_be_cleared_nothing_is_said(name: str) -> None:
    assert estimate_recognised_gain(make(name), KEY.yardstick, STATE) is None


def test_before_the_first_accept_it_is_the_entry_test_at_its_level_of_the_next_attempt() -> None:
    for attempts in (0, 9):
        state = State(attempts=attempts, released=0.5)
        expected = smallest_visible_improvement(KEY.yardstick, gate_share=0.5, alpha=0.05 / (attempts + 1))
        assert estimate_recognised_gain(WitnessLadder(gate_share=0.5), KEY.yardstick, state) == expected


def test_what_is_out_of_reach_is_not_promised() -> None:
    assert estimate_recognised_gain(WitnessLadder(), KEY.yardstick, replace(STATE, released=0.001)) is None
    assert estimate_recognised_gain(make_mechanism("ladder"), KEY.yardstick, State()) is None


def test_the_entrys_own_standard_error_counts_where_it_is_known() -> None:
    usual = find_gain(WitnessLadder())
    error = np.sqrt(ERROR * (1 - ERROR) / UNITS)
    for times in (1, 2):
        told = replace(STATE, standard_error=times * error)
        assert estimate_recognised_gain(WitnessLadder(), KEY.yardstick, told) == pytest.approx(times * usual)
