"""A mechanism that is not in the product: what somebody who adds one has to write, and nothing more."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ladderboard.core.records import Evaluation, State
from ladderboard.mechanisms.base import Family, Mechanism, Ruling, Variants
from ladderboard.mechanisms.participant_words import ParticipantWords


@dataclass(frozen=True)
class PatientLadder(Mechanism):
    """Accept every better score, but only at every ``pace``-th attempt.

    Parameters
    ----------
    pace
        How many attempts a turn takes.

    Notation
    --------
    No paper has it.

    Guarantee
    ---------
    Heuristic, none proven.

    Departures
    ----------
    None: there is nothing to depart from.

    Reference
    ---------
    Invented for a test.
    """

    name: ClassVar[str] = "patient_ladder"
    label: ClassVar[str] = "patient"
    family: ClassVar[Family] = "step"
    promise: ClassVar[str] = "promises patience and nothing else"
    shows_scores: ClassVar[bool] = True
    has_gate: ClassVar[bool] = True
    tells_every_attempt: ClassVar[bool] = False
    may_fall: ClassVar[bool] = False
    corrects_for_attempts: ClassVar[bool] = False
    starts_from_baseline: ClassVar[bool] = False
    has_intervals: ClassVar[bool] = True
    releases_standard_error: ClassVar[bool] = True
    is_noisy: ClassVar[bool] = False
    has_budget: ClassVar[bool] = False
    needs_training_score: ClassVar[bool] = False
    satisfies_theorem_3_1: ClassVar[bool] = False
    is_compared: ClassVar[bool] = True
    variants: ClassVar[Variants] = {"patient_2": {"pace": 2}, "patient_100": lambda board: {"pace": board.items}}
    words: ClassVar[ParticipantWords] = ParticipantWords(
        title="Patient Ladder",
        lead="It takes its time.",
        steps=("You wait for your turn.",),
        guarantee=("Patience is guaranteed.",),
        limits=("Haste is not.",),
        reading=("The score is as old as your last turn.",),
        source="Invented for a test.",
        parameters={"pace": "how many attempts a turn takes"},
    )

    pace: int = 3

    def rule(self, state: State, candidate: Evaluation, incumbent: Evaluation, rng: np.random.Generator) -> Ruling:
        is_turn = state.released is None or state.attempts % self.pace == 0
        better = state.released is None or candidate.yardstick.is_better(candidate.score, than=state.released)
        if not (is_turn and better):
            return self.repeat_number(state)
        return Ruling(True, True, candidate.score, candidate.score)
