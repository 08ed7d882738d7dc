"""LadderBoot: the gate by hand, the noise of its releases by Monte Carlo."""

from dataclasses import replace

import numpy as np
import pytest

from ladderboard.core.errors import ParameterError
from ladderboard.core.records import Evaluation
from ladderboard.mechanisms.ladder_boot import LadderBoot
from tests.mechanisms.play import Play, key_of, play, wrong_on

DRAWS = 2000


def first_values(mechanism: LadderBoot, n: int, errors: int) -> list[float]:
    """What many runs are told for the same first submission."""
    values = [play(mechanism, n, range(errors), seed=seed)[0].value for seed in range(DRAWS)]
    return [value for value in values if value is not None]


def test_the_first_submission_is_accepted_and_told_a_noisy_score() -> None:
    """The printed rule compares with a loss of 0, which nothing beats; nothing would ever be accepted."""
    (release,) = play(LadderBoot(), 100, range(30))
    assert release.accepted
    assert release.value is not None
    assert release.value != 0.3
    assert release.value == pytest.approx(0.3, abs=6 * np.sqrt(0.21 / 10_000))


def test_the_gate_compares_raw_means_not_released_numbers() -> None:
    # n = 16, α = .5: any gain in the raw mean passes, no other does, whatever noise the release carries.
    releases = play(LadderBoot(0.5, 1), 16, range(8), range(8, 16), range(7), range(9), range(6))
    assert [release.accepted for release in releases] == [True, False, True, False, True]


@pytest.mark.parametrize(("alpha", "accepted"), [(0.01, False), (0.15, True)])
def test_the_gate_is_students_test_of_the_differences(alpha: float, accepted: bool) -> None:
    # A gain of .25 against steps of 2.602 and 1.074 times .1118, as for the Significance Ladder.
    assert play(LadderBoot(alpha), 16, range(8), range(4))[1].accepted == accepted


def test_the_release_noise_is_that_of_n_times_b_draws() -> None:
    """sd = sd(l)/√(n·b); the sd of 2000 draws errs by 1.6 %: 7.9 % is five sigma, a false alarm in 1.7 million."""
    values = first_values(LadderBoot(replicates=10), 100, 30)
    assert np.std(values) == pytest.approx(np.sqrt(0.21 / (100 * 10)), rel=0.079)
    assert np.mean(values) == pytest.approx(0.3, abs=5 * np.sqrt(0.21 / 1000 / DRAWS))


def test_the_noise_grows_with_the_attempts_where_b_is_adaptive() -> None:
    """At attempt 25, γ = ½ leaves 100/5 = 20 replicates: the noise is √5 times that of 100 (same false-alarm rate)."""
    values = []
    for seed in range(DRAWS):
        run = Play(LadderBoot(0.5, gamma=0.5), key_of(20), seed)
        run.submit(wrong_on(20, range(10)))
        run.state = replace(run.state, attempts=24)
        values.append(run.submit(wrong_on(20, range(6))).value)
    assert np.std(np.array(values, dtype=float)) == pytest.approx(np.sqrt(0.21 / (20 * 20)), rel=0.079)


def test_a_repetition_gets_the_stored_number() -> None:
    releases = play(LadderBoot(), 100, *[range(30)] * 50)
    assert len({release.value for release in releases}) == 1
    assert not any(release.accepted for release in releases[1:])


def test_with_redraw_a_repetition_gets_fresh_noise() -> None:
    releases = play(LadderBoot(redraw=True), 100, *[range(30)] * 50)
    assert len({release.value for release in releases}) > 25
    assert not any(release.accepted for release in releases[1:])
    assert all(release.board_value == release.value for release in releases)


def test_with_redraw_repetitions_average_the_noise_away() -> None:
    """Repeat averaging: the mean of 400 answers is 20 times as exact as one; five sigma, as above."""
    releases = play(LadderBoot(replicates=10, redraw=True), 100, *[range(30)] * 400)
    assert np.mean([release.value for release in releases if release.value]) == pytest.approx(
        0.3, abs=5 * np.sqrt(0.21 / 1000 / 400)
    )


def test_a_rejected_submission_is_told_of_the_incumbent_not_of_itself() -> None:
    releases = play(LadderBoot(redraw=True), 100, range(10), range(90))
    assert releases[1].value == pytest.approx(0.1, abs=6 * np.sqrt(0.09 / 10_000))


def test_a_score_without_spread_is_told_exactly() -> None:
    assert play(LadderBoot(), 16, range(0))[0].value == 0


@pytest.mark.parametrize(
    "parameters",
    [
        {"alpha": 0.6},
        {"replicates": 0},
        {"least_replicates": 0},
        {"least_replicates": 101},
        {"gamma": -0.5},
        {"gamma": float("nan")},
    ],
)
def test_bad_parameters_are_refused(parameters: dict[str, float]) -> None:
    with pytest.raises(ParameterError):
        LadderBoot(**parameters)  # type: ignore[arg-type]


def test_the_first_release_has_all_replicates_and_later_ones_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def average(_self: LadderBoot, best: Evaluation, replicates: int, _rng: np.random.Generator) -> float:
        asked.append(replicates)
        return best.score

    monkeypatch.setattr(LadderBoot, "average", average)
    play(LadderBoot(0.5, 100, gamma=0.5), 16, range(8), range(7), range(6), range(5))
    assert asked == [100, 70, 57, 50]


def test_the_gate_takes_the_incumbents_mean_as_it_is() -> None:
    # 99 of 300 against 100 of 300: .33 against .3333, which two decimals would not tell apart.
    assert play(LadderBoot(0.5, 1), 300, range(100), range(99))[1].accepted


def test_a_release_carries_a_hundredth_of_the_scores_variance_as_noise() -> None:
    assert LadderBoot(0.15, 100).witness_share() == 100 / 101
    assert LadderBoot(0.15, 100, gamma=0.5, least_replicates=10).witness_share() == 10 / 11
