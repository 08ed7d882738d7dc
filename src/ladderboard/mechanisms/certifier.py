"""The Certifier: all items testify whether a candidate that was chosen on other data beats the last certified one."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ladderboard.core.bounds import answers_probability
from ladderboard.core.errors import ParameterError
from ladderboard.core.records import BASELINE, Evaluation, State, Subset, Yardstick
from ladderboard.core.ties import is_at_most, subtract
from ladderboard.inference.certificate import certificate_p_value, correct_for_selection
from ladderboard.mechanisms.base import (
    AnswerTest,
    Family,
    Hurdle,
    Mechanism,
    Ruling,
    Variants,
    clip_to_bounds,
    count_answers,
)
from ladderboard.mechanisms.participant_words import ParticipantWords
from ladderboard.mechanisms.proof import find_weight

BITS_PER_CERTIFICATE = 5
"""What the number of a certificate tells of the items beyond what its analyst can predict; as for an accept of the
Witness Ladder, which shows the same grid."""


@dataclass(frozen=True)
class Certifier(Mechanism):
    """Say whether a candidate is proven better than the last certified one, for those who steer by data of their own.

    The first submission is the reference and gets no number. Every later one is a question: d = l_certified − l_t,
    paired by item (by group where there are groups), one-sided p ≤ α·w(failed + 1)/2^L is a certificate, L those before
    it. Then the candidate is the certified one, and its score is released, corrected for having been chosen by the
    test. Without a certificate no number is told, the board keeps the last certified one, and the question has failed.

    >>> from ladderboard.guard.leaderboard import Leaderboard
    >>> labels = [0, 1] * 100
    >>> board = Leaderboard(labels, "accuracy", mechanism=Certifier())
    >>> reference, lucky, better = ([0] * wrong + labels[wrong:] for wrong in (80, 76, 30))
    >>> for candidate in (reference, lucky, better):
    ...     release = board.submit("us", candidate)
    ...     print(release.improved, release.value)
    False None
    False None
    True 0.925

    Parameters
    ----------
    alpha
        α in (0, 1): the level that all questions share (.05).
    grid
        g: the grid's step in null standard errors (1/2), on the metric's variance-stabilising scale.

    Notation
    --------
    w(m) = .7·.4·.6^(m−1) + .3/(m(m+1)) → `find_weight`, which sums to one; L → ``State.accepts``; failed →
    ``State.attempts`` less L and the reference, never reset; certified → ``State.incumbent``. p is exact McNemar where
    all items that differ differ by the same amount (0/1 losses, pass or fail), DeLong's z for AUC, Student's t
    otherwise, with the rule for few items and the pseudo-item of losses without a bound. An item with repeats is its
    mean: their noise is in the spread of d, also where their numbers differ. ``State.memory["answers"]`` and
    ``["yes"]`` count the answers to "not worse than the reference?".

    The number → `correct_for_selection`: the score less the luck by which candidates pass the test.

    Guarantee
    ---------
    Until the first certificate the answers are constant, so that a deterministic proposer's questions are fixed in
    advance however it adapts: the probability of a false first certificate is at most α·Σw = α. This is exact for
    McNemar, asymptotic otherwise, and needs items that are independent of the data steered by, of which nothing was
    told before. Later certificates compare with an entry that was chosen on the same items, of which L numbers have
    told; each halves the level to pay for that. For them the claim is measured: at most one series in 20 hears a false
    one, honest, climbing on the words, or with labels known from outside. Every transcript of "not worse?" has its
    share of the level, as in the Witness Ladder.

    Departures
    ----------
    None: this rule is our own. Weak points: it does not steer. Who asks about every edit spends the level on noise;
    ask where your own data are convinced (2 standard errors above the last certified entry). A reference pinned after a
    look at the items, or a candidate fitted to them, is outside of the guarantee.

    Reference
    ---------
    docs/theory/certifier.md. The weights: Tian and Ramdas 2021, Online control of the familywise error rate.
    """

    name: ClassVar[str] = "certifier"
    label: ClassVar[str] = "certifier"
    family: ClassVar[Family] = "own"
    promise: ClassVar[str] = "certifies gains at a level that all questions share; no number without a certificate"
    shows_scores: ClassVar[bool] = True
    has_gate: ClassVar[bool] = True
    tells_every_attempt: ClassVar[bool] = False
    may_fall: ClassVar[bool] = False
    corrects_for_attempts: ClassVar[bool] = True
    starts_from_baseline: ClassVar[bool] = False
    has_intervals: ClassVar[bool] = True
    releases_standard_error: ClassVar[bool] = True
    is_noisy: ClassVar[bool] = False
    has_budget: ClassVar[bool] = False
    needs_training_score: ClassVar[bool] = False
    satisfies_theorem_3_1: ClassVar[bool] = False
    is_compared: ClassVar[bool] = False
    certifies: ClassVar[bool] = True
    variants: ClassVar[Variants] = {"certifier": {}}
    words: ClassVar[ParticipantWords] = ParticipantWords(
        title="Certifier",
        lead=(
            "For those who choose by data of their own. It only says whether what they chose is proven better than the "
            "last certified entry."
        ),
        steps=(
            "The first entry is the reference. Its score is not shown.",
            "Every later entry is compared with the last certified one, row by row, on all rows.",
            "All tests share one budget for false alarms. Every test makes the next one a little harder.",
            (
                "If the test passes, the entry is certified and its score is shown: corrected for the luck that helped "
                "it to pass, and rounded to steps of half a standard error."
            ),
            "Otherwise no score is shown for it.",
        ),
        guarantee=(
            (
                "Until the first certificate, the probability that an entry which is no better is certified is at most "
                "5 %, however many entries are tried."
            ),
            "For later certificates this is measured.",
        ),
        limits=(
            "It does not help to choose: without a certificate it tells nothing. Competitions do not offer it.",
            "Entries that are sent without a reason to believe in them make the next test harder.",
        ),
        reading=("A score is shown only for a certified entry. It is corrected for having been chosen.",),
        source="Designed for Ladderboard.",
        parameters={
            "alpha": "the significance level that all tests share",
            "grid": "what scores are rounded to, in standard errors of a score without skill",
        },
    )

    alpha: float = 0.05
    grid: float = 0.5

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise ParameterError(f"alpha is {self.alpha}; it must lie between 0 and 1")
        if not 0 < self.grid <= 4:
            raise ParameterError(f"grid is {self.grid} null standard errors; it must lie in (0, 4]")

    def rule(self, state: State, candidate: Evaluation, incumbent: Evaluation, rng: np.random.Generator) -> Ruling:
        certified, asked = incumbent.deciding, candidate.deciding
        p_value, level = certificate_p_value(certified, asked), self.find_level(state)
        if state.incumbent == BASELINE:
            return Ruling(False, False, None, None, is_reference=True)
        if not is_at_most(p_value, level):
            return self.repeat_number(state)
        d = subtract(certified.losses, asked.losses)
        value = self.make_number(correct_for_selection(candidate, d, p_value=p_value, level=level), state, candidate)
        return Ruling(True, True, value, value)

    def find_level(self, state: State) -> float:
        """α·w(failed + 1)/2^L; answers about a pinned reference have told of the items too, and take their share."""
        failed = max(0, state.attempts - state.accepts - 2)  # neither the reference nor this attempt
        told = 2.0**-state.accepts * answers_probability(*count_answers(state))
        return self.alpha * find_weight(failed + 1) * told

    def make_number(self, loss: float, state: State, candidate: Evaluation) -> float:
        """The corrected loss as a score on the grid; not behind that of the entry which it is proven better than."""
        yardstick = candidate.yardstick
        value = yardstick.grid(self.grid).nearest(clip_to_bounds(yardstick.score(loss), yardstick))
        before = state.released
        return before if before is not None and yardstick.is_better(before, than=value) else value

    def repeat_number(self, state: State) -> Ruling:
        """No certificate, no number: the board keeps the certified one."""
        return Ruling(False, False, None, state.released)

    def hurdle(self, state: State, yardstick: Yardstick, standard_error: float) -> Hurdle:
        from scipy.special import ndtri

        asked = replace(state, attempts=state.attempts + 1)
        return Hurdle(share=1.0, errors=-float(ndtri(self.find_level(asked))))

    def answer_test(self, state: State, evaluation: Evaluation) -> AnswerTest:
        """On all units, at level α/(j(j+1)) for answer j, times the share of the transcript of everything told."""
        answers, yes = count_answers(state)
        told = answers_probability(answers, yes) * answers_probability(state.attempts, state.accepts)
        share = told * 2.0 ** (-BITS_PER_CERTIFICATE * state.accepts)
        units = Subset(np.arange(evaluation.yardstick.units))
        return AnswerTest(units, self.alpha * share / ((answers + 1) * (answers + 2)))

    def grid_fraction(self) -> float:
        return self.grid
