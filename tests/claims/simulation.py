"""Streams of submissions and a bench to run mechanisms on them, for the seeded claims."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ladderboard.core.records import Evaluation, Release, State
from ladderboard.mechanisms.base import Mechanism
from ladderboard.metrics import find_metric
from ladderboard.metrics.answer_key import AnswerKey

Labels = npt.NDArray[np.int8]
Stream = Callable[[np.random.Generator, Labels, npt.NDArray[np.float64]], Iterator[Labels]]


@dataclass
class Bench:
    """One analyst, one holdout, one mechanism; remembers what a claim needs to look at."""

    mechanism: Mechanism
    labels: npt.ArrayLike
    metric: str = "error_rate"
    seed: int = 0
    releases: list[Release] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.key = AnswerKey(self.labels, find_metric(self.metric))
        self.rng = np.random.default_rng((self.seed, 1))
        self.state: State = self.mechanism.start(self.key.baseline, np.random.default_rng((self.seed, 2)))
        self.incumbent: Evaluation = self.key.baseline

    def submit(self, predictions: npt.ArrayLike) -> Release:
        candidate = self.key.evaluate(self.key.read(predictions), submission=str(self.state.attempts + 1))
        self.state, release = self.mechanism.step(self.state, candidate, self.incumbent, self.rng)
        if release.accepted:
            self.incumbent = candidate
        self.releases.append(release)
        return release


def nested(rng: np.random.Generator, y: Labels, true_losses: npt.NDArray[np.float64]) -> Iterator[Labels]:
    """Each classifier repairs some errors of the one before and makes no new ones."""
    u = rng.random(len(y))
    return (y ^ (u < loss) for loss in true_losses)


def independent(rng: np.random.Generator, y: Labels, true_losses: npt.NDArray[np.float64]) -> Iterator[Labels]:
    """Each classifier errs on items of its own."""
    return (y ^ (rng.random(len(y)) < loss) for loss in true_losses)


def correlated(rng: np.random.Generator, y: Labels, true_losses: npt.NDArray[np.float64]) -> Iterator[Labels]:
    """Latent difficulties with correlation .9 between any two classifiers."""
    from scipy.special import ndtr

    shared = rng.standard_normal(len(y))
    for loss in true_losses:
        own = rng.standard_normal(len(y))
        yield y ^ (ndtr(np.sqrt(0.9) * shared + np.sqrt(0.1) * own) < loss)


STREAMS: dict[str, Stream] = {"nested": nested, "correlated": correlated, "independent": independent}


def coin_flips(seed: int, n: int) -> Labels:
    """Labels without any structure: every classifier's true loss is one half."""
    return np.random.default_rng((seed, 0)).integers(0, 2, n, dtype=np.int8)


def pair_flip(bench: Bench, submissions: int, *, flips: int = 2) -> Labels:
    """The hill-climb: flip ``flips`` items of the best so far, keep what the release calls an accept."""
    rng = np.random.default_rng((bench.seed, 3))
    n = len(bench.key)
    best = rng.integers(0, 2, n, dtype=np.int8)
    bench.submit(best)
    for _ in range(submissions - 1):
        trial = best.copy()
        trial[rng.integers(0, n, flips)] ^= 1
        if bench.submit(trial).accepted:
            best = trial
    return best
