"""The Ladder with a level of significance, worked by hand."""

import numpy as np
import pytest
from scipy import stats

from ladderboard.core.errors import ParameterError
from ladderboard.mechanisms.gates import student_threshold
from ladderboard.mechanisms.significance_ladder import SignificanceLadder
from tests.mechanisms.play import Play, answer_key, play, told


@pytest.mark.parametrize(("alpha", "c"), [(0.01, 2.344), (0.15, 1.039), (0.5, 0.0)])
def test_the_thresholds_for_209_items_are_the_corrected_ones(alpha: float, c: float) -> None:
    assert student_threshold(alpha, 209) == pytest.approx(c, abs=5e-4)
    assert student_threshold(alpha, 209) == pytest.approx(stats.t.ppf(1 - alpha, 208), abs=1e-9)


@pytest.mark.parametrize(("alpha", "accepted"), [(0.01, False), (0.15, True), (0.5, True)])
def test_the_level_decides_what_passes(alpha: float, accepted: bool) -> None:
    # Four of eight errors repaired, n = 16: the gain is .25, sd(d)/√n = .1118 and c = 2.602, 1.074, 0: steps of .291,
    # .120 and 0.
    assert play(SignificanceLadder(alpha), 16, range(8), range(4))[1].accepted == accepted


def test_at_one_half_any_gain_passes_and_no_loss_does() -> None:
    releases = play(SignificanceLadder(0.5), 16, range(8), range(7), range(8), range(1, 8), range(6))
    # 7/16 gains one item; 8/16 loses one; another 7/16 gains nothing; 6/16 gains one.
    assert told(releases) == [(True, 0.5), (True, 0.4375), (False, 0.4375), (False, 0.4375), (True, 0.375)]


def test_a_worse_submission_never_passes_however_strict_the_level() -> None:
    # With the printed c = F⁻¹(α) = −2.6 the step would be negative: .5625 < .5 + 2.6·.0625 would pass.
    assert told(play(SignificanceLadder(0.01), 16, range(8), range(9)))[1] == (False, 0.5)


def test_an_identical_submission_is_accepted_again_where_rounding_went_up() -> None:
    run = Play(SignificanceLadder(), answer_key([0.0, 1.0, 0.0, 3.0], "mse"))
    predictions = [np.sqrt(0.6), 1.0, 0.0, 3.0]  # .15, shown as .25
    assert told([run.submit(predictions), run.submit(predictions)]) == [(True, 0.25), (True, 0.25)]


def test_a_metric_that_is_no_mean_is_tested_by_its_influence_values() -> None:
    """Spread over its n influence values, the gain's standard error is DeLong's for the difference of two AUCs."""
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], 50)
    weak, strong = y + rng.normal(0, 2.0, 100), y + rng.normal(0, 0.7, 100)
    run = Play(SignificanceLadder(0.01), answer_key(y, "auc"))
    run.submit(weak)
    assert run.submit(strong).accepted
    assert not run.submit(weak).accepted


@pytest.mark.parametrize("alpha", [0.0, -0.1, 0.51, 1.0])
def test_a_level_that_would_let_worse_ones_pass_is_refused(alpha: float) -> None:
    with pytest.raises(ParameterError, match="alpha"):
        SignificanceLadder(alpha)
