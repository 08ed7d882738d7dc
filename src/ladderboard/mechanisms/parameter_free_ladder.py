"""The Ladder without a step to choose (Blum & Hardt, Algorithm 2)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ladderboard.core.records import Evaluation, State, Yardstick
from ladderboard.core.score_format import ScoreFormat
from ladderboard.mechanisms.base import Family, Hurdle, Mechanism, Ruling, Variants, rounded_values
from ladderboard.mechanisms.gates import beats_release, round_to_one_item
from ladderboard.mechanisms.participant_words import BLUM_HARDT, KEEPS_SCORE, UNPROVEN, ParticipantWords


@dataclass(frozen=True)
class ParameterFreeLadder(Mechanism):
    """Accept a submission that beats the released score by one paired standard error.

    Accept iff R_S(f_t) < R_{t-1} − sd(d)/√n with d = l_best − l_t; then R_t = [R_S(f_t)]_{1/n}, else R_t = R_{t-1}.
    R_t is released.

    >>> from ladderboard.guard.leaderboard import Leaderboard
    >>> board = Leaderboard([0, 1] * 8, mechanism=ParameterFreeLadder())
    >>> board.submit("us", [0] * 16).value
    0.5
    >>> board.submit("us", [0, 1] + [0] * 14).value     # one item repaired is the step itself
    0.5
    >>> board.submit("us", [0, 1] * 2 + [0] * 12).value
    0.375

    Parameters
    ----------
    None.

    Notation
    --------
    l → ``Evaluation.losses``; R_t → ``Release.value``; R_S(f_t) → ``Evaluation.loss``; n → ``Yardstick.units``.

    Guarantee
    ---------
    Heuristic, none proven. A pair flip climbs it at every n: the step shrinks to about two items where two
    submissions hardly differ, and the test is not corrected for the number of attempts.

    Departures
    ----------
    The first submission is accepted (R_0 = ∞). The paper's rounding is kept: it does nothing for 0/1 losses, depends on
    the unit of other losses, and where it went up the identical submission is accepted again (with the same number).
    Metrics that are not a mean of losses take their influence values for l.

    Reference
    ---------
    Blum & Hardt 2015, The Ladder, Algorithm 2 (arXiv 1502.04585). Their Ladder.jl does not round.
    """

    name: ClassVar[str] = "parameter_free_ladder"
    label: ClassVar[str] = "free"
    family: ClassVar[Family] = "step"
    promise: ClassVar[str] = "shows only gains of one standard error; a heuristic, nothing proven"
    shows_scores: ClassVar[bool] = True
    has_gate: ClassVar[bool] = True
    tells_every_attempt: ClassVar[bool] = False
    may_fall: ClassVar[bool] = False
    corrects_for_attempts: ClassVar[bool] = False
    starts_from_baseline: ClassVar[bool] = False
    has_intervals: ClassVar[bool] = False
    releases_standard_error: ClassVar[bool] = False
    is_noisy: ClassVar[bool] = False
    has_budget: ClassVar[bool] = False
    needs_training_score: ClassVar[bool] = False
    satisfies_theorem_3_1: ClassVar[bool] = False
    is_compared: ClassVar[bool] = True
    variants: ClassVar[Variants] = {"parameter_free": {}}
    words: ClassVar[ParticipantWords] = ParticipantWords(
        title="Parameter-free Ladder",
        lead="A ladder whose step adapts to how different two submissions are.",
        steps=(
            "Your submission is compared with your best one, row by row.",
            "If it is better by more than one standard error of that difference, its score is shown.",
            KEEPS_SCORE,
        ),
        guarantee=(UNPROVEN,),
        limits=(
            (
                "It can be climbed by luck: changing two predictions at a time makes the step tiny, and about one "
                "such change in four passes. Do not use it where prizes are at stake."
            ),
        ),
        reading=(
            ("The score shown is yours. It changes only after a gain of one standard error over your best submission."),
        ),
        source=f"{BLUM_HARDT}, Algorithm 2.",
    )

    def rule(self, state: State, candidate: Evaluation, incumbent: Evaluation, rng: np.random.Generator) -> Ruling:
        if not beats_release(state, candidate, incumbent, threshold=1.0):
            return self.repeat_number(state)
        value = round_to_one_item(candidate.score, candidate.yardstick)
        return Ruling(True, True, value, value)

    def hurdle(self, state: State, yardstick: Yardstick, standard_error: float) -> Hurdle:
        return Hurdle(share=1.0, errors=1.0)

    def score_format(self, yardstick: Yardstick) -> ScoreFormat:
        return ScoreFormat.of_step(1 / yardstick.units)

    def values_per_release(self, yardstick: Yardstick) -> float:
        return rounded_values(yardstick, 1 / yardstick.units)
