"""Metric adapters, which run attacks made for the two-class error rate on other metrics.

Such an attack predicts 0 or 1 for each item and expects a loss that is one half by chance. An adapter turns its bits
into predictions for the metric, and the metric's values into such losses; differences keep their size.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

import ladderboard as lb
from ladderboard_lab.attacks.base import Attack, Yield
from ladderboard_lab.participant import Array, Briefing, FloatArray, Participant
from ladderboard_lab.problems.base import Problem

SPREAD, SHIFT = 2.0, 4.0
"""How far guesses are from the middle, times √n: numbers in standard deviations of the labels, probabilities in log
odds. Nearer to the middle there is little to win by luck, farther off guessing costs more than luck brings."""


@dataclass(frozen=True, eq=False)
class MetricAdapter:
    """An adapter: 0 and 1 become the predictions ``low`` and ``high``; ``briefing`` is what the attack sees."""

    low: Array
    high: Array
    briefing: Briefing
    lower_is_better: bool
    takes_constants: bool
    """Whether the metric has a value for equal predictions; where not, the first bit is turned over."""
    chance: float = 0.0
    """The true loss of random bits, as the metric has it."""

    def predictions(self, bits: Array) -> Array:
        """Convert bits to predictions for the metric; undecided values between 0 and 1 count as 1."""
        ones = np.asarray(bits, dtype=np.float64) >= 0.5
        if not self.takes_constants and ones.all() == ones.any():
            ones[0] = not ones[0]
        table = np.stack([self.low, self.high])
        return np.asarray(table[ones.astype(np.intp)])

    def loss(self, value: float | None) -> float | None:
        """Convert a value of the metric to a loss that is one half by chance."""
        if value is None:
            return None
        return (value if self.lower_is_better else -value) - self.chance + 0.5


def make_adapter(problem: Problem) -> MetricAdapter:
    """Make the adapter through which two-class attacks run on a problem."""
    low, high = _guesses(problem)
    bits, usable = _find_known_bits(problem, low, high)
    briefing = Briefing(
        metric="error_rate",
        lower_is_better=True,
        items=problem.briefing.items,
        classes=2,
        known_items=problem.briefing.known_items[usable],
        known_labels=bits[usable],
    )
    takes_constants = _takes_constants(problem, high)
    unmeasured = MetricAdapter(low, high, briefing, problem.briefing.lower_is_better, takes_constants)
    half = np.arange(problem.briefing.items) % 2  # labels are shuffled: any bits are as good as random ones
    chance = problem.briefing.loss(problem.true_score(unmeasured.predictions(half)))
    return replace(unmeasured, chance=chance)


@dataclass(frozen=True)
class AdaptedAttack(Attack):
    """An attack run through an adapter."""

    name: ClassVar[str] = "disguised"
    attack: Attack
    adapter: MetricAdapter

    def misfit(self, briefing: Briefing) -> str | None:
        return self.attack.misfit(self.adapter.briefing)

    @property
    def yields(self) -> Yield:  # type: ignore[override]  # what is inside yields the same through an adapter
        return self.attack.yields

    def run(self, participant: Participant, *, budget: int, rng: np.random.Generator) -> Array:
        hidden = _AdaptedParticipant(participant, self.adapter)
        result = self.attack.run(hidden, budget=budget, rng=rng)
        return self.adapter.predictions(result) if self.yields in ("predictions", "labels") else result


class _AdaptedParticipant:
    """The account as the attack sees it."""

    def __init__(self, participant: Participant, adapter: MetricAdapter) -> None:
        self.briefing = adapter.briefing
        self._participant, self._adapter = participant, adapter

    def submit(self, predictions: Array, *, training_score: float | None = None) -> "lb.Release":
        adapter = self._adapter
        release = self._participant.submit(adapter.predictions(predictions), training_score=training_score)
        return replace(release, value=adapter.loss(release.value), board_value=adapter.loss(release.board_value))

    def account(self, name: str) -> "_AdaptedParticipant":
        return _AdaptedParticipant(self._participant.account(name), self._adapter)


def _takes_constants(problem: Problem, prediction: Array) -> bool:
    try:
        problem.public_score(np.stack([prediction] * problem.briefing.items))
    except lb.UndefinedMetricError:
        return False
    return True


def _guesses(problem: Problem) -> tuple[Array, Array]:
    """Choose the predictions that stand for 0 and 1."""
    takes, labels = problem.metric.kind.takes, problem.labels
    if problem.metric.kind.has_columns and takes != "numbers":
        return np.zeros(labels.shape[1]), np.ones(labels.shape[1])
    if takes == "classes":
        first, second = np.argsort(-np.bincount(labels), kind="stable")[:2]
        return np.asarray(min(first, second)), np.asarray(max(first, second))
    if takes in ("scores", "survival"):
        return np.asarray(0.0), np.asarray(1.0)
    if takes == "probabilities":
        shift = SHIFT / len(labels) ** 0.5
        return _shift_shares(labels, -shift), _shift_shares(labels, shift)
    smallest = getattr(problem.metric.kind, "smallest", -np.inf)
    middle, spread = np.mean(labels, axis=0), SPREAD * np.std(labels, axis=0) / len(labels) ** 0.5
    return np.asarray(np.maximum(smallest, middle - spread)), np.asarray(middle + spread)


def _shift_shares(labels: Array, shift: float) -> FloatArray:
    """The shares of the classes with the log odds of the last two moved; of two classes the second's share alone."""
    logits = np.log(np.maximum(np.bincount(labels), 0.5) / len(labels))
    logits[-1] += shift / 2
    logits[-2] -= shift / 2
    shares = np.exp(logits) / np.exp(logits).sum()
    return np.asarray(shares[1] if len(shares) == 2 else shares)


def _find_known_bits(problem: Problem, low: Array, high: Array) -> tuple[Array, Any]:
    """The better bit of each known item, and for which of them there is one."""
    known = problem.briefing.known_labels
    takes, classes = problem.metric.kind.takes, problem.briefing.classes
    if problem.metric.kind.has_columns:
        return np.zeros(len(known), dtype=np.int8), np.zeros(len(known), dtype=bool)
    if takes == "classes":
        return (known == high).astype(np.int8), (known == high) | (known == low)
    if takes == "numbers":
        return (known > (low + high) / 2).astype(np.int8), np.ones(len(known), dtype=bool)
    if classes == 2:
        return known.astype(np.int8), np.ones(len(known), dtype=bool)
    if takes == "probabilities":
        return (known == classes - 1).astype(np.int8), known >= classes - 2
    return np.zeros(len(known), dtype=np.int8), np.zeros(len(known), dtype=bool)
