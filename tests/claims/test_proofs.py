"""The word "improved": said to honest people, and almost never falsely."""

import numpy as np
import pytest

import ladderboard as lb
from ladderboard.core.records import Evaluation
from ladderboard.mechanisms.base import Word
from ladderboard.mechanisms.witness_ladder import WitnessLadder
from ladderboard_lab.attacks import ATTACKS
from tests.claims.proofs import run_streams
from tests.claims.sizes import least, most, sized
from tests.claims.words_under_attack import FROM_ONE_ACCOUNT, known_share, measure_false_words

either_size = sized(30, 120)


@pytest.mark.claim
@either_size
def test_sixty_honest_steps_are_heard_and_followed(runs: int) -> None:
    # 2.67 words at full size, with a standard error of .14 for 30 streams.
    found = run_streams("improving", n=1000, streams=runs)
    assert found.words >= 2.25
    assert found.regret < 3
    assert found.covers >= least(0.95, runs)
    assert found.false <= most(0.05, runs)


@pytest.mark.claim
@either_size
@pytest.mark.parametrize("kind", ["flat", "guessing", "plateaus"])
@pytest.mark.parametrize("n", [250, 1000])
def test_a_stream_without_progress_hears_a_false_word_in_five_of_a_hundred_cases_at_most(
    kind: str, n: int, runs: int
) -> None:
    found = run_streams(kind, n=n, streams=runs)  # type: ignore[arg-type]  # a Literal
    assert found.false <= most(0.05, runs)


@pytest.mark.claim
def test_without_a_correction_for_accepts_flat_streams_would_hear_false_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control: a level that is not spent is overrun by sixty tries."""
    monkeypatch.setattr(WitnessLadder, "find_word", lambda *_: Word(improved=True))
    assert run_streams("flat", n=250, streams=30).false > most(0.05, 30)


@pytest.mark.claim
@pytest.mark.parametrize("metric", ["rmse", "mae"])
def test_a_clearly_better_regression_is_called_improved(metric: str) -> None:
    """R² rises from .5 to .7 at n = 1,000: five times the gain that is recognised with 80 % power."""
    words = 0
    for stream in range(20):
        first, second, noise = np.random.default_rng(stream).normal(size=(3, 1000))
        model = np.sqrt(0.5) * first
        better = model + np.sqrt(0.2) * second
        board = lb.Leaderboard(better + np.sqrt(0.3) * noise, metric=metric, seed=stream)
        assert board.submit("we", model).improved
        words += board.submit("we", better).improved
    assert words >= 18


def praise_confidence(*, streams: int) -> float:
    """The share of streams of ever more confident forecasts that hear a false word; one in 200 of them is wrong."""
    share, false = 0.005, 0
    for stream in range(streams):
        rng = np.random.default_rng(stream)
        labels, is_wrong = rng.integers(0, 2, 200), rng.random(200) < share
        board = lb.Leaderboard(labels, metric="log_loss", seed=stream)
        proven = np.log(2)
        for sure in (0.6, 0.9, 0.99, 0.999, 0.9999):
            loss = -(1 - share) * np.log(sure) - share * np.log(1 - sure)
            if board.submit("we", np.where(is_wrong ^ (labels == 1), sure, 1 - sure)).improved:
                if loss >= proven:
                    false += 1
                    break
                proven = loss
    return false / streams


@pytest.mark.claim
@either_size
def test_ever_more_confident_forecasts_are_not_called_improved(runs: int) -> None:
    """Log loss at n = 200: rare items on which a confident model loses all may be missing from the witnesses."""
    assert praise_confidence(streams=runs) <= most(0.05, runs)


@pytest.mark.claim
def test_without_a_pseudo_item_they_would_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control."""
    monkeypatch.setattr(Evaluation, "worst_difference", lambda *_: None)
    assert praise_confidence(streams=30) > most(0.05, 30)


@pytest.mark.claim
@sized(15, 40)
@pytest.mark.parametrize("attack", FROM_ONE_ACCOUNT)
def test_an_attack_from_one_account_hears_a_false_word_in_five_of_a_hundred_cases_at_most(
    attack: str, runs: int
) -> None:
    found = measure_false_words(ATTACKS[attack](), n=400, budget=150, known=known_share(attack), streams=runs)
    assert found <= most(0.05, runs)


@pytest.mark.claim
def test_where_every_accept_is_called_improved_an_attacker_hears_false_words() -> None:
    """The negative control: the parameter-free Ladder, and two coin flips turned at a time."""
    found = measure_false_words(
        ATTACKS["hill_climb"](), n=400, budget=150, known=0.0, streams=15, mechanism=lb.ParameterFreeLadder()
    )
    assert found > most(0.05, 15)
