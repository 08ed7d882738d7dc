"""How often "improved" is said, how far its last entry stays behind the best, and how often it is false.

python -m tests.claims.proofs        # honest and flat streams of 60 submissions, two shares of the gate
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ladderboard.core.records import BASELINE
from ladderboard.mechanisms.witness_ladder import WitnessLadder
from ladderboard.metrics import METRICS
from ladderboard.metrics.answer_key import AnswerKey

Kind = Literal["improving", "plateaus", "flat", "guessing"]
LENGTH = 60
PLATEAUS = 10
WORST, BEST = 0.35, 0.22
"""The true errors of the first and the last submission of an improving stream."""
LIKENESS = 0.8
"""How much of what makes an item hard is the same for all submissions."""


@dataclass(frozen=True)
class Stream:
    """What one analyst heard: how many words, whether one was false, the true error of the last proven entry."""

    words: int
    is_false: bool
    proven_error: float
    covers: bool
    """Whether the last interval has the incumbent's true error in it."""


@dataclass(frozen=True)
class Streams:
    """The means over streams; ``regret`` is in null standard errors."""

    words: float
    regret: float
    false: float
    covers: float


def true_error(kind: Kind, position: int) -> float:
    if kind == "improving":
        return WORST - (WORST - BEST) * position / (LENGTH - 1)
    if kind == "plateaus":
        return WORST - (WORST - BEST) * (position * PLATEAUS // LENGTH) / (PLATEAUS - 1)
    return 0.3 if kind == "flat" else 0.5


def run_stream(kind: Kind, mechanism: WitnessLadder, *, n: int, rng: np.random.Generator) -> Stream:
    """Submit the stream to a fresh holdout of n items with two classes."""
    from scipy.special import ndtri

    labels, hardness = np.arange(n) % 2, rng.normal(size=n)
    key = AnswerKey(labels, METRICS["error_rate"])
    state = mechanism.start(key.baseline, rng)
    known, errors = {BASELINE: key.baseline}, {BASELINE: 0.5}
    words, is_false, likeness = 0, False, 0.0 if kind == "guessing" else LIKENESS
    for position in range(LENGTH):
        name, error = f"{position}", true_error(kind, position)
        difficulty = math.sqrt(likeness) * hardness + math.sqrt(1 - likeness) * rng.normal(size=n)
        predictions = np.where(difficulty < ndtri(error), 1 - labels, labels)
        known[name], errors[name] = key.evaluate(key.read(predictions), submission=name), error
        before = state
        state, release = mechanism.step(
            state, known[name], known[state.incumbent], rng, proven=known[state.proof.submission]
        )
        if release.improved:
            words += 1
            is_false |= not error < errors[before.proof.submission]
    interval = mechanism.tell_interval(state, key.yardstick)
    covers = interval is not None and interval[0] <= errors[state.incumbent] <= interval[1]
    return Stream(words, is_false, errors[state.proof.submission], covers)


def run_streams(kind: Kind, *, n: int, streams: int, gate_share: float = 0.5, seed: int = 0) -> Streams:
    """The means over ``streams`` streams."""
    mechanism = WitnessLadder(gate_share=gate_share)
    runs = [run_stream(kind, mechanism, n=n, rng=np.random.default_rng([seed, n, one])) for one in range(streams)]
    best = true_error(kind, LENGTH - 1)
    error = 0.5 / math.sqrt(n)
    return Streams(
        words=float(np.mean([run.words for run in runs])),
        regret=float(np.mean([(run.proven_error - best) / error for run in runs])),
        false=float(np.mean([run.is_false for run in runs])),
        covers=float(np.mean([run.covers for run in runs])),
    )


if __name__ == "__main__":
    print(f"{'stream':12}{'n':>6}{'gate':>6}{'words':>8}{'regret':>8}{'false':>8}{'covers':>8}")  # noqa: T201 (its table)
    kinds: tuple[Kind, ...] = ("improving", "plateaus", "flat", "guessing")
    for share in (1 / 2, 1 / 3):
        for n in (250, 1000, 5000):
            for kind in kinds:
                found = run_streams(kind, n=n, streams=200, gate_share=share)
                numbers = (found.words, found.regret, found.false, found.covers)
                print(f"{kind:12}{n:6}{share:6.2f}" + "".join(f"{one:8.3f}" for one in numbers), flush=True)  # noqa: T201
