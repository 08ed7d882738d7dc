"""Full disclosure: every score is told and the board shows the best."""

import math

import numpy as np
import pytest

from ladderboard.core.errors import ParameterError
from ladderboard.mechanisms.full_disclosure import FullDisclosure
from tests.mechanisms.play import Play, answer_key, labels_of, play, wrong_on


def test_every_score_is_told_and_the_board_keeps_the_best() -> None:
    releases = play(FullDisclosure(), 8, range(3), range(5), range(3, 6), range(2))
    # .375 is the first; .625 is worse; .375 on other items ties, which is no new best; .25 is.
    assert [release.value for release in releases] == [0.375, 0.625, 0.375, 0.25]
    assert [release.board_value for release in releases] == [0.375, 0.375, 0.375, 0.25]
    assert [release.accepted for release in releases] == [True, False, False, True]


@pytest.mark.parametrize(("precision", "shown"), [(0.1, 0.9), (0.01, 0.88), (0.001, 0.876)])
def test_a_score_is_rounded_to_the_precision(precision: float, shown: float) -> None:
    # One squared error of 3·.8763 among three items: .8763, the papers' example of rounding.
    run = Play(FullDisclosure(precision), answer_key([0.0, 1.0, 3.0], "mse"))
    assert run.submit([math.sqrt(3 * 0.8763), 1.0, 3.0]).value == shown


def test_a_rounded_score_does_not_leave_the_bounds() -> None:
    assert play(FullDisclosure(precision=0.35), 8, range(8))[0].value == 1.0  # three times .35 would be 1.05


def test_a_score_that_ties_after_rounding_is_not_a_new_best() -> None:
    releases = play(FullDisclosure(precision=0.25), 8, range(4), range(3))  # .5, and .375 rounds to .5 (ties to even)
    assert [release.value for release in releases] == [0.5, 0.5]
    assert not releases[1].accepted


def test_each_attempt_costs_the_bits_of_one_reading() -> None:
    run = Play(FullDisclosure(), answer_key(labels_of(100)))
    for count in (40, 50, 60):
        run.submit(wrong_on(100, range(count)))
    leakage = run.mechanism.leakage(run.state, run.key.yardstick)
    assert leakage.bits == pytest.approx(3 * math.log2(1e5 + 2))
    assert leakage.overfit_bound == pytest.approx(math.sqrt((3 * math.log(1e5 + 2) + math.log(40)) / 200))


def test_boosting_its_readings_reaches_the_published_loss_on_the_holdout() -> None:
    """The boosting attack: at k = 400, n = 4000 the majority vector reads Φ(−√(k/πn)) = .4292 of loss.

    The loss of the vector has sd √(.245/4000) = .0078 in one run, so .0035 in the mean of five; ± .0175 is five of
    those: a false alarm in 2 million runs.
    """
    n, k = 4000, 400
    final = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        labels = rng.integers(0, 2, n)
        run = Play(FullDisclosure(), answer_key(labels))
        guesses = rng.integers(0, 2, (k, n))
        values = [run.submit(guess).value for guess in guesses]
        kept = guesses[[value is not None and value <= 0.5 for value in values]]
        final.append(float(np.mean((kept.mean(axis=0) > 0.5) != labels)))
    assert np.mean(final) == pytest.approx(0.4292, abs=0.0175)


@pytest.mark.parametrize("precision", [0.0, -1.0, math.inf, math.nan])
def test_a_precision_that_is_not_positive_is_refused(precision: float) -> None:
    with pytest.raises(ParameterError, match="precision"):
        FullDisclosure(precision)
