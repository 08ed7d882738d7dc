"""How often a gain that is called usually shown, or usually proven, is: every metric, three sizes, several data.

python -m benchmarks.gains                                    # all metrics: half an hour
python -m benchmarks.gains rmse log_loss --data t5 --runs 300 --sharpness 3

A candidate has exactly the true gain that the board tells, and losses that correlate by one half with those of the
entry on the board. Wanted is a share of .70 to .90 in each cell; "–": the models here cannot be that much better, or
the gain cannot be said.
"""

import argparse
import math
from dataclasses import dataclass
from functools import cache, partial
from typing import Literal

import numpy as np
from scipy.interpolate import PchipInterpolator

from benchmarks.coverage.models import COVERED, DATA, FORECASTS, SLOW, Data, Items, draw_items, predict
from ladderboard.core.errors import LadderboardError
from ladderboard.core.precision import released_standard_error
from ladderboard.core.records import BASELINE, Evaluation, FloatArray, Proof, State
from ladderboard.guard.gains import estimate_gains
from ladderboard.mechanisms.witness_ladder import WitnessLadder
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.metrics.inputs import Array, Numbers

Word = Literal["shown", "proven"]
WORDS: tuple[Word, Word] = ("shown", "proven")
BLURS = np.array([0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 1.8, 2.2, 3.0, 5.0, 8.0, 14.0])
FIRST_BLUR = {300: 1.5, 1000: 1.0, 4000: 0.8}
"""Of the entry on the board, so that a proven gain is within reach."""
SHARPNESS = 0.8
"""How confident forecasts are: they are about calibrated at .8, and overconfident at 3."""


@dataclass(frozen=True)
class Rate:
    """Of ``said`` attempts with the gain that was told, how many reached the word."""

    runs: int
    said: int
    reached: int

    @property
    def share(self) -> float:
        return self.reached / max(1, self.said)


@dataclass(frozen=True)
class Setting:
    """A kind of model on a kind of data."""

    metric: str
    data: Data
    sharpness: float = SHARPNESS

    def forecast(self, items: Items, blur: float, noise: FloatArray) -> tuple[Array, Array]:
        """Labels, and the predictions of a model that adds that noise."""
        if self.metric in FORECASTS:
            return items.labels, 1 / (1 + np.exp(-self.sharpness * (items.signal + blur * noise)))
        return predict(self.metric, items, blur, _Given(noise))

    @cache  # noqa: B019 (frozen, and few)
    def true_scores(self) -> PchipInterpolator:
        """The score by blur on a population."""
        rounds, size = (20, 1500) if self.metric in SLOW else (4, 40_000)
        rng = np.random.default_rng(17)
        scores = np.zeros(len(BLURS))
        for _ in range(rounds):
            items = draw_items(self.metric, self.data, size, rng)
            noise = rng.normal(size=len(items.signal))
            scores += [COVERED[self.metric].score(*self.forecast(items, float(b), noise)) for b in BLURS]
        return PchipInterpolator(BLURS, scores / rounds)

    def find_blur(self, score: float) -> float | None:
        """The blur of a model with that true score; None: there is none."""
        fine = np.linspace(0, BLURS[-1], 3000)
        scores = self.true_scores()(fine)
        if not scores.min() <= score <= scores.max():
            return None
        return float(fine[np.argmin(np.abs(scores - score))])

    @cache  # noqa: B019 (frozen, and few)
    def find_overlap(self, blur: float, better: float) -> float:
        """How much of the entry's noise a candidate shares where their losses correlate by one half."""
        low, high = -1.0, 1.0
        for _ in range(8):
            middle = (low + high) / 2
            low, high = (middle, high) if self._correlate(blur, better, middle) < 0.5 else (low, middle)
        return (low + high) / 2

    def _correlate(self, blur: float, better: float, overlap: float) -> float:
        rng = np.random.default_rng(5)
        items = draw_items(self.metric, self.data, 1500 if self.metric in SLOW else 6000, rng)
        noise = rng.normal(size=len(items.signal))
        labels, first = self.forecast(items, blur, noise)
        _, second = self.forecast(items, better, share_noise(noise, overlap, rng))
        key = AnswerKey(labels, COVERED[self.metric])
        one, other = (key.evaluate(key.read(p)).losses for p in (first, second))
        return float(np.asarray(np.corrcoef(one, other))[0, 1])


class _Given(np.random.Generator):
    """A generator whose normal numbers are given."""

    def __init__(self, noise: FloatArray) -> None:
        super().__init__(np.random.PCG64(0))
        self._noise = noise

    def normal(self, *_: object, **__: object) -> FloatArray:  # type: ignore[override]  # whatever is asked for
        return self._noise


def share_noise(noise: FloatArray, overlap: float, rng: np.random.Generator) -> FloatArray:
    """Noise of the same size that shares so much with the given one."""
    return overlap * noise + math.sqrt(1 - overlap**2) * rng.normal(size=len(noise))


def measure_later(setting: Setting, n: int, *, runs: int, seed: int = 0) -> dict[Word, Rate]:
    """Attempts after a proven entry."""
    rng, reached, said = np.random.default_rng([seed, n]), dict.fromkeys(WORDS, 0), dict.fromkeys(WORDS, 0)
    blur = FIRST_BLUR[n]
    for _ in range(runs):
        items = draw_items(setting.metric, setting.data, n, rng)
        noise = rng.normal(size=len(items.signal))
        labels, predictions = setting.forecast(items, blur, noise)
        try:
            key = AnswerKey(labels, COVERED[setting.metric])
            start = WitnessLadder().start(key.baseline, rng)
        except LadderboardError:
            continue  # too few of a class
        entry = key.evaluate(key.read(predictions), submission="entry")
        state = stand_on(entry, start)
        told = estimate_gains(WitnessLadder(), key.yardstick, state)
        before = key.yardstick.loss(float(setting.true_scores()(blur)))
        for word, gain in zip(WORDS, (told.shown, told.proven), strict=True):
            better = None if gain is None else setting.find_blur(key.yardstick.score(before - gain))
            if better is None:
                continue
            overlap = setting.find_overlap(blur, round(better, 1))
            _, predictions = setting.forecast(items, better, share_noise(noise, overlap, rng))
            candidate = key.evaluate(key.read(predictions), submission="candidate")
            release = WitnessLadder().step(state, candidate, entry, rng, proven=entry)[1]
            said[word] += 1
            reached[word] += release.accepted if word == "shown" else release.improved
    return {word: Rate(runs, said[word], reached[word]) for word in WORDS}


def measure_first(setting: Setting, n: int, *, runs: int, seed: int = 0) -> dict[Word, Rate]:
    """First attempts, over the baseline; of numbers only squared and absolute errors."""
    rng, reached, said = np.random.default_rng([seed, n]), dict.fromkeys(WORDS, 0), dict.fromkeys(WORDS, 0)
    for _ in range(runs):
        items = draw_items(setting.metric, setting.data, n, rng)
        noise = rng.normal(size=len(items.signal))
        labels, _ = setting.forecast(items, 0.0, noise)
        try:
            key = AnswerKey(labels, COVERED[setting.metric])
            state = WitnessLadder().start(key.baseline, rng)
        except LadderboardError:
            continue
        told = estimate_gains(WitnessLadder(), key.yardstick, state)
        before = key.yardstick.loss(key.yardstick.baseline_score)
        for word, gain in zip(WORDS, (told.shown, told.proven), strict=True):
            predictions = None if gain is None else forecast_first(setting, items, before - gain, before, noise)
            if predictions is None:
                continue
            candidate = key.evaluate(key.read(predictions), submission="candidate")
            release = WitnessLadder().step(state, candidate, key.baseline, rng, proven=key.baseline)[1]
            said[word] += 1
            reached[word] += release.accepted if word == "shown" else release.improved
    return {word: Rate(runs, said[word], reached[word]) for word in WORDS}


def forecast_first(setting: Setting, items: Items, loss: float, before: float, noise: FloatArray) -> Array | None:
    """Predictions with that true loss; of numbers with squared errors that correlate by one half with the baseline's.

    The blurred models predict numbers that are too far from the mean: no weak regression errs like that.
    """
    metric = COVERED[setting.metric]
    if isinstance(metric.kind, Numbers):
        if setting.metric not in ("mse", "rmse", "mae"):
            return None
        spread = float(np.std(items.labels))
        shrunk = math.sqrt(loss / before) if setting.metric == "mse" else loss / before
        centred = items.labels - items.labels.mean()
        return np.asarray(items.labels - shrunk * (centred + spread * noise) / math.sqrt(2))
    blur = setting.find_blur(loss if metric.lower_is_better else -loss)
    return None if blur is None else setting.forecast(items, blur, noise)[1]


def stand_on(entry: Evaluation, start: State) -> State:
    """The state of a team whose first attempt was proven, whether or not it would have been by luck."""
    mechanism = WitnessLadder()
    value = mechanism.testimony(entry, entry.on(mechanism.list_parts(start, entry)[1]))
    error = released_standard_error(value, entry.contributions, entry.yardstick)
    assert start.incumbent == BASELINE
    return State(1, 1, value, "entry", start.memory, error, Proof("entry", value, 1))


def main() -> None:
    """Print a line for each cell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("metrics", nargs="*", default=list(COVERED), metavar="METRIC")
    parser.add_argument("--data", nargs="+", default=["well-behaved", "t5"], choices=DATA)
    parser.add_argument("--sizes", nargs="+", type=int, default=list(FIRST_BLUR), choices=list(FIRST_BLUR))
    parser.add_argument("--runs", type=int, default=150)
    parser.add_argument("--sharpness", type=float, default=SHARPNESS)
    given = parser.parse_args()
    print(f"{'metric':24}{'data':14}{'n':>6}{'first: shown':>14}{'proven':>9}{'later: shown':>14}{'proven':>9}")
    for n in given.sizes:
        for metric in given.metrics:
            for data in given.data:
                measure = [
                    partial(one, Setting(metric, data, given.sharpness), n, runs=given.runs)
                    for one in (measure_first, measure_later)
                ]
                cells = [rate for one in measure for rate in one().values()]
                shown = [f"{rate.share:.2f}" if rate.said > 0.2 * rate.runs else "–" for rate in cells]
                print(f"{metric:24}{data:14}{n:>6}{shown[0]:>14}{shown[1]:>9}{shown[2]:>14}{shown[3]:>9}", flush=True)


if __name__ == "__main__":
    main()
