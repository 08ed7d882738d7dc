"""The Spending Ladder: a paired test at level α/t and a minimum step of one standard error."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ladderboard.core.errors import ParameterError
from ladderboard.core.records import Evaluation, State, Yardstick
from ladderboard.core.score_format import ScoreFormat
from ladderboard.core.ties import is_at_most
from ladderboard.inference.pairwise import paired_p_value
from ladderboard.mechanisms.base import EntryTest, Family, Hurdle, Mechanism, Ruling, Variants, standard_error
from ladderboard.mechanisms.participant_words import KEEPS_SCORE, ONE_PER_TEAM, ParticipantWords


@dataclass(frozen=True)
class SpendingLadder(Mechanism):
    """Accept only a paired test at level α/t and a step of a standard error; release on a fixed grid.

    The first incumbent is the public baseline. Attempt t is accepted iff p_t ≤ α/t and D ≥ SE·(1 + A/8), where D is
    the improvement over the incumbent, SE the incumbent's standard error (at least SE_min) and A the number of accepts
    so far. On accept the score is released, rounded to the grid; on reject the stored number is repeated.

    Parameters
    ----------
    alpha
        α in (0, 1): the expected number of false accepts in k attempts is at most α·(1 + 1/2 + … + 1/k).
    growth
        How much the step grows with each accept (1/8).
    grid
        The grid's step in null standard errors (1/2), on the metric's variance-stabilising scale.

    Notation
    --------
    t → ``State.attempts`` (never reset), A → ``State.accepts``, D → mean of the paired differences of losses,
    p_t → `paired_p_value`: exact McNemar for 0/1 losses, DeLong's z for AUC, Student's t otherwise.

    Guarantee
    ---------
    While nothing is accepted the transcript is constant, so a deterministic analyst's submissions are fixed in advance
    and the expected number of false accepts is at most α·H_k, given an incumbent chosen independently of the holdout;
    exact for McNemar, asymptotic otherwise. After accepts only the leakage meter's bound holds.

    Departures
    ----------
    None: this rule is our own. It answers the pair flip, which climbs Blum & Hardt's parameter-free Ladder at every n
    because that test is not corrected for the number of attempts and its step can shrink to two items.

    Reference
    ---------
    docs/theory/spending_ladder.md.
    """

    name: ClassVar[str] = "spending_ladder"
    label: ClassVar[str] = "spending"
    family: ClassVar[Family] = "own"
    promise: ClassVar[str] = "shows gains at level α/t; at most α·H_k false accepts expected until the first accept"
    shows_scores: ClassVar[bool] = True
    has_gate: ClassVar[bool] = True
    tells_every_attempt: ClassVar[bool] = False
    may_fall: ClassVar[bool] = False
    corrects_for_attempts: ClassVar[bool] = True
    starts_from_baseline: ClassVar[bool] = True
    has_intervals: ClassVar[bool] = True
    releases_standard_error: ClassVar[bool] = True
    is_noisy: ClassVar[bool] = False
    has_budget: ClassVar[bool] = False
    needs_training_score: ClassVar[bool] = False
    satisfies_theorem_3_1: ClassVar[bool] = False
    is_compared: ClassVar[bool] = True
    variants: ClassVar[Variants] = {"spending": {}}
    words: ClassVar[ParticipantWords] = ParticipantWords(
        title="Spending Ladder",
        lead=(
            "All attempts of a team share one budget for false alarms. Every attempt spends part of it, so trying "
            "often does not make luck more likely."
        ),
        steps=(
            "Your submission is compared with your best one, row by row, in a paired test.",
            (
                "The test gets stricter with every attempt: at attempt 20 its significance level is twenty times "
                "smaller."
            ),
            (
                "The gain must also be at least one standard error, and a little more after every submission that "
                "is recognised."
            ),
            "If both hold, your score is shown, rounded to steps of half a standard error.",
            KEEPS_SCORE,
        ),
        guarantee=(
            (
                "Until your first submission is recognised: of k attempts that are no better, at most α·(1 + 1/2 "
                "+ … + 1/k) are recognised by luck on average. With the usual α of 5 % that is 0.26 in a "
                "hundred attempts."
            ),
            "After that, the amount of information released is bounded; the leakage meter shows it.",
        ),
        limits=(
            "Small real improvements are recognised later than with the Witness Ladder.",
            "Someone who knows many of the labels can hide guesses behind corrections they know to be right.",
            ONE_PER_TEAM,
        ),
        reading=(
            (
                "The score shown is yours, rounded to differences that the test set can resolve. It changes only "
                "after a test that is corrected for all your attempts."
            ),
        ),
        source="Designed for Ladderboard.",
        parameters={
            "alpha": "the significance level of the first attempt; attempt t has it divided by t",
            "growth": "the share by which the smallest recognised gain grows with each one",
            "grid": "what scores are rounded to, in standard errors of a score without skill",
        },
    )

    alpha: float = 0.05
    growth: float = 1 / 8
    grid: float = 0.5

    def __post_init__(self) -> None:
        check_our_parameters(self.alpha, self.growth, self.grid)

    def entry_test(self) -> EntryTest:
        return EntryTest(share=1.0, alpha=self.alpha)

    def rule(self, state: State, candidate: Evaluation, incumbent: Evaluation, rng: np.random.Generator) -> Ruling:
        before, after = incumbent.deciding, candidate.deciding
        step = standard_error(before, candidate.yardstick.units) * (1 + self.growth * state.accepts)
        # Both are computed for every attempt: the time of a rejection must not tell why it was one.
        is_significant = is_at_most(paired_p_value(before, after), self.alpha / state.attempts)
        is_a_step = is_at_most(after.loss, before.loss, by=step)
        if not (is_significant and is_a_step):
            return self.repeat_number(state)
        value = candidate.yardstick.grid(self.grid).nearest(candidate.score)
        return Ruling(True, self.is_improvement(value, state, candidate), value, value)

    def hurdle(self, state: State, yardstick: Yardstick, standard_error: float) -> Hurdle:
        from scipy.special import ndtri

        step = max(standard_error, yardstick.smallest_standard_error) * (1 + self.growth * state.accepts)
        return Hurdle(share=1.0, fixed=step, errors=-float(ndtri(self.alpha / (state.attempts + 1))))

    def is_improvement(self, value: float, state: State, candidate: Evaluation) -> bool:
        """Whether the board's number got better: a word a user may trust is not said for a number that did not move."""
        return state.released is None or candidate.yardstick.is_better(value, than=state.released)

    def baseline_value(self, baseline: Evaluation) -> float:
        return baseline.yardstick.published_baseline(self.grid)

    def score_format(self, yardstick: Yardstick) -> ScoreFormat:
        return yardstick.grid(self.grid).score_format

    def grid_fraction(self) -> float:
        return self.grid


def check_our_parameters(alpha: float, growth: float, grid: float) -> None:
    """The limits that the Spending and the Witness Ladder share."""
    if not 0 < alpha < 1:
        raise ParameterError(f"alpha is {alpha}; it must lie between 0 and 1")
    if not growth >= 0:
        raise ParameterError(f"growth is {growth}; it must not be negative")
    if not 0 < grid <= 4:
        raise ParameterError(f"grid is {grid} null standard errors; it must lie in (0, 4]")
