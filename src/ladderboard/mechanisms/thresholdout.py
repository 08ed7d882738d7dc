"""Thresholdout: the reusable holdout, which checks claims made on the training set (Dwork et al. 2015)."""

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ladderboard.core.bounds import overfit_bound
from ladderboard.core.errors import ParameterError
from ladderboard.core.records import Budget, Evaluation, Leakage, State, Yardstick
from ladderboard.mechanisms.base import Family, Mechanism, Ruling, Variants
from ladderboard.mechanisms.laplace import (
    check_positive,
    find_loss_width,
    is_repetition,
    laplace,
    noisy_score,
    noisy_values,
)
from ladderboard.mechanisms.participant_words import LOSS_WIDTH, NEW_NOISE, ParticipantWords


@dataclass(frozen=True)
class Thresholdout(Mechanism):
    """Confirm the score on the training set where the holdout agrees; answer with noise where it does not.

    T̂ = T + γ. If |score on the holdout − score on the training set| > T̂ + η the submission overfits: the answer is the
    holdout's score + ξ, a new γ is drawn, and one of B such answers is used up. Otherwise the answer is the training
    score. γ ~ Lap(2σ), η ~ Lap(4σ), ξ ~ Lap(σ). The board shows the best answer so far.

    >>> from ladderboard.guard.leaderboard import Leaderboard
    >>> board = Leaderboard([0, 1] * 5000, mechanism=Thresholdout(), seed=1)
    >>> board.submit("us", [0, 1] * 4000 + [0] * 2000, training_score=0.11).value      # .1 on the holdout: confirmed
    0.11

    Parameters
    ----------
    threshold
        T > 0. Default: 4/√n times the width of the losses.
    noise
        σ > 0. Default: 1/√n times that width.
    budget
        B ≥ 1, the overfit answers after which the holdout is spent; the papers leave it to the user.
    loss_width
        How far apart the losses of two items can be; needed where the metric is not bounded.
    redraw
        True: every query is answered with its own number and fresh noise, as in the papers. False: an answer that is
        no better than the board, and the incumbent sent in again, get the stored number.
        ``State.memory`` holds ``"threshold"`` (T̂) and ``"budget"`` (what is left of B).

    Notation
    --------
    T → ``threshold``; σ → ``noise``; B → ``budget``; the two scores → ``Evaluation.score`` and
    ``Evaluation.training_score``; n → ``Yardstick.units``.

    Guarantee
    ---------
    For means of losses in [0, 1] and i.i.d. items each overfit answer costs 2/(n·σ) of differential privacy (the
    threshold as much as the answer), confirmations nothing, whatever their number; a budget of B composes to about
    (2/(n·σ))·√(2B·ln(1/δ)), to which the distance between answers and the truth is proportional, beside T and the
    noise (the long version has the constants). For other metrics it is a heuristic.

    Departures
    ----------
    A board of best answers, and ``redraw=False``, are ours. Answers are cut off at the metric's bounds and shown
    without the digits below the noise. A claimed training score is taken on trust: by T it can be a lie.

    Reference
    ---------
    Dwork, Feldman, Hardt, Pitassi, Reingold & Roth 2015, The reusable holdout, Science 349; the same authors,
    Generalization in adaptive data analysis and holdout reuse (arXiv 1506.02629), Algorithm Thresholdout.
    """

    name: ClassVar[str] = "thresholdout"
    label: ClassVar[str] = "threshold"
    family: ClassVar[Family] = "noise"
    promise: ClassVar[str] = (
        "confirms scores near those on training data; differentially private until its budget is spent"
    )
    shows_scores: ClassVar[bool] = True
    has_gate: ClassVar[bool] = True
    tells_every_attempt: ClassVar[bool] = False
    may_fall: ClassVar[bool] = False
    corrects_for_attempts: ClassVar[bool] = False
    starts_from_baseline: ClassVar[bool] = False
    has_intervals: ClassVar[bool] = False
    releases_standard_error: ClassVar[bool] = False
    is_noisy: ClassVar[bool] = True
    has_budget: ClassVar[bool] = True
    needs_training_score: ClassVar[bool] = True
    satisfies_theorem_3_1: ClassVar[bool] = False
    is_compared: ClassVar[bool] = False
    variants: ClassVar[Variants] = {"thresholdout": {}}
    words: ClassVar[ParticipantWords] = ParticipantWords(
        title="Thresholdout",
        lead=(
            "You state your score on the training data. The test set confirms it, and gives a score of its own "
            "only where the two disagree."
        ),
        steps=(
            "With every submission you state your score on the training data.",
            "If the test set agrees, up to a noisy threshold, that score is confirmed and nothing is spent.",
            (
                "If it disagrees, you get the score on the test set plus noise, and the budget for such answers "
                "shrinks by one."
            ),
            "The board shows your best answer so far.",
        ),
        guarantee=(
            (
                "For means of losses between 0 and 1: confirmations cost nothing, however many there are. Every "
                "correction costs a fixed amount of privacy, and the budget limits how far answers can drift from "
                "the truth."
            ),
        ),
        limits=(
            "The training score is taken on trust, so this mechanism is not for boards with prizes.",
            "Once the budget is used up, there are no more answers.",
        ),
        reading=(
            (
                "The score shown is either the training score you stated, confirmed by the test set, or your "
                "score on the test set plus noise."
            ),
        ),
        source="Dwork and others 2015, The reusable holdout: Preserving validity in adaptive data analysis.",
        parameters={
            "threshold": "how far the scores on training and test data may differ before the test set answers",
            "noise": "the scale of the noise on the threshold and on answers",
            "budget": "how often the test set may answer with a score of its own",
            "loss_width": LOSS_WIDTH,
            "redraw": NEW_NOISE,
        },
    )

    threshold: float | None = None
    noise: float | None = None
    budget: int = 100
    loss_width: float | None = None
    redraw: bool = False

    def __post_init__(self) -> None:
        check_positive(threshold=self.threshold, noise=self.noise, loss_width=self.loss_width)
        if self.budget < 1:
            raise ParameterError(f"budget is {self.budget}; it must be at least 1")

    def start(self, baseline: Evaluation, setup_rng: np.random.Generator) -> State:
        noisy_threshold = self._draw_threshold(baseline.yardstick, setup_rng)
        return super().start(baseline, setup_rng).with_memory(threshold=noisy_threshold, budget=self.budget)

    def threshold_for(self, yardstick: Yardstick) -> float:
        """T for this holdout."""
        width = find_loss_width(yardstick, self.loss_width)
        return self.threshold if self.threshold is not None else 4 * width / math.sqrt(yardstick.units)

    def noise_for(self, yardstick: Yardstick) -> float:
        """σ for this holdout."""
        width = find_loss_width(yardstick, self.loss_width)
        return self.noise if self.noise is not None else width / math.sqrt(yardstick.units)

    def rule(self, state: State, candidate: Evaluation, incumbent: Evaluation, rng: np.random.Generator) -> Ruling:
        training_score = _read_claim(candidate)
        if not self.redraw and state.released is not None and is_repetition(candidate, incumbent):
            return self.repeat_number(state)
        if self._overfits(candidate, training_score, state, rng):
            answer, memory = self._correct(candidate, state, rng)
        else:
            answer, memory = training_score, {}
        if state.released is None or candidate.yardstick.is_better(answer, than=state.released):
            return Ruling(True, True, answer, answer, memory)
        return Ruling(False, False, answer if self.redraw else state.released, state.released, memory)

    def tells_own_number(self) -> bool:
        return self.redraw

    def values_per_release(self, yardstick: Yardstick) -> float:
        # One more: the training score, which whoever stated it knows.
        return noisy_values(yardstick, self.noise_for(yardstick)) + 1

    def leakage(self, state: State, yardstick: Yardstick) -> Leakage:
        # When the budget was used up is one of as many answers as there were attempts.
        told = super().leakage(state, yardstick)
        bits = (told.bits or 0.0) + math.log2(state.attempts + 1)
        return replace(told, bits=bits, overfit_bound=overfit_bound(bits, yardstick.hoeffding_units, yardstick.bounds))

    def is_spent(self, state: State) -> bool:
        return state.memory["budget"] < 1

    def tell_budget(self, state: State) -> Budget:
        # How much is used is not told before the end. An answer that is no better than the board gets the stored number
        # whether the holdout agreed with the claim or not; the count would tell which, for every claim one cares to
        # make. That it is used up is told anyway: the next attempt is refused, and costs nothing.
        is_spent = self.is_spent(state)
        return Budget(self.budget, used=self.budget if is_spent else None, is_spent=is_spent)

    def _overfits(self, candidate: Evaluation, training_score: float, state: State, rng: np.random.Generator) -> bool:
        tolerance = state.memory["threshold"] + laplace(rng, 4 * self.noise_for(candidate.yardstick))
        return abs(candidate.score - training_score) > tolerance

    def _correct(self, candidate: Evaluation, state: State, rng: np.random.Generator) -> tuple[float, dict[str, float]]:
        """The holdout's score with noise, paid for from the budget."""
        answer = noisy_score(candidate, self.noise_for(candidate.yardstick), rng)
        refreshed = self._draw_threshold(candidate.yardstick, rng)
        return answer, {"threshold": refreshed, "budget": state.memory["budget"] - 1}

    def _draw_threshold(self, yardstick: Yardstick, rng: np.random.Generator) -> float:
        return self.threshold_for(yardstick) + laplace(rng, 2 * self.noise_for(yardstick))


def _read_claim(candidate: Evaluation) -> float:
    """The score on the training set, as the submission states it."""
    claim, (low, high) = candidate.training_score, candidate.yardstick.bounds
    if claim is None:
        raise ParameterError(
            "thresholdout compares with the score on the training set; pass it with the predictions: training_score="
        )
    if not (math.isfinite(claim) and low <= claim <= high):
        raise ParameterError(f"training_score is {claim}; {candidate.yardstick.metric} lies between {low} and {high}")
    return claim
