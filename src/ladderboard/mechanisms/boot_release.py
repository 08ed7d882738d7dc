"""The base class of mechanisms that release a bootstrap average of the best submission's score."""

import sys
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ladderboard.core.errors import ParameterError
from ladderboard.core.records import Evaluation, State, Yardstick
from ladderboard.mechanisms.base import Mechanism, Ruling, clip_to_bounds
from ladderboard.mechanisms.bootstrap import replicates_at

LARGEST_GAMMA = 10
SIGNIFICANT_DIGITS = 6
"""Of a release; what lies below is far below its noise."""
POSSIBLE_NUMBERS = 18 * 10.0 ** (SIGNIFICANT_DIGITS - 1) * (sys.float_info.max_10_exp - sys.float_info.min_10_exp + 1)
"""All numbers of so many digits, with either sign: what a release can be, whatever the metric."""


@dataclass(frozen=True, kw_only=True)
class BootRelease(Mechanism):
    """A ladder that releases a bootstrap average; a subclass says what passes and how the average is drawn."""

    shows_scores: ClassVar[bool] = True
    has_gate: ClassVar[bool] = True
    tells_every_attempt: ClassVar[bool] = False
    may_fall: ClassVar[bool] = True
    corrects_for_attempts: ClassVar[bool] = False
    starts_from_baseline: ClassVar[bool] = False
    has_intervals: ClassVar[bool] = False
    releases_standard_error: ClassVar[bool] = False
    is_noisy: ClassVar[bool] = True
    has_budget: ClassVar[bool] = False
    needs_training_score: ClassVar[bool] = False
    satisfies_theorem_3_1: ClassVar[bool] = False
    is_compared: ClassVar[bool] = False

    gamma: float = 0.0
    least_replicates: int = 1
    redraw: bool = False

    @abstractmethod
    def passes(self, candidate: Evaluation, incumbent: Evaluation, rng: np.random.Generator) -> bool:
        """Whether the candidate is better than the incumbent."""

    @abstractmethod
    def first_replicates(self) -> int:
        """b_0, the replicates behind a release at the first attempt."""

    @abstractmethod
    def average(self, evaluation: Evaluation, replicates: int, rng: np.random.Generator) -> float:
        """The mean of b bootstrap scores."""

    def rule(self, state: State, candidate: Evaluation, incumbent: Evaluation, rng: np.random.Generator) -> Ruling:
        if state.released is None or self.passes(candidate, incumbent, rng):
            value = self.draw_number(state, candidate, rng)
            return Ruling(True, True, value, value)
        return self.reject(state, incumbent, rng)

    def witness_share(self) -> float:
        """b/(b + 1) of the fewest replicates: the average of b of them varies by 1/b of what the score does."""
        b = self.first_replicates() if self.gamma == 0 else self.least_replicates
        return b / (b + 1)

    def answer_undefined(self, state: State, incumbent: Evaluation, rng: np.random.Generator) -> Ruling:
        return self.reject(state, incumbent, rng)

    def reject(self, state: State, incumbent: Evaluation, rng: np.random.Generator) -> Ruling:
        """The stored number, or with ``redraw`` a fresh average of the incumbent's scores."""
        if not self.redraw or state.released is None:
            return self.repeat_number(state)
        value = self.draw_number(state, incumbent, rng)
        return Ruling(False, False, value, value)

    def tells_new_numbers(self) -> bool:
        return self.redraw

    def values_per_release(self, yardstick: Yardstick) -> float:
        return POSSIBLE_NUMBERS

    def draw_number(self, state: State, best: Evaluation, rng: np.random.Generator) -> float:
        """Draw the number released for ``best`` at this attempt."""
        b = replicates_at(state.attempts, first=self.first_replicates(), least=self.least_replicates, gamma=self.gamma)
        shown = float(f"{self.average(best, b, rng):.{SIGNIFICANT_DIGITS}g}")
        return clip_to_bounds(shown, best.yardstick)

    def _check_release(self) -> None:
        first, least = self.first_replicates(), self.least_replicates
        if not 1 <= least <= first:
            raise ParameterError(f"{first} replicates behind a release, at least {least}; 1 ≤ least ≤ first is needed")
        if not 0 <= self.gamma <= LARGEST_GAMMA:
            raise ParameterError(f"gamma is {self.gamma}; it must lie between 0 and {LARGEST_GAMMA}")
