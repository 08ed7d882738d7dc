"""A visitor's own attack: coin flips, sent to Ladderboard and to a board that shows every score.

Each guess is a row of coin flips. Where a board tells its score, the guess joins a vote with the weight of what it is
better than a coin; the vote of all guesses so far is submitted too. It is the boosting attack of Blum & Hardt 2015.
"""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np

from ladderboard.core.records import FloatArray, IntArray
from ladderboard.demo.digits import Digits
from ladderboard.mechanisms import DEFAULT_MECHANISM, REFERENCE_MECHANISM
from ladderboard.mechanisms.base import Mechanism
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.metrics.base import Metric

MOST_GUESSES = 5000
MOST_GAMES = 50
"""How many visitors' games are remembered; the one that was left longest ago goes first."""
COIN = 0.5


class Guesser:
    """Somebody without a model on one board, who believes what that board tells."""

    def __init__(self, digits: Digits, metric: Metric, mechanism: Mechanism, seed: int) -> None:
        self._digits, self._mechanism, self._rng = digits, mechanism, np.random.default_rng(seed)
        self._key = AnswerKey(digits.labels[digits.is_public], metric)
        self._incumbent = self._key.baseline
        self._state = mechanism.start(self._key.baseline, self._rng)
        self._submissions = 0
        self._votes: FloatArray = np.zeros(len(digits.labels))
        self.shown: list[float] = []
        """What the board shows after each guess."""
        self.truths: list[float] = []
        """What the vote is worth on the private rows after each guess."""

    def guess(self, flips: IntArray) -> None:
        """Submit a guess, then the vote of all so far."""
        told, _ = self._submit(flips)
        if told is not None:
            self._votes += (told - COIN) * (2 * flips - 1)
        vote = np.where(self._votes == 0, flips, self._votes > 0).astype(np.int64)
        _, board = self._submit(vote)
        self.shown.append(board)
        self.truths.append(self._digits.score(vote, public=False))

    def _submit(self, predictions: IntArray) -> tuple[float | None, float]:
        """The score that is told for these predictions, if one is, and what the board shows."""
        self._submissions += 1
        public = predictions[self._digits.is_public]
        candidate = self._key.evaluate(public, submission=str(self._submissions))
        self._state, release = self._mechanism.step(self._state, candidate, self._incumbent, self._rng)
        if release.accepted:
            self._incumbent = candidate
        assert release.board_value is not None  # both mechanisms have a number from the start
        return release.value, release.board_value


class Game:
    """A visitor's guesses, the same ones on both boards."""

    def __init__(self, digits: Digits, metric: Metric, seed: int) -> None:
        self._rng, self._rows = np.random.default_rng(seed), len(digits.labels)
        self._lock = threading.Lock()
        self.ours = Guesser(digits, metric, DEFAULT_MECHANISM(), seed)
        self.theirs = Guesser(digits, metric, REFERENCE_MECHANISM(), seed)

    @property
    def guesses(self) -> int:
        return len(self.ours.shown)

    def guess(self, times: int) -> None:
        """Guess so often, on both boards."""
        with self._lock:
            for _ in range(min(times, MOST_GUESSES - self.guesses)):
                flips = self._rng.integers(0, 2, self._rows)
                self.ours.guess(flips)
                self.theirs.guess(flips)


@dataclass(frozen=True)
class GuesserStanding:
    """Where a guesser stands among teams with models."""

    shown: float
    rank: int
    of: int
    truth: float

    @classmethod
    def among(cls, guesser: Guesser, others: Sequence[float]) -> "GuesserStanding":
        shown = guesser.shown[-1]
        return cls(shown, 1 + sum(other > shown for other in others), 1 + len(others), guesser.truths[-1])


class Games:
    """The games of a demo's visitors, in memory."""

    def __init__(self, digits: Digits, metric: Metric) -> None:
        self._digits, self._metric = digits, metric
        self._games: OrderedDict[str, Game] = OrderedDict()
        self._seeds = count()
        self._lock = threading.Lock()

    def find(self, key: str) -> Game:
        """The game with this key; a new one where there is none."""
        with self._lock:
            game = self._games.pop(key, None) or Game(self._digits, self._metric, seed=next(self._seeds))
            self._games[key] = game
            while len(self._games) > MOST_GAMES:
                self._games.popitem(last=False)
            return game
