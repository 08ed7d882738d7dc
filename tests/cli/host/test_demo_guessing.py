"""The visitor's own attack in the demo: it climbs where every score is told, and nowhere else."""

import numpy as np
import pytest

from ladderboard.demo.digits import Digits
from ladderboard.demo.guess_picture import draw_game
from ladderboard.demo.guessing import MOST_GAMES, MOST_GUESSES, Game, Games, GuesserStanding
from ladderboard.metrics import METRICS

METRIC = METRICS["accuracy"]


@pytest.fixture(scope="module")
def digits() -> Digits:
    """Coins: nothing can be learned about the private half from the public one."""
    rng = np.random.default_rng(2026)
    none = np.zeros((0, 64))
    labels, is_public = rng.integers(0, 2, 1000), np.arange(1000) % 2 == 0
    return Digits(none, np.zeros(0, dtype=int), np.zeros((1000, 64)), labels, is_public)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_guesses_climb_the_board_that_tells_and_not_ours(digits: Digits, seed: int) -> None:
    game = Game(digits, METRIC, seed)
    game.guess(200)
    # The vote of 200 guesses gains about .23; .15 is 6.7 standard errors of a single file.
    assert game.theirs.shown[-1] > 0.65
    assert game.theirs.shown == sorted(game.theirs.shown)
    # Ours may show a lucky file once: the best of 400 is less than 4 standard errors of .022 above a coin.
    assert game.ours.shown[-1] < 0.6
    # Six standard errors: the private half knows nothing of the guesses.
    assert all(abs(truth - 0.5) < 0.14 for truth in game.theirs.truths)
    assert GuesserStanding.among(game.theirs, [0.9, 0.6]).rank == 2
    assert GuesserStanding.among(game.ours, [0.9, 0.6]).rank == 3


def test_a_game_has_an_end_and_a_demo_forgets_the_oldest(digits: Digits) -> None:
    games = Games(digits, METRIC)
    first = games.find("first")
    first.guess(3)
    assert games.find("first").guesses == 3
    first.ours.shown += [0.5] * (MOST_GUESSES - 4)
    first.guess(1000)
    assert first.guesses == MOST_GUESSES
    for number in range(MOST_GAMES):
        games.find(str(number))
    assert games.find("first").guesses == 0


def test_the_picture_says_what_it_shows(digits: Digits) -> None:
    game = Game(digits, METRIC, 1)
    assert not draw_game(game)
    game.guess(5)
    text = str(draw_game(game))
    assert f"every score shown: {game.theirs.shown[0]:.3f} to {game.theirs.shown[-1]:.3f}" in text
