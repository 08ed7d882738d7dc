"""A rehearsal of a guard: copies of one model with fresh random errors, where nothing improves after the first."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ladderboard.core.errors import ParameterError
from ladderboard.core.records import BASELINE
from ladderboard.mechanisms import require_scores
from ladderboard.mechanisms.base import Mechanism
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.metrics.inputs import Array
from ladderboard.metrics.mean_score import MeanScore

COPIES, SERIES, NOISE = 100, 200, 0.4

Progress = Callable[[int, int], None]
"""Called with the series done and their number."""


@dataclass(frozen=True)
class Rehearsal:
    """How often a throw-away guard said "improved" to copies of one model.

    ``recognised`` is the number of series in which a copy was called better than the baseline, which is true, None
    where the first copy is the reference; ``false`` the number in which a copy was called better than another, which is
    not.
    """

    mechanism: str
    series: int
    copies: int
    noise: float
    recognised: int | None
    false: int

    @property
    def false_rate(self) -> float:
        return self.false / self.series

    @property
    def interval(self) -> tuple[float, float]:
        """The exact 95 % interval of the false rate (Clopper and Pearson 1934)."""
        from scipy.stats import binomtest

        found = binomtest(self.false, self.series).proportion_ci(0.95)
        return float(found.low), float(found.high)


def rehearse(
    key: AnswerKey,
    mechanism: Mechanism,
    *,
    copies: int = COPIES,
    series: int = SERIES,
    noise: float = NOISE,
    seed: int = 0,
    progress: Progress | None = None,
) -> Rehearsal:
    """Run ``series`` of ``copies`` on guards that are thrown away, each with a secret of its own.

    A copy is right but for a share ``noise`` of the items, drawn anew each time, whose predictions are exchanged among
    one another; numbers have noise of that share of their spread. So all copies have the same true quality. Only the
    counts leave; they tell of no model.
    """
    _check(copies, series, noise)
    require_scores(mechanism, "there is nothing to rehearse")
    recognised, false, true_words = 0, 0, 0 if mechanism.certifies else 1
    for number in range(series):
        words = _count_words(key, mechanism, copies, noise, np.random.default_rng([seed, number]))
        recognised += words > 0
        false += words > true_words
        if progress is not None:
            progress(number + 1, series)
    return Rehearsal(mechanism.name, series, copies, noise, None if mechanism.certifies else recognised, false)


def _count_words(key: AnswerKey, mechanism: Mechanism, copies: int, noise: float, rng: np.random.Generator) -> int:
    """Play one series and count its "improved"."""
    state, known, words = mechanism.start(key.baseline, rng), {BASELINE: key.baseline}, 0
    for number in range(copies):
        name = str(number)
        candidate = key.evaluate(_make_copy(key, noise, rng), submission=name)
        kept = (known[state.incumbent], known[state.proof.submission])
        state, release = mechanism.step(state, candidate, kept[0], rng, proven=kept[1])
        known = {one.submission: one for one in (*kept, candidate)}
        words += release.improved
    return words


def _make_copy(key: AnswerKey, noise: float, rng: np.random.Generator) -> Array:
    """Draw a copy: numbers with the shuffled others added as noise, classes and forecasts with some exchanged."""
    if isinstance(key.metric, MeanScore):  # graded items: a share fails
        worst, best = key.metric.bounds[::-1] if key.metric.lower_is_better else key.metric.bounds
        return np.where(rng.random(len(key)) < noise, worst, best)
    perfect = _soften(key.predict_perfectly())
    if perfect.ndim == 1 and perfect.dtype.kind == "f":
        return np.asarray(perfect + noise * (rng.permutation(perfect) - perfect.mean()))
    copy = perfect.copy()
    wrong = np.flatnonzero(rng.random(len(perfect)) < noise)
    copy[wrong] = perfect[rng.permutation(wrong)]
    return copy


def _soften(perfect: Array) -> Array:
    """Make certain forecasts half as certain: one that is certain and wrong would be infinitely bad."""
    return perfect if perfect.ndim == 1 else np.asarray((perfect + perfect.mean(axis=0)) / 2)


def _check(copies: int, series: int, noise: float) -> None:
    if copies < 2 or series < 1:
        raise ParameterError(f"{copies} copies in {series} series; it takes at least 2 copies and 1 series")
    if not 0 < noise < 1:
        raise ParameterError(f"the noise is {noise}; it must lie between 0 and 1: the share of wrong predictions")
