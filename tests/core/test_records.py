import json
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from ladderboard.core.precision import Z
from ladderboard.core.records import BASELINE, Proof, Release, State
from ladderboard.metrics import find_metric
from ladderboard.metrics.answer_key import AnswerKey


def test_a_state_is_the_same_after_a_trip_through_json() -> None:
    state = State(
        attempts=12, accepts=3, released=0.1 + 0.2, incumbent="7", memory={"split_seed": 2**62 + 1, "noise": 0.3}
    )
    assert State.from_json(state.to_json()) == state


def test_a_release_is_the_same_after_a_trip_through_json() -> None:
    release = Release(0.25, 0.24, accepted=True, improved=False, attempt=4, interval=(0.2, 0.3), standard_error=0.02)
    assert Release.from_dict(json.loads(json.dumps(release.to_dict()))) == release


def test_the_interval_of_a_proportion_is_wilsons() -> None:
    yardstick = AnswerKey([0, 1] * 500, find_metric("error_rate")).yardstick
    peer = stats.binomtest(130, 1000).proportion_ci(0.95, method="wilson")
    assert yardstick.interval(0.13) == pytest.approx((peer.low, peer.high), abs=1e-4)


def test_a_release_of_the_first_version_has_no_interval() -> None:
    old = {"value": 0.2, "board_value": 0.2, "accepted": True, "improved": True, "attempt": 1, "interval": [0.1, 0.3]}
    release = Release.from_dict(old)
    assert (release.interval, release.standard_error, release.improved) == (None, None, True)


def test_a_state_of_the_first_version_has_proven_nothing_yet() -> None:
    old = '{"accepts": 3, "attempts": 12, "incumbent": "7", "memory": {}, "released": 0.3}'
    assert State.from_json(old).proof == Proof(BASELINE, None, 0)


def test_other_intervals_are_standard_errors_on_the_scale() -> None:
    yardstick = AnswerKey([1.0, 2.0, 3.0, 4.0] * 50, find_metric("mse")).yardstick
    assert yardstick.interval(0.5) is None
    found = yardstick.interval(0.5, 0.02)
    assert found is not None
    low, high = found
    assert high / low == pytest.approx((1 + 1.96 * 0.02 / 0.5) ** 2, rel=2e-3)
    assert high / 0.5 == pytest.approx(0.5 / low, rel=1e-3)  # symmetric on the log scale


def test_an_interval_on_a_log_scale_ends_as_far_above_as_its_errors_say() -> None:
    yardstick = AnswerKey(np.random.default_rng(1).normal(size=400), find_metric("rmse")).yardstick
    for error in (0.01, 0.1, 0.9):
        found = yardstick.interval(1.0, error)
        assert found is not None
        assert found[1] == pytest.approx(1 + Z * error, rel=2e-3)
        assert found[0] == pytest.approx(1 / (1 + Z * error), rel=2e-3)


def test_an_interval_of_former_rules_ends_where_it_did() -> None:
    yardstick = AnswerKey(np.random.default_rng(1).normal(size=400), find_metric("rmse")).yardstick
    found = replace(yardstick, scale=yardstick.scale.with_former_arms()).interval(1.0, 0.5)
    assert found == pytest.approx((math.exp(-Z / 2), math.exp(Z / 2)), rel=2e-3)
