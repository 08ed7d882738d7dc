"""The Bayesian bootstrap ladder: odds, exact small cases, and metrics that are no means."""

import numpy as np
import pytest

from ladderboard.core.errors import ParameterError
from ladderboard.mechanisms.bayes_boot_ladder import BayesBootLadder
from tests.mechanisms.play import Play, answer_key, play, told


@pytest.mark.parametrize(("alpha", "odds"), [(0.01, 99.0), (0.15, 5.67), (0.5, 1.0)])
def test_the_odds_of_a_level_are_the_published_ones(alpha: float, odds: float) -> None:
    assert (1 - alpha) / alpha == pytest.approx(odds, abs=0.005)
    BayesBootLadder(odds=odds)


def test_a_submission_that_only_repairs_is_better_under_every_weight() -> None:
    # c = B = 1000: P/(1 − P) = 1001 ≥ 99, even for a single item of 16; what only breaks has c = 0.
    releases = play(BayesBootLadder(odds=99), 16, range(8), range(7), range(8))
    assert told(releases) == [(True, 0.5), (True, 0.4375), (False, 0.4375)]


@pytest.mark.parametrize(("odds", "accepted"), [(2.5, True), (3.5, False)])
def test_the_odds_decide_what_passes(odds: float, accepted: bool) -> None:
    """Two repaired, one broken of three: P = 3/4 exactly, odds 3.

    With 20,000 replicates the odds are 3 ± .08 (five sigma: P ± .0153): a false alarm in 1.7 million runs.
    """
    releases = play(BayesBootLadder(odds=odds, replicates=20_000), 3, [0, 1], [2])
    assert releases[1].accepted == accepted


def test_odds_that_are_exactly_reached_pass() -> None:
    """Better under all B = 100 weights: odds of 101, no more and no less."""
    assert play(BayesBootLadder(odds=101, replicates=100), 16, range(8), range(7))[1].accepted


def test_an_identical_submission_wins_no_replicate() -> None:
    assert told(play(BayesBootLadder(odds=1), 16, range(8), range(8))) == [(True, 0.5), (False, 0.5)]


def test_the_score_is_rounded_to_one_item_as_in_the_paper() -> None:
    run = Play(BayesBootLadder(), answer_key([0.0, 1.0, 0.0, 3.0], "mse"))
    assert run.submit([np.sqrt(0.6), 1.0, 0.0, 3.0]).value == 0.25  # .15 rounds up to 1/4
    # The gate compares replicates, not the rounded number: the identical submission is not accepted again.
    assert not run.submit([np.sqrt(0.6), 1.0, 0.0, 3.0]).accepted


def test_a_metric_that_is_no_mean_is_compared_under_the_same_weights() -> None:
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1], 60)
    weak = y + rng.normal(0, 2.0, 120)
    run = Play(BayesBootLadder(odds=99), answer_key(y, "auc"))
    run.submit(weak)
    assert not run.submit(weak + 3.0).accepted  # the same ranking
    assert run.submit(y + rng.normal(0, 0.5, 120)).accepted


@pytest.mark.parametrize("parameters", [{"odds": 0.5}, {"replicates": 0}, {"odds": 99, "replicates": 97}])
def test_bad_parameters_are_refused(parameters: dict[str, float]) -> None:
    with pytest.raises(ParameterError):
        BayesBootLadder(**parameters)  # type: ignore[arg-type]
