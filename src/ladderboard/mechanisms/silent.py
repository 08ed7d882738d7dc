"""The silent board: a file is received and checked, and no score is shown until the reveal."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ladderboard.core.bounds import overfit_bound
from ladderboard.core.records import Evaluation, Leakage, State, Yardstick
from ladderboard.mechanisms.base import Family, Mechanism, Ruling, Variants
from ladderboard.mechanisms.participant_words import ParticipantWords


@dataclass(frozen=True)
class Silent(Mechanism):
    """Say that a file was received and is valid, and nothing else until the reveal.

    Every release is the same but for its number: no value, no board value, no interval, never accepted. The labels are
    not read before the end, so that not even the time of an answer depends on them.

    >>> from ladderboard.guard.leaderboard import Leaderboard
    >>> board = Leaderboard([0, 1] * 4, mechanism=Silent())
    >>> release = board.submit("us", [0, 1] * 4)
    >>> release.value, release.board_value, release.accepted, release.attempt
    (None, None, False, 1)

    Parameters
    ----------
    None.

    Notation
    --------
    None: nothing is computed.

    Guarantee
    ---------
    The transcript does not depend on the labels, so that any number of submissions by any number of accounts learns
    nothing from it: 0 bits. At the reveal each team's finals are scored once, on rows that nobody could test against.

    Departures
    ----------
    None: this is the rule that organisers of challenges call a blind or sealed test phase.

    Reference
    ---------
    docs/theory/silent.md.
    """

    name: ClassVar[str] = "silent"
    label: ClassVar[str] = "silent"
    family: ClassVar[Family] = "silence"
    promise: ClassVar[str] = "nothing about the labels is told before the reveal, however many submissions there are"
    shows_scores: ClassVar[bool] = False
    has_gate: ClassVar[bool] = True
    tells_every_attempt: ClassVar[bool] = False
    may_fall: ClassVar[bool] = False
    corrects_for_attempts: ClassVar[bool] = True
    starts_from_baseline: ClassVar[bool] = False
    has_intervals: ClassVar[bool] = False
    releases_standard_error: ClassVar[bool] = False
    is_noisy: ClassVar[bool] = False
    has_budget: ClassVar[bool] = False
    needs_training_score: ClassVar[bool] = False
    satisfies_theorem_3_1: ClassVar[bool] = False
    is_compared: ClassVar[bool] = False
    variants: ClassVar[Variants] = {}
    words: ClassVar[ParticipantWords] = ParticipantWords(
        title="Silent board",
        lead="No scores are shown until the reveal. You learn that your file was received and is valid.",
        steps=(
            "Your file is checked. A file with mistakes is refused with a list of them and costs nothing.",
            "You are told that it was received. The board lists teams and how often they have submitted.",
            "At the reveal your final submissions are scored, and the results are shown to everyone.",
        ),
        guarantee=(
            (
                "Nothing about the labels is released before the reveal, however many submissions there are and "
                "however many accounts make them."
            ),
        ),
        limits=(
            "You cannot tell from this board which of your submissions is best: use your own data.",
            "A file of the right form with wrong contents, such as swapped classes, is not noticed.",
        ),
        reading=("There is no score to read yet. Unless you select others, your latest submission counts at the end.",),
        source="What challenges with a sealed test set do.",
    )

    def rule(self, state: State, candidate: Evaluation, incumbent: Evaluation, rng: np.random.Generator) -> Ruling:
        return self.repeat_number(state)

    def leakage(self, state: State, yardstick: Yardstick) -> Leakage:
        """Nothing is told: 0 bits."""
        bound = overfit_bound(0.0, yardstick.hoeffding_units, yardstick.bounds)
        return Leakage(state.attempts, state.accepts, 0.0, bound)
