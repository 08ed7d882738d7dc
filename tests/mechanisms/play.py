"""One analyst against one mechanism, attempt by attempt, through the labels' AnswerKey."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import numpy.typing as npt

from ladderboard.core.records import BASELINE, Evaluation, Release, State
from ladderboard.mechanisms.base import Mechanism
from ladderboard.metrics import find_metric
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.metrics.base import Metric

Codes = npt.NDArray[np.int8]


def answer_key(labels: npt.ArrayLike, metric: str | Metric = "error_rate") -> AnswerKey:
    return AnswerKey(labels, find_metric(metric))


def labels_of(n: int) -> Codes:
    """0, 1, 0, 1, …"""
    return np.asarray(np.arange(n) % 2, dtype=np.int8)


@cache
def key_of(n: int) -> AnswerKey:
    """The error rate on `labels_of`."""
    return answer_key(labels_of(n))


def wrong_on(n: int, items: Iterable[int]) -> Codes:
    """Predictions for `labels_of` that are wrong on just these items."""
    predictions = labels_of(n).copy()
    chosen = list(items)
    predictions[chosen] = 1 - predictions[chosen]
    return predictions


@dataclass
class Play:
    """The course of one run. The generator of an attempt depends on its number only, so a run can be resumed."""

    mechanism: Mechanism
    key: AnswerKey
    seed: int = 0
    releases: list[Release] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.evaluations: dict[str, Evaluation] = {BASELINE: self.key.baseline}
        self.state: State = self.mechanism.start(self.key.baseline, np.random.default_rng([self.seed, 0]))

    def submit(self, predictions: npt.ArrayLike, *, training_score: float | None = None) -> Release:
        name = f"s{self.state.attempts + 1}"
        return self.judge(self.key.evaluate(self.key.read(predictions), submission=name, training_score=training_score))

    def judge(self, candidate: Evaluation) -> Release:
        self.evaluations[candidate.submission] = candidate
        rng = np.random.default_rng([self.seed, self.state.attempts + 1])
        self.state, release = self.mechanism.step(
            self.state, candidate, self.incumbent, rng, proven=self.evaluations[self.state.proof.submission]
        )
        self.releases.append(release)
        return release

    @property
    def incumbent(self) -> Evaluation:
        return self.evaluations[self.state.incumbent]


def play(mechanism: Mechanism, n: int, *wrong: Iterable[int], seed: int = 0) -> list[Release]:
    """The releases for submissions to n items that are wrong on those items, under the error rate."""
    run = Play(mechanism, key_of(n), seed)
    return [run.submit(wrong_on(n, items)) for items in wrong]


def told(releases: Iterable[Release]) -> list[tuple[bool, float | None]]:
    """(accepted, value) of each release."""
    return [(release.accepted, release.value) for release in releases]
