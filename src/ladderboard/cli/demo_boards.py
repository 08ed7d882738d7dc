"""The plot of `ladderboard demo`: one attacker who knows nothing, three boards, and then an honest team."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ladderboard.holdout import Holdout

Codes = npt.NDArray[np.int64]

ITEMS = 1000
COIN = 0.5
"""The true error rate of anything one may say about coins."""
FLIPPED = 2
"""Answers changed at a time: one is below the parameter-free Ladder's step, two are not."""
HONEST_SUBMISSIONS = 60
SHARED_ERRORS = 0.9
"""Correlation of the latent difficulty of items between an honest team's successive models."""


@dataclass
class Climb:
    """What one board said of a series of submissions, and what was true of the best of them so far."""

    name: str
    length: int
    reported: list[float] = field(default_factory=list)
    true: list[float] = field(default_factory=list)

    def record(self, reported: float, true: float) -> None:
        self.reported.append(reported)
        self.true.append(true)

    @property
    def mean_error(self) -> float:
        return float(np.mean(np.abs(np.subtract(self.reported, self.true))))


def attack(climb: Climb, *, mechanism: str, seed: int) -> Iterator[None]:
    """Hill-climb on a holdout of coin flips: change two answers, keep them where the board says "better".

    The attacker sees nothing but the numbers that are released to him. One step of the iterator is one submission.
    """
    rng = np.random.default_rng(seed)
    board = Holdout(rng.integers(0, 2, ITEMS), mechanism=mechanism, path=":memory:", seed=seed)
    best = rng.integers(0, 2, ITEMS)
    told = _value(board, best)
    for _ in range(climb.length):
        changed = best.copy()
        places = rng.choice(ITEMS, FLIPPED, replace=False)
        changed[places] = 1 - changed[places]
        answer = _value(board, changed)
        if answer < told:
            best, told = changed, answer
        climb.record(told, COIN)
        yield


def climb_honestly(climb: Climb, *, mechanism: str, seed: int) -> Iterator[None]:
    """A team whose models really get better, with detours; the truth is the best true error rate so far."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, ITEMS)
    board = Holdout(labels, mechanism=mechanism, path=":memory:", seed=seed)
    difficulty = rng.normal(size=ITEMS)
    for error in _true_errors(rng):
        wrong = _errs(error, difficulty, rng)
        reported = _value(board, np.where(wrong, 1 - labels, labels))
        climb.record(reported, min([*climb.true, error]))
        yield


def _true_errors(rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """From .40 to .15, most submissions a little off the trend."""
    trend = 0.15 + 0.25 * np.exp(-np.linspace(0, 4, HONEST_SUBMISSIONS))
    return np.asarray(trend + np.abs(rng.normal(0, 0.01, HONEST_SUBMISSIONS)))


def _errs(error: float, difficulty: npt.NDArray[np.float64], rng: np.random.Generator) -> npt.NDArray[np.bool_]:
    """Which items a model of that true error rate gets wrong; hard items are hard for every model."""
    from scipy.special import ndtri

    own = rng.normal(size=len(difficulty))
    return np.asarray(np.sqrt(SHARED_ERRORS) * difficulty + np.sqrt(1 - SHARED_ERRORS) * own < ndtri(error))


def _value(board: Holdout, predictions: Codes) -> float:
    value = board.score(predictions).board_value
    assert value is not None  # all of these mechanisms show a number from the first submission on
    return value
