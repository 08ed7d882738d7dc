"""Honest streams: classifiers that really get better (or do not), in the ways in which classifiers of one team do.

A stream is what honest competitors submit, with the truth about each submission: the probability that it errs on a
fresh item. What a mechanism shows on it says what its caution costs.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ladderboard_lab.participant import Array, FloatArray, IntArray

Classifiers = Callable[[np.random.Generator, Array, FloatArray], Iterator[Array]]
"""(generator, 0/1 labels, true losses) → the predictions of one classifier for each of these losses."""
Course = Callable[[np.random.Generator, int, float, float], FloatArray]
"""(generator, length, loss at the start, loss at the end) → the true losses of a team's submissions."""

CORRELATION = 0.9


@dataclass(frozen=True, eq=False)
class Stream:
    """Labels, and submissions with their teams and true losses, in the order of arrival."""

    labels: Array
    teams: IntArray
    true_losses: FloatArray
    submissions: Callable[[], Iterator[Array]]
    """Makes the predictions one by one; called again, the same ones again."""

    def __len__(self) -> int:
        return len(self.true_losses)


@dataclass(frozen=True)
class StreamKind:
    """A kind of honest stream: how classifiers resemble each other, and how their true losses develop."""

    name: str
    classifiers: Classifiers
    course: Course
    teams: int = 1

    def draw(
        self, seed: np.random.SeedSequence, *, n: int, length: int, start: float = 0.30, end: float = 0.18
    ) -> Stream:
        """A stream of ``length`` submissions in all, from a true loss of ``start`` to one of ``end``.

        Several teams take turns; the losses of each go from ``start`` to an end of its own between the two.
        """
        label_seed, course_seed, *team_seeds = seed.spawn(2 + self.teams)
        labels = np.random.default_rng(label_seed).integers(0, 2, n, dtype=np.int8)
        rng = np.random.default_rng(course_seed)
        turns = np.arange(length) % self.teams
        losses = np.empty(length)
        for team in range(self.teams):
            own_end = end if self.teams == 1 else rng.uniform(end, start)
            losses[turns == team] = self.course(rng, int(np.count_nonzero(turns == team)), start, own_end)

        def submissions() -> Iterator[Array]:
            makers = [
                self.classifiers(np.random.default_rng(team_seed), labels, losses[turns == team])
                for team, team_seed in enumerate(team_seeds)
            ]
            return (next(makers[team]) for team in turns)

        return Stream(labels, turns, losses, submissions)


def nested(rng: np.random.Generator, labels: Array, true_losses: FloatArray) -> Iterator[Array]:
    """Each classifier errs on a part of the items that a worse one errs on: repairs and nothing else."""
    difficulty = rng.random(len(labels))
    return (labels ^ (difficulty < loss) for loss in true_losses)


def correlated(rng: np.random.Generator, labels: Array, true_losses: FloatArray) -> Iterator[Array]:
    """Normal difficulties, correlated by .9 between any two classifiers."""
    from scipy.special import ndtr

    shared = np.sqrt(CORRELATION) * rng.standard_normal(len(labels))
    for loss in true_losses:
        own = np.sqrt(1 - CORRELATION) * rng.standard_normal(len(labels))
        yield labels ^ (ndtr(shared + own) < loss)


def independent(rng: np.random.Generator, labels: Array, true_losses: FloatArray) -> Iterator[Array]:
    """Each classifier errs on items of its own."""
    return (labels ^ (rng.random(len(labels)) < loss) for loss in true_losses)


def improving(_rng: np.random.Generator, length: int, start: float, end: float) -> FloatArray:
    """Every submission is a little better than the one before."""
    return np.linspace(start, end, length)


def stagnating(_rng: np.random.Generator, length: int, start: float, end: float) -> FloatArray:
    """Improves over the first third; then nothing is better than what is there, and everything as good."""
    return np.maximum(np.linspace(start, start - 3 * (start - end), length), end)


def realistic(rng: np.random.Generator, length: int, start: float, end: float) -> FloatArray:
    """A tenth of the submissions is a new best; the others are trials, worse by an exponential amount."""
    is_step = rng.random(length) < 0.1
    best = start - (start - end) * np.cumsum(is_step) / max(int(is_step.sum()), 1)
    setback = np.where(is_step, 0.0, rng.exponential((start - end) / 4, length))
    return np.asarray(np.minimum(best + setback, 0.5))


STREAMS: dict[str, StreamKind] = {
    kind.name: kind
    for kind in (
        StreamKind("nested", nested, improving),
        StreamKind("correlated", correlated, improving),
        StreamKind("independent", independent, improving),
        StreamKind("stagnating", correlated, stagnating),
        StreamKind("realistic", correlated, realistic),
        StreamKind("teams", correlated, improving, teams=20),
    )
}
