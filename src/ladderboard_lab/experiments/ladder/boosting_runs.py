"""Boosting with random vectors, read at many numbers of submissions from one run.

The final vector of the attack is wanted after k = 10, 20, … submissions. Under full disclosure an answer depends on the
submission alone, so that whole blocks of submissions are answered, and their votes added, by matrix products; the
answers of a Ladder depend on the past and come from a board, one after the other.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

import ladderboard as lb
from ladderboard_lab.participant import Array, FloatArray

Weighing = Callable[[FloatArray], FloatArray]
"""From the raw losses of submissions to the weights of their votes."""

BLOCK_CELLS = 2_000_000
"""Items × submissions held at once."""


def keep_released(precision: float) -> Weighing:
    """The paper's attack: one vote for each vector whose loss, released to ``precision``, is at most ½.

    >>> keep_released(0.01)(np.array([0.4, 0.504, 0.506])).tolist()
    [1.0, 1.0, 0.0]
    """
    inverse = round(1 / precision) if abs(1 / precision - round(1 / precision)) < 1e-6 / precision else None

    def weigh(losses: FloatArray) -> FloatArray:
        multiples = np.round(losses / precision)
        # As full disclosure rounds: dividing by a whole number gives the shortest decimal.
        released = multiples * precision if inverse is None else multiples / inverse
        return (released <= 0.5).astype(np.float64)

    return weigh


def weigh_all(losses: FloatArray) -> FloatArray:
    """The stronger attack: every vector votes, by how much better than chance it was."""
    return 0.5 - losses


def boost_disclosed(
    rng: np.random.Generator, *, n: int, private: int, checkpoints: Sequence[int], weighings: Sequence[Weighing]
) -> FloatArray:
    """Losses of the boosted vectors: weighings × checkpoints × (public, private).

    Labels are uniform; the first ``n`` items are public, which for labels without structure is any split. Without
    private items the private losses are NaN. Where it is read does not change a run: ties have coins of their own.
    """
    labels, ties = 2 * _coins(rng, 1, n + private)[0] - 1, rng.spawn(1)[0]
    votes = np.zeros((len(weighings), n + private))
    losses = np.full((len(weighings), len(checkpoints), 2), np.nan)
    for place, (done, k) in enumerate(zip((0, *checkpoints), checkpoints, strict=False)):
        for rows in _blocks(k - done, n + private):
            guesses = _coins(rng, rows, n + private)
            raw = _raw_losses(guesses[:, :n], labels[:n])
            weights = np.stack([weigh(raw) for weigh in weighings])
            votes += weights.astype(np.float32) @ guesses - weights.sum(axis=1, keepdims=True) / 2
        for rule, row in enumerate(votes):
            losses[rule, place] = _losses(_signs(row, ties), labels, n)
    return losses


def boost_ladder(
    rng: np.random.Generator,
    mechanism: "str | lb.Mechanism",
    *,
    n: int,
    private: int,
    checkpoints: Sequence[int],
    screened: bool = True,
) -> FloatArray:
    """Losses of the majority of those vectors that lowered the released loss: checkpoints × (public, private).

    As in the authors' code the first vector counts only where its loss is below ½. ``screened``: for Ladders that
    accept nothing which does not beat the released loss and remember nothing of rejections (Algorithms 1 and 2), only
    what beats it is sent to the board; all others would be answered with the number that stands there.
    """
    labels, ties = 2 * _coins(rng, 1, n + private)[0] - 1, rng.spawn(1)[0]
    board = lb.Leaderboard(labels[:n] > 0, mechanism=mechanism, seed=int(rng.integers(2**32)))
    votes, shown = np.zeros(n + private), np.inf
    losses = np.full((len(checkpoints), 2), np.nan)
    for place, (done, k) in enumerate(zip((0, *checkpoints), checkpoints, strict=False)):
        for rows in _blocks(k - done, n + private):
            guesses = _coins(rng, rows, n + private)
            raw = _raw_losses(guesses[:, :n], labels[:n])
            for row in np.flatnonzero(raw < shown) if screened else range(rows):
                if screened and not raw[row] < shown:
                    continue
                released = board.submit("attacker", guesses[row, :n] > 0).value
                assert released is not None
                if released < min(shown, 0.5):
                    votes += guesses[row] - 0.5
                shown = released
        losses[place] = _losses(_signs(votes, ties), labels, n)
    return losses


def _blocks(rows: int, items: int) -> Iterator[int]:
    """``rows`` cut into blocks that stay small in memory."""
    size = max(1, BLOCK_CELLS // items)
    while rows > 0:
        yield min(size, rows)
        rows -= size


def _coins(rng: np.random.Generator, rows: int, items: int) -> Array:
    """Fair coins as 0 and 1, eight to a random byte."""
    width = -(-items // 8)
    drawn = np.frombuffer(rng.bytes(rows * width), dtype=np.uint8).reshape(rows, width)
    return np.unpackbits(drawn, axis=1, count=items).astype(np.float32)


def _raw_losses(guesses: Array, labels: Array) -> FloatArray:
    """The error rates of 0/1 guesses against labels of −1 and 1; single precision counts items exactly."""
    wrong = (labels > 0).sum() - (guesses @ labels).astype(np.float64)
    return np.asarray(wrong / len(labels))


def _signs(votes: Array, rng: np.random.Generator) -> Array:
    """The majority; a coin flip where the votes are tied."""
    coins = rng.integers(0, 2, len(votes)) * 2 - 1
    return np.where(votes == 0, coins, np.sign(votes))


def _losses(final: Array, labels: Array, n: int) -> tuple[float, float]:
    wrong = final != labels
    return float(wrong[:n].mean()), float(wrong[n:].mean()) if len(wrong) > n else float("nan")
