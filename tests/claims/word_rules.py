"""Rules for the word "improved" compared on honest streams of 0/1 losses, simulated without a board around them.

python -m tests.claims.word_rules        # the table of docs/decisions/levels-until-a-test-fails.md, about a minute
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from ladderboard.inference.pairwise import mcnemar_p_value
from ladderboard.mechanisms.proof import find_weight

ALPHA = 0.05
LIKENESS = 0.8
STREAMS = {250: 300, 1000: 300, 5000: 100}
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Rule:
    """A variant. So many ``readings`` halve the level; ``is_former``: α/(i(i + 1)), i the accepts since a proof."""

    name: str
    gate: float = 1 / 3
    weight: Callable[[int], float] = find_weight
    readings: float = 8
    foreseen: float = 1.28
    is_former: bool = False


@dataclass
class Board:
    """The Witness Ladder for the error rate, on right answers instead of predictions."""

    rule: Rule
    gate: Mask
    incumbent: Mask
    proven: Mask
    proven_value: float
    attempts: int = 0
    accepts: int = 0
    failed: int = 0
    proof_accepts: int = 0
    witness: Mask = field(init=False)

    def __post_init__(self) -> None:
        self.witness = ~self.gate

    def submit(self, right: Mask) -> bool:
        """Judge one submission; whether it is improved."""
        self.attempts += 1
        if not self._passes(right):
            return False
        self.accepts, self.incumbent = self.accepts + 1, right
        value = self._testify(right)
        improved = self._test(right, is_better=value < self.proven_value)
        if improved:
            self.proven, self.proven_value, self.proof_accepts = right, value, self.accepts
        return improved

    def _passes(self, right: Mask) -> bool:
        if self.accepts == 0:
            return self._p_value(right, self.incumbent, self.gate) <= ALPHA / self.attempts
        n, loss = len(right), 1 - float(self.incumbent[self.gate].mean())
        step = 0.5 * (1 + self.accepts / 8) * max(math.sqrt(loss * (1 - loss) / n), 0.05 / math.sqrt(n))
        return float(right[self.gate].mean() - self.incumbent[self.gate].mean()) >= step

    def _testify(self, right: Mask) -> float:
        n, loss = len(right), 1 - float(right.mean())
        worse = max(loss, 1 - float(right[self.witness].mean()) - math.sqrt(loss * (1 - loss) / n))
        return round(math.asin(math.sqrt(worse)) * 4 * math.sqrt(n))

    def _test(self, right: Mask, *, is_better: bool) -> bool:
        p_value = self._p_value(right, self.proven, self.witness)
        if self.rule.is_former:
            since = self.accepts - self.proof_accepts
            return is_better and p_value <= ALPHA / (since * (since + 1))
        level = ALPHA * self.rule.weight(self.failed + 1) / (1 + (self.accepts - 1) / self.rule.readings)
        advantage = -float(ndtri(self._p_value(right, self.proven, self.gate)))
        if 0.8 * math.sqrt(self.witness.sum() / self.gate.sum()) * advantage < -ndtri(level) - self.rule.foreseen:
            return False
        passes = is_better and p_value <= level
        self.failed += not passes
        return passes

    @staticmethod
    def _p_value(right: Mask, before: Mask, units: Mask) -> float:
        return mcnemar_p_value(
            int(np.count_nonzero(right & ~before & units)), int(np.count_nonzero(before & ~right & units))
        )


ERRORS: dict[str, Callable[[int], float]] = {
    "improving": lambda position: 0.35 - 0.13 * position / 59,
    "plateaus": lambda position: 0.35 - 0.013 * (position // 30),
    "flat": lambda _: 0.3,
}
LENGTHS = {"improving": 60, "plateaus": 300, "flat": 300}


def run_stream(kind: str, rule: Rule, *, n: int, rng: np.random.Generator) -> tuple[int, float, bool]:
    """Words, the true error of the last proven entry, and whether a word was false."""
    gate = np.zeros(n, dtype=bool)
    gate[rng.permutation(n)[: int(rule.gate * n + rng.random())]] = True
    baseline, hardness = np.arange(n) % 2 == 0, rng.normal(size=n)
    board = Board(rule, gate, baseline, baseline, round(math.asin(math.sqrt(0.5)) * 4 * math.sqrt(n)))
    words, proven, is_false = 0, 0.5, False
    for position in range(LENGTHS[kind]):
        error = ERRORS[kind](position)
        difficulty = math.sqrt(LIKENESS) * hardness + math.sqrt(1 - LIKENESS) * rng.normal(size=n)
        if board.submit(difficulty >= ndtri(error)):
            words, is_false, proven = words + 1, is_false or not error < proven, error
    return words, proven, is_false


def run_streams(kind: str, rule: Rule, *, n: int, streams: int) -> tuple[float, float, float]:
    """The means of words, regret in null standard errors, and streams with a false word."""
    runs = [run_stream(kind, rule, n=n, rng=np.random.default_rng([n, one])) for one in range(streams)]
    words, proven, false = (np.array(column, dtype=float) for column in zip(*runs, strict=True))
    best = ERRORS[kind](LENGTHS[kind] - 1)
    return float(words.mean()), float((proven - best).mean() / (0.5 / math.sqrt(n))), float(false.mean())


RULES = (
    Rule("the rule before, gate 1/2", gate=1 / 2, is_former=True),
    Rule("this rule, gate 1/2", gate=1 / 2),
    Rule("gate 1/3"),
    Rule("gate 1/4", gate=1 / 4),
    Rule("gate 1/3, w = 1/(m(m+1))", weight=lambda m: 1 / (m * (m + 1))),
    Rule("gate 1/3, w = .4·.6^(m-1)", weight=lambda m: 0.4 * 0.6 ** (m - 1)),
    Rule("gate 1/3, no charge", readings=math.inf),
    Rule("gate 1/3, charge 1 + L/4", readings=4),
    Rule("gate 1/3, no free look", foreseen=math.inf),
)


def main() -> None:
    """Print the table."""
    for rule in RULES:
        cells: list[Any] = []
        for n, streams in STREAMS.items():
            words, regret, _ = run_streams("improving", rule, n=n, streams=streams)
            cells.append(f"{words:.2f} / {regret:.1f}")
        words, _, false = run_streams("plateaus", rule, n=1000, streams=150)
        flat = run_streams("flat", rule, n=1000, streams=300)[2]
        row = " | ".join([*cells, f"{words:.2f}", f"{false:.3f}", f"{flat:.3f}"])
        print(f"{rule.name:28} | {row}", flush=True)  # noqa: T201 (its table)


if __name__ == "__main__":
    main()
