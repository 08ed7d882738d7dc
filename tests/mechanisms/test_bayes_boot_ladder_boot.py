"""The Bayesian bootstrap ladder with a bootstrapped release."""

import numpy as np
import pytest

from ladderboard.core.errors import ParameterError
from ladderboard.mechanisms.bayes_boot_ladder import BayesBootLadder
from ladderboard.mechanisms.bayes_boot_ladder_boot import BayesBootLadderBoot
from tests.mechanisms.play import Play, answer_key, play

DRAWS = 2000


def test_it_accepts_what_the_bayes_boot_ladder_accepts() -> None:
    wrong = [range(8), range(7), range(8), range(7, 16), range(3), range(2, 6)]
    noisy, plain = (play(ladder(odds=99), 16, *wrong) for ladder in (BayesBootLadderBoot, BayesBootLadder))
    assert [release.accepted for release in noisy] == [release.accepted for release in plain]


def test_odds_that_are_exactly_reached_pass() -> None:
    """Better under all B = 100 weights: odds of 101, no more and no less."""
    assert play(BayesBootLadderBoot(odds=101, replicates=100), 16, range(8), range(7))[1].accepted


def test_the_release_noise_is_that_of_b_bayesian_replicates() -> None:
    """sd = σ(l)/√((n + 1)·b); the sd of 2000 draws errs by 1.6 %: 7.9 % is five sigma, a false alarm in 1.7 million."""
    mechanism = BayesBootLadderBoot(release_replicates=10)
    values = [play(mechanism, 100, range(30), seed=seed)[0].value for seed in range(DRAWS)]
    drawn = np.array(values, dtype=float)
    assert drawn.std() == pytest.approx(np.sqrt(0.21 / (101 * 10)), rel=0.079)
    assert drawn.mean() == pytest.approx(0.3, abs=5 * np.sqrt(0.21 / 1010 / DRAWS))


def test_the_release_of_an_auc_is_a_mean_of_weighted_aucs() -> None:
    """Its noise is the standard error of the AUC over √b; the bootstrap sd is within a tenth of DeLong's here.

    400 draws estimate their sd to 3.5 %; with the tenth, 28 % is five sigma.
    """
    rng = np.random.default_rng(11)
    y = np.repeat([0, 1], 50)
    scores = y + rng.normal(0, 1.0, 100)
    key = answer_key(y, "auc")
    mechanism = BayesBootLadderBoot(release_replicates=4)
    values = [Play(mechanism, key, seed).submit(scores).value for seed in range(400)]
    drawn = np.array(values, dtype=float)
    standard_error = key.evaluate(key.read(scores)).spread / 10
    assert drawn.std() == pytest.approx(standard_error / 2, rel=0.28)


def test_a_repetition_gets_the_stored_number_unless_redrawn() -> None:
    same = [range(30)] * 20
    assert len({release.value for release in play(BayesBootLadderBoot(), 100, *same)}) == 1
    assert len({release.value for release in play(BayesBootLadderBoot(redraw=True), 100, *same)}) == 20


@pytest.mark.parametrize("parameters", [{"odds": 0.5}, {"release_replicates": 0}, {"gamma": 11.0}])
def test_bad_parameters_are_refused(parameters: dict[str, float]) -> None:
    with pytest.raises(ParameterError):
        BayesBootLadderBoot(**parameters)  # type: ignore[arg-type]
